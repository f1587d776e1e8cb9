import type { FormErrors } from '../../../http/account-errors.ts'
import { accountForm, hasErrors } from '../../../http/account-form.ts'
import { textField } from '../../../http/components/field.ts'
import { type Html, html } from '../../../http/html.ts'
import { type PageFrame, page } from '../../../http/page.ts'
import { identityPlace } from '../../../http/places.ts'

export interface UnlockView {
  person: NonNullable<PageFrame['person']>
  /** Where the form is sent, with the attempt. */
  action: string
  /** Where a forgotten PIN is replaced, and what proves the person there; null for one who has nothing to. */
  replacing: { by: 'password' | 'passkey'; address: string } | null
  /** Name of the application on whose way this is, when there is one. */
  applicationName: string | undefined
  errors: FormErrors
}

export function unlockPage({ person, action, replacing, applicationName, errors }: UnlockView): Html {
  return page({
    title: hasErrors(errors) ? 'Not unlocked' : 'Unlock with your PIN',
    place: identityPlace,
    person,
    width: 'narrow',
    body: html`<h1>Unlock with your PIN</h1>
${
  applicationName
    ? html`<p><strong>${applicationName}</strong> asks for something that your PIN protects. Nothing is shared before you allow it.</p>`
    : html`<p>Your PIN protects your personal data and changes made in your name.</p>`
}
${accountForm({
  action,
  formToken: person.formToken,
  errors,
  does: 'Unlock',
  fields: [
    textField({
      name: 'pin',
      label: 'PIN',
      type: 'password',
      inputmode: 'numeric',
      autocomplete: 'off',
      short: true,
      error: errors.fields.pin,
      autofocus: true,
    }),
  ],
})}
${replacing !== null && html`<p>Forgotten it? <a href="${replacing.address}">Set a new PIN with your ${replacing.by}</a></p>`}`,
  })
}
