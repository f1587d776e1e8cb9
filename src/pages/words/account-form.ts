import type { AccountRefusal, AccountRefusalReason } from '../../domain/accounts/account-refusal.ts'
import * as limits from '../../domain/limits/limits.ts'
import { plural, t, type Words } from '../html.ts'
import { waitWords } from './figures.ts'

export const confirmEmailFirst = t.html`Confirm your email address first. You can resend the link on <a href="/account">your account page</a>.`

const wait = ({ retryAfterMs }: AccountRefusal) => waitWords(retryAfterMs ?? 0)

export const pinMalformedWords = t`A PIN has ${limits.pinMinDigits} to ${limits.pinMaxDigits} digits.`

/** Error messages for account refusals. Only sign-up reveals whether an email address has an account. */
export const accountErrorWords: Record<AccountRefusalReason, Words | ((refusal: AccountRefusal) => Words)> = {
  'sign-up-closed': t`Only the operator can create accounts here. Ask them for an account.`,
  'name-missing': t`Enter your name.`,
  'name-too-long': t`Use a name of at most ${limits.personNameMaxCharacters} characters.`,
  'email-missing': t`Enter your email address.`,
  'email-malformed': t`Enter an email address like name@example.com.`,
  'email-unconfirmed': confirmEmailFirst,
  'email-taken': t`An account with this email address already exists. Sign in, or use another address.`,
  'password-too-short': t`Use at least ${limits.passwordMinCharacters} characters. Several words in a row are easy to remember.`,
  'password-too-long': t`Use at most ${limits.passwordMaxCharacters} characters.`,
  'password-well-known': t`This password is too common. Choose a different one.`,
  'password-wrong': t`Wrong password. Check it and try again.`,
  'current-password-wrong': t`The current password is wrong. Check it and try again.`,
  'credentials-wrong': t`Wrong email address or password. Check both and try again.`,
  'slow-down': (refusal) => t`Too many failed attempts. Try again in ${wait(refusal)}.`,
  busy: (refusal) => t`Many users are signing in right now. Try again in ${wait(refusal)}.`,
  'pin-malformed': pinMalformedWords,
  'pin-not-set': t`You don’t have a PIN yet. Set one first.`,
  'pin-wrong': ({ triesLeft }) =>
    plural(
      triesLeft ?? 0,
      t`Wrong PIN. 1 attempt left before it is locked.`,
      t`Wrong PIN. ${triesLeft} attempts left before it is locked.`,
    ),
  'pin-locked': (refusal) => t`Your PIN is locked after too many failed attempts. Try again in ${wait(refusal)}.`,
  'unlock-first': t`Unlock with your current PIN before you set a new one.`,
  'chat-platform-id-malformed': t`A chat-platform ID has 17 to 20 digits.`,
  'chat-platform-id-taken': t`This chat-platform account is linked to another user.`,
  'code-hosting-id-malformed': t`A code-hosting ID has 1 to ${limits.codeHostingIdMaxCharacters} characters and no spaces.`,
  'code-hosting-id-taken': t`This code-hosting account is linked to another user.`,
  'link-invalid': t`This link was already used or has expired. Request a new one.`,
  'sign-in-first': t`Sign in to this account first.`,
  'too-many-sign-ups': (refusal) => t`Too many accounts were created from your network. Try again in ${wait(refusal)}.`,
  'too-many-mails': (refusal) =>
    t`Too many requests. Check your inbox and spam folder for the last email, or try again in ${wait(refusal)}.`,
  'user-unknown': t`This account no longer exists.`,
  'user-disabled': t`This account is disabled. Contact the operator.`,
}
