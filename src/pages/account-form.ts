import { type FormErrors, fieldFaults } from './account-errors.ts'
import { button, buttonRow } from './components/button.ts'
import { errorSummary } from './components/error-summary.ts'
import { notice } from './components/notice.ts'
import { type Html, html, type Text } from './html.ts'
import { passkeyFault } from './passkey-form.ts'

/** Renders a form on an account page: errors, form token, fields and one button. */
export function accountForm(form: {
  action: string
  formToken: string
  fields: readonly (Html | false)[]
  /** The button's label. */
  does: Text
  errors: FormErrors
  /** URL that issues the passkey challenge. Only set if a passkey may replace the password. */
  passkeyChallenge?: string
}): Html {
  const { action, formToken, fields, does, errors, passkeyChallenge } = form
  // A form with only one field needs no summary, because its error is shown next to the field.
  const summary = fields.length > 1 && errorSummary(fieldFaults(errors))
  return html`${errors.form !== undefined && notice({ tone: 'bad', body: errors.form })}
${summary}
<form class="card" method="post" action="${action}"${passkeyChallenge !== undefined && html` data-passkey-proof="${passkeyChallenge}"`}>
<input type="hidden" name="form_token" value="${formToken}">
${passkeyChallenge !== undefined && html`<input type="hidden" name="passkey" value="">${passkeyFault('proof')}`}
${fields}
${buttonRow(button({ label: does, tone: 'primary' }))}
</form>`
}

/** Returns whether the form has errors. If so, the page gets a different title. */
export function hasErrors(errors: FormErrors): boolean {
  return errors.form !== undefined || fieldFaults(errors).length > 0
}
