import type { FastifyReply } from 'fastify'
import { AccountRefusal, type AccountRefusalReason } from '../domain/accounts/account-refusal.ts'
import * as limits from '../domain/limits/limits.ts'
import type { Refusals } from '../http/request-metrics.ts'
import { waitWords } from './components/figures.ts'
import { noteRefusal } from './error-page.ts'
import type { FormError } from './form.ts'
import type { Rejection } from './form-routes.ts'
import { plural, t, type Words } from './html.ts'

export const confirmEmailFirst = t.html`Confirm your email address first. You can resend the link on <a href="/account">your account page</a>.`

const wait = ({ about }: AccountRefusal) => waitWords(about.retryAfterMs ?? 0)

export const pinMalformedWords = t`A PIN has ${limits.pinMinDigits} to ${limits.pinMaxDigits} digits.`

type Shown = readonly [status: number, text: Words | ((refusal: AccountRefusal) => Words), field?: string]

/** Only the control API sets the IDs at other platforms. */
type FormReason = Exclude<AccountRefusalReason, `${'chat-platform' | 'code-hosting'}-id-${string}`>

/**
 * How forms show refusals: the page's status, and the text next to the field or above the form. Only sign-up reveals
 * whether an email address has an account.
 */
const refusals: Readonly<Record<FormReason, Shown>> = {
  'sign-up-closed': [403, t`Only the operator can create accounts here. Ask them for an account.`],
  'name-missing': [422, t`Enter your name.`, 'name'],
  'name-too-long': [422, t`Use a name of at most ${limits.personNameMaxCharacters} characters.`, 'name'],
  'email-missing': [422, t`Enter your email address.`, 'email'],
  'email-malformed': [422, t`Enter an email address like name@example.com.`, 'email'],
  'email-unconfirmed': [403, confirmEmailFirst],
  'email-taken': [422, t`An account with this email address already exists. Sign in, or use another address.`, 'email'],
  'password-too-short': [
    422,
    t`Use at least ${limits.passwordMinCharacters} characters. Several words in a row are easy to remember.`,
    'password',
  ],
  'password-too-long': [422, t`Use at most ${limits.passwordMaxCharacters} characters.`, 'password'],
  'password-well-known': [422, t`This password is too common. Choose a different one.`, 'password'],
  'password-wrong': [422, t`Wrong password. Check it and try again.`, 'password'],
  'current-password-wrong': [422, t`The current password is wrong. Check it and try again.`, 'current_password'],
  'credentials-wrong': [422, t`Wrong email address or password. Check both and try again.`],
  'slow-down': [429, (refusal) => t`Too many failed attempts. Try again in ${wait(refusal)}.`],
  busy: [503, (refusal) => t`Many users are signing in right now. Try again in ${wait(refusal)}.`],
  'pin-malformed': [422, pinMalformedWords, 'pin'],
  'pin-not-set': [422, t`You don’t have a PIN yet. Set one first.`, 'pin'],
  'pin-wrong': [
    422,
    ({ about: { triesLeft = 0 } }) =>
      plural(
        triesLeft,
        t`Wrong PIN. 1 attempt left before it is locked.`,
        t`Wrong PIN. ${triesLeft} attempts left before it is locked.`,
      ),
    'pin',
  ],
  'pin-locked': [
    429,
    (refusal) => t`Your PIN is locked after too many failed attempts. Try again in ${wait(refusal)}.`,
  ],
  'unlock-first': [403, t`Unlock with your current PIN before you set a new one.`],
  'link-invalid': [404, t`This link was already used or has expired. Request a new one.`],
  'sign-in-first': [403, t`Sign in to this account first.`],
  'too-many-sign-ups': [
    429,
    (refusal) => t`Too many accounts were created from your network. Try again in ${wait(refusal)}.`,
  ],
  'too-many-mails': [
    429,
    (refusal) =>
      t`Too many requests. Check your inbox and spam folder for the last email, or try again in ${wait(refusal)}.`,
  ],
  'user-unknown': [404, t`This account no longer exists.`],
  'user-disabled': [403, t`This account is disabled. Contact the operator.`],
}

/** Logs a refusal and returns how the form shows it. Rethrows any other error. */
export function accountErrors(error: unknown, reply: FastifyReply, refusals: Refusals): Rejection {
  if (!(error instanceof AccountRefusal)) throw error
  noteRefusal(refusals, reply.request, error.reason)
  return rejectionOf(reply, error)
}

/** Returns how a form shows a refusal, with one error above the form. Sets `Retry-After` if the user has to wait. */
export function rejectionOf(reply: FastifyReply, refusal: AccountRefusal): Rejection {
  const { retryAfterMs } = refusal.about
  if (retryAfterMs !== undefined) reply.header('retry-after', String(Math.max(1, Math.ceil(retryAfterMs / 1_000))))
  const errors = refusal.reasons.map((reason): FormError => {
    const [, text, field] = refusals[reason as FormReason]
    return { field, message: typeof text === 'function' ? text(refusal) : text }
  })
  const first = errors.find(({ field }) => field === undefined)
  const [status] = refusals[refusal.reason as FormReason]
  return { status, errors: errors.filter((error) => error.field !== undefined || error === first) }
}
