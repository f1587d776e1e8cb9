import type { FastifyReply, FastifyRequest } from 'fastify'
import { AccountRefusal, type AccountRefusalReason } from '../domain/accounts/account-refusal.ts'
import { parsePin } from '../domain/accounts/credential-rules.ts'
import * as limits from '../domain/limits/limits.ts'
import { button, buttonRow } from './components/button.ts'
import { type TextField, textField } from './components/field.ts'
import { errorSummary, notice } from './components/notice.ts'
import { formText } from './form-posts.ts'
import { formTokenField, type Html, html, type Text, t } from './html.ts'
import { passkeyFault } from './passkey-form.ts'
import { accountErrorWords, pinMalformedWords } from './words/account-form.ts'

/** Renders a form on an account page: errors, form token, fields and one button. */
export function accountForm(form: {
  action: string
  fields: readonly (Html | false)[]
  /** The button's label. */
  does: Text
  errors: FormErrors
  /** URL that issues the passkey challenge. Only set if a passkey may replace the password. */
  passkeyChallenge?: string
}): Html {
  const { action, fields, does, errors, passkeyChallenge } = form
  // A form with only one field needs no summary, because its error is shown next to the field.
  const summary = fields.length > 1 && errorSummary(fieldFaults(errors))
  return html`${errors.form !== undefined && notice({ tone: 'bad', body: errors.form })}
${summary}
<form class="card" method="post" action="${action}"${passkeyChallenge !== undefined && html` data-passkey-proof="${passkeyChallenge}"`}>
${formTokenField}
${passkeyChallenge !== undefined && html`<input type="hidden" name="passkey" value="">${passkeyFault('proof')}`}
${fields}
${buttonRow(button({ label: does, tone: 'primary' }))}
</form>`
}

/** Returns whether the form has errors. If so, the page gets a different title. */
export function hasErrors(errors: FormErrors): boolean {
  return errors.form !== undefined || fieldFaults(errors).length > 0
}

// Fields that several account forms have, with their errors. `more` adds to the field.

export function nameField(errors: FormErrors, more: Partial<TextField>): Html {
  return textField({
    name: 'name',
    label: t`Name`,
    autocomplete: 'name',
    hint: t`Applications that you sign in to can see your name.`,
    error: errors.fields.name,
    ...more,
  })
}

export function emailField(errors: FormErrors, more: Partial<TextField>): Html {
  const error = errors.fields.email
  return textField({ name: 'email', label: t`Email address`, type: 'email', inputmode: 'email', error, ...more })
}

/** Renders the field for the user's present password. */
export function passwordField(errors: FormErrors, more: Partial<TextField> = {}): Html {
  const [label, error] = [t`Password`, errors.fields.password]
  return textField({ name: 'password', label, type: 'password', autocomplete: 'current-password', error, ...more })
}

export function newPasswordField(errors: FormErrors, more: Partial<TextField> = {}): Html {
  return passwordField(errors, {
    label: t`New password`,
    autocomplete: 'new-password',
    hint: t`At least ${limits.passwordMinCharacters} characters. Spaces are allowed.`,
    ...more,
  })
}

/** Renders the fields for a new PIN, which the user enters twice. */
export function newPinFields(errors: FormErrors): Html[] {
  const digits = { type: 'password', inputmode: 'numeric', autocomplete: 'off', short: true } as const
  const autofocus = !hasErrors(errors)
  return [
    textField({
      ...digits,
      name: 'pin',
      label: t`New PIN`,
      hint: t`${limits.pinMinDigits} to ${limits.pinMaxDigits} digits.`,
      error: errors.fields.pin,
      autofocus,
    }),
    textField({ ...digits, name: 'pin_again', label: t`Repeat new PIN`, error: errors.fields.pin_again }),
  ]
}

/** Field names in the account page forms. */
export type AccountField = 'name' | 'email' | 'current_password' | 'password' | 'pin' | 'pin_again' | 'scope' | 'days'

interface AccountError {
  status: 403 | 404 | 422 | 429 | 503
  /** The field next to which the error is shown. If absent, the error is shown above the form. */
  field?: AccountField
}

/** HTTP status and field for each refusal. The error messages are in `words/account-form.ts`. */
const accountErrors: Record<AccountRefusalReason, AccountError> = {
  'sign-up-closed': { status: 403 },
  'name-missing': { status: 422, field: 'name' },
  'name-too-long': { status: 422, field: 'name' },
  'email-missing': { status: 422, field: 'email' },
  'email-malformed': { status: 422, field: 'email' },
  'email-unconfirmed': { status: 403 },
  'email-taken': { status: 422, field: 'email' },
  'password-too-short': { status: 422, field: 'password' },
  'password-too-long': { status: 422, field: 'password' },
  'password-well-known': { status: 422, field: 'password' },
  'password-wrong': { status: 422, field: 'password' },
  'current-password-wrong': { status: 422, field: 'current_password' },
  'credentials-wrong': { status: 422 },
  'slow-down': { status: 429 },
  busy: { status: 503 },
  'pin-malformed': { status: 422, field: 'pin' },
  'pin-not-set': { status: 422, field: 'pin' },
  'pin-wrong': { status: 422, field: 'pin' },
  'pin-locked': { status: 429 },
  'unlock-first': { status: 403 },
  'chat-platform-id-malformed': { status: 422 },
  'chat-platform-id-taken': { status: 422 },
  'code-hosting-id-malformed': { status: 422 },
  'code-hosting-id-taken': { status: 422 },
  'link-invalid': { status: 404 },
  'sign-in-first': { status: 403 },
  'too-many-sign-ups': { status: 429 },
  'too-many-mails': { status: 429 },
  'user-unknown': { status: 404 },
  'user-disabled': { status: 403 },
}

/** A form's errors. Each error in `fields` is shown next to its field, and `form` is shown above all fields. */
export interface FormErrors {
  fields: Partial<Record<AccountField, Text>>
  form: Text | undefined
}

/** Returns the field errors as a list, for the error summary. */
function fieldFaults(errors: FormErrors): { field: string; message: Text }[] {
  return Object.entries(errors.fields).map(([field, message]) => ({ field, message }))
}

/** Returns the response to a form in which the new PIN and its confirmation differ, with every error of both. */
export function pinsDiffer(request: FastifyRequest): FormResult | undefined {
  const pin = formText(request, 'pin')
  if (pin === formText(request, 'pin_again')) return undefined
  const malformed = 'fault' in parsePin(pin) && { pin: pinMalformedWords }
  return {
    status: 422,
    errors: {
      fields: { ...malformed, pin_again: t`The PINs don’t match. Enter the same one twice.` },
      form: undefined,
    },
  }
}

/** HTTP status of a page with a form, and the errors shown in the form. */
export interface FormResult {
  status: number
  errors: FormErrors
}

/** The status and errors of a page whose form hasn't been submitted yet. */
export const noErrors: FormResult = { status: 200, errors: { fields: {}, form: undefined } }

/** Logs a refusal and returns its status and errors. Rethrows any other error. */
export function refusedForm(
  error: unknown,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  message: string,
  fields: object = {},
): FormResult {
  if (!(error instanceof AccountRefusal)) throw error
  request.log.info({ reasons: error.reasons, ...fields }, message)
  return resultOfRefusal(reply, error)
}

/** Returns the status and errors for a refusal. Sets `Retry-After` if the user has to wait. */
export function resultOfRefusal(reply: FastifyReply, refusal: AccountRefusal): FormResult {
  if (refusal.retryAfterMs !== undefined) {
    reply.header('retry-after', String(Math.max(1, Math.ceil(refusal.retryAfterMs / 1_000))))
  }
  const errors: FormErrors = { fields: {}, form: undefined }
  for (const reason of refusal.reasons) {
    const { field } = accountErrors[reason]
    const said = accountErrorWords[reason]
    const text = typeof said === 'function' ? said(refusal) : said
    if (field === undefined) errors.form ??= text
    else errors.fields[field] ??= text
  }
  return { status: accountErrors[refusal.reason].status, errors }
}
