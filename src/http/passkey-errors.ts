import type { PasskeyRefusalReason } from '../domain/accounts/passkey-refusal.ts'
import { passkeyNameMaxCharacters, passkeysPerUser } from '../domain/limits.ts'

interface PasskeyError {
  status: 403 | 404 | 422
  message: string
}

/** What the pages and their scripts say of each refusal. */
export const passkeyErrors: Record<PasskeyRefusalReason, PasskeyError> = {
  'response-malformed': {
    status: 422,
    message: 'What the browser answered can not be read. Try again, or use another browser.',
  },
  'challenge-unknown': {
    status: 422,
    message: 'This took longer than 5 minutes, or was answered already. Try again.',
  },
  'passkey-unknown': {
    status: 422,
    message: 'This passkey is not known here. It may have been removed, or belong to another account. Use another one.',
  },
  'verification-failed': {
    status: 422,
    message: 'This passkey could not be verified. Open the page again at its usual address and try once more.',
  },
  'counter-behind': {
    status: 422,
    message:
      'This passkey may have been copied: its count went back. Sign in another way, remove it, and add a new one.',
  },
  'passkey-taken': {
    status: 422,
    message: 'This passkey is registered already. Use another device, or keep this one.',
  },
  'too-many-passkeys': {
    status: 422,
    message: `You have ${passkeysPerUser} passkeys, which is the most. Remove one that you no longer use.`,
  },
  'name-too-long': { status: 422, message: `Use a name of at most ${passkeyNameMaxCharacters} characters.` },
  'no-passkey': { status: 422, message: 'You have no passkey. Add one on your account page first.' },
  'sign-in-again': {
    status: 403,
    message: 'You signed in a while ago. Sign in again to add or remove passkeys.',
  },
  'last-way-to-sign-in': {
    status: 422,
    message:
      'This passkey is your only way to sign in, so it stays. Add another one first, set a password, or link an account elsewhere.',
  },
}
