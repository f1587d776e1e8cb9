import type { PasskeyRefusalReason } from '../../domain/accounts/passkeys/passkeys.ts'
import * as limits from '../../domain/limits/limits.ts'
import { t, type Words } from '../html.ts'

/** Error messages for passkey refusals, for pages and their scripts. */
export const passkeyErrorWords: Record<PasskeyRefusalReason, Words> = {
  'response-malformed': t`The browser sent an invalid response. Try again, or use another browser.`,
  'challenge-unknown': t`This took longer than 5 minutes, or was already submitted. Try again.`,
  'passkey-unknown': t`Unknown passkey. It may have been removed or belong to another account. Use another one.`,
  'verification-failed': t`This passkey couldn’t be verified. Open this page at its usual URL and try again.`,
  'counter-behind': t`This passkey may have been copied: its signature counter didn’t increase. Sign in another way, remove it, and add a new one.`,
  'passkey-taken': t`This passkey is already registered.`,
  'too-many-passkeys': t`You have the maximum of ${limits.passkeysPerUser} passkeys. Remove one that you no longer use.`,
  'name-too-long': t`Use a name of at most ${limits.passkeyNameMaxCharacters} characters.`,
  'no-passkey': t`You don’t have a passkey. Add one on your account page first.`,
  'sign-in-again': t`You signed in more than 15 minutes ago. Sign in again to add or remove passkeys.`,
  'last-way-to-sign-in': t`You can’t remove your only way to sign in. First add another passkey, set a password, or link an account.`,
}

/** Text that the script shows in a passkey form. */
export const ceremonyFaultWords = {
  refused: {
    registration: t`No passkey added: you cancelled, or it took too long. Try again.`,
    'sign-in': t`No passkey used: you cancelled, it took too long, or this device has no passkey. Try again, or sign in another way.`,
    proof: t`No passkey used: you cancelled, or it took too long. Try again, or enter your password.`,
  },
}
