import type { FastifyReply } from 'fastify'
import { parsePin } from '../domain/accounts/credential-rules.ts'
import * as limits from '../domain/limits/limits.ts'
import { pinMalformedWords } from './account-refusals.ts'
import { button, buttonRow, postForm } from './components/elements.ts'
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
import { type Content, type Html, html, type Text, t } from './html.ts'
import { type PageFrame, page } from './page.ts'
import type { SignedInRequest } from './page-guard.ts'
import { passkeyFault } from './passkey-form.ts'

interface AccountForm<F extends Fields> {
  action: string
  does: Text
  /** Declared fields that this page omits. */
  without?: readonly (keyof F | false)[]
  shown?: ShownFields<F>
  /** The account's email address, under which password managers store the password that the form sets. */
  email?: string | null
  more?: Content
  /** URL that issues the passkey challenge. Only set if a passkey may replace the password. */
  passkeyChallenge?: string | undefined
}

/** Renders a form on an account page: errors, form token, fields and one button. */
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
      /** The heading, if it isn't the title. */
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
