import { pinMaxDigits, pinMinDigits } from '../../../domain/limits.ts'
import type { FormErrors } from '../../../http/account-errors.ts'
import { accountForm, hasErrors } from '../../../http/account-form.ts'
import { textField } from '../../../http/components/field.ts'
import { type Html, html } from '../../../http/html.ts'
import { type PageFrame, page } from '../../../http/page.ts'
import { passkeyModules } from '../../../http/passkey-form.ts'
import { identityPlace } from '../../../http/places.ts'

export interface PinView {
  person: NonNullable<PageFrame['person']>
  /** Where the form is sent, with the attempt. */
  action: string
  hasPin: boolean
  asksPassword: boolean
  /** A passkey proves the person where no password is given. */
  takesPasskey: boolean
  /** Name of the application on whose way this is, when there is one. */
  applicationName: string | undefined
  errors: FormErrors
}

export function pinPage(view: PinView): Html {
  const { person, action, hasPin, asksPassword, takesPasskey, applicationName, errors } = view
  const heading = hasPin ? 'Change your PIN' : 'Set a PIN'
  const digits = { type: 'password', inputmode: 'numeric', autocomplete: 'off', short: true } as const
  return page({
    title: hasErrors(errors) ? 'PIN not saved' : heading,
    place: identityPlace,
    person,
    width: 'narrow',
    modules: takesPasskey ? passkeyModules : [],
    body: html`<h1>${heading}</h1>
<p>${applicationName && html`<strong>${applicationName}</strong> asks for something that a PIN protects. `}You enter your PIN before an application reads your personal data or makes changes in your name.</p>
${accountForm({
  action,
  formToken: person.formToken,
  errors,
  does: 'Save PIN',
  fields: [
    textField({
      ...digits,
      name: 'pin',
      label: 'New PIN',
      hint: `${pinMinDigits} to ${pinMaxDigits} digits.`,
      error: errors.fields.pin,
      autofocus: !hasErrors(errors),
    }),
    textField({ ...digits, name: 'pin_again', label: 'The same PIN again', error: errors.fields.pin_again }),
    asksPassword &&
      textField({
        name: 'password',
        label: 'Password',
        type: 'password',
        autocomplete: 'current-password',
        hint: html`It shows that you are the one who sets the PIN.${takesPasskey && html` <span data-passkeys-usable hidden>Leave it empty to be asked for a passkey instead.</span>`}`,
        error: errors.fields.password,
      }),
    takesPasskey &&
      !asksPassword &&
      html`<p>You are asked for your passkey when you save. It shows that you are the one who sets the PIN.</p>
<p data-passkeys-missing>That needs a browser that runs scripts and knows passkeys.</p>`,
  ],
  ...(takesPasskey ? { passkeyChallenge: '/account/pin/challenge' } : {}),
})}`,
  })
}
