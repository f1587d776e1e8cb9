import type { FastifyReply } from 'fastify'
import { AccountRefusal, type AccountRefusalReason } from '../domain/accounts/account-refusal.ts'
import { parsePin } from '../domain/accounts/credential-rules.ts'
import * as limits from '../domain/limits/limits.ts'
import type { Refusals } from '../http/request-metrics.ts'
import { button, buttonRow, postForm } from './components/elements.ts'
import { waitWords } from './components/figures.ts'
import { noteRefusal } from './error-page.ts'
import {
  errorNotices,
  type Fields,
  type Filled,
  type Form,
  type FormError,
  fieldErrorSummary,
  type ShownFields,
  type TextOptions,
  textField,
  type ValuesOf,
} from './form.ts'
import type { Rejection } from './form-routes.ts'
import { type Content, type Html, html, plural, type Text, t, type Words } from './html.ts'
import { type PageFrame, page } from './page.ts'
import type { SignedInRequest } from './page-guard.ts'
import { passkeyFault } from './passkey-form.ts'

interface AccountForm<F extends Fields> {
  action: string
  does: Text
  without?: readonly (keyof F | false)[]
  shown?: ShownFields<F>
  /** The account's email address, under which password managers store the password that the form sets. */
  email?: string | null
  more?: Content
  /** URL that issues the passkey challenge. Only set if a passkey may replace the password. */
  passkeyChallenge?: string | undefined
}

export function accountForm<F extends Fields>(
  form: Form<F>,
  filled: Partial<Filled<Partial<ValuesOf<F>>>>,
  { action, does, without = [], shown, email, more, passkeyChallenge }: AccountForm<F>,
): Html {
  const { errors = [] } = filled
  const fields = Object.entries(form.fields(filled, shown))
  // A form with only one field needs no summary, because its error is shown next to the field.
  return html`${errorNotices(errors)}
${fields.length > 1 && fieldErrorSummary(errors)}
${postForm(
  {
    action,
    style: 'card',
    ...(passkeyChallenge !== undefined && { attributes: html` data-passkey-proof="${passkeyChallenge}"` }),
  },
  passkeyChallenge !== undefined && html`<input type="hidden" name="passkey" value="">${passkeyFault('proof')}`,
  email && html`<input type="email" value="${email}" autocomplete="username" hidden>`,
  fields.map(([name, field]) => !without.includes(name) && field),
  more,
  buttonRow(button({ label: does, tone: 'primary' })),
)}`
}

export function accountFormPage<F extends Fields>(
  form: Form<F>,
  filled: Partial<Filled<Partial<ValuesOf<F>>>>,
  view: AccountForm<F> &
    Omit<PageFrame, 'body' | 'width'> & {
      /** The title if the form has errors. */
      failed?: Text
      heading?: Text
      about?: Html | false
      after?: Html | false | undefined
    },
): Html {
  const { title, failed = title, heading = title, about, after, ...frame } = view
  return page({
    ...frame,
    title: filled.errors !== undefined && filled.errors.length > 0 ? failed : title,
    width: 'narrow',
    body: html`<h1>${heading}</h1>
${about}
${accountForm(form, filled, view)}
${after}`,
  })
}

export function sendAccountForm<F extends Fields>(
  { person, send }: SignedInRequest,
  form: Form<F>,
  filled: Rejection & Partial<Filled<ValuesOf<F>>>,
  view: Omit<Parameters<typeof accountFormPage<F>>[2], 'person'>,
): FastifyReply {
  return send(accountFormPage(form, filled, { ...view, person }), filled.status)
}

// Fields that several account forms have. `more` adds to the field.

export function nameField(more: Partial<TextOptions> = {}) {
  const hint = t`Applications that you sign in to can see your name.`
  return textField({ label: t`Name`, autocomplete: 'name', hint, ...more })
}

export function emailField(more: Partial<TextOptions>) {
  return textField({ label: t`Email address`, type: 'email', inputmode: 'email', ...more })
}

export function passwordField(more: Partial<TextOptions> = {}) {
  return textField({ label: t`Password`, type: 'password', autocomplete: 'current-password', ...more })
}

export function newPasswordField(more: Partial<TextOptions> = {}) {
  return passwordField({
    label: t`New password`,
    autocomplete: 'new-password',
    hint: t`At least ${limits.passwordMinCharacters} characters. Spaces are allowed.`,
    ...more,
  })
}

/** With `off`, browsers ask whether the PIN should replace the account's stored password. */
export const digits = { type: 'password', inputmode: 'numeric', autocomplete: 'one-time-code', short: true } as const

export const newPinFields = {
  pin: textField({ ...digits, label: t`New PIN`, hint: t`${limits.pinMinDigits} to ${limits.pinMaxDigits} digits.` }),
  pinAgain: textField({ ...digits, label: t`Repeat new PIN` }),
}

/** Returns the errors of a new PIN whose confirmation differs, or `undefined` if it doesn't. */
export function pinsDiffer({ pin, pinAgain }: { pin: string; pinAgain: string }): FormError[] | undefined {
  if (pin === pinAgain) return undefined
  const malformed = 'fault' in parsePin(pin) ? [{ field: 'pin', message: pinMalformedWords }] : []
  return [...malformed, { field: 'pin_again', message: t`The PINs don’t match. Enter the same one twice.` }]
}

export const confirmEmailFirst = t.html`Confirm your email address first. You can resend the link on <a href="/account">your account page</a>.`

const wait = ({ about }: AccountRefusal) => waitWords(about.retryAfterMs ?? 0)

export const pinMalformedWords = t`A PIN has ${limits.pinMinDigits} to ${limits.pinMaxDigits} digits.`

type Shown = readonly [status: number, text: Words | ((refusal: AccountRefusal) => Words), field?: string]

/** Only the control API sets the IDs at other platforms. */
type FormReason = Exclude<AccountRefusalReason, `${'chat-platform' | 'code-hosting'}-id-${string}`>

/** How forms show refusals: status, text and field. Only sign-up reveals whether an address has an account. */
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
