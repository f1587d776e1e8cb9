import type { FormErrors } from '../../../http/account-errors.ts'
import { accountForm, hasErrors } from '../../../http/account-form.ts'
import { textField } from '../../../http/components/field.ts'
import { type Html, html } from '../../../http/html.ts'
import { type PageFrame, page } from '../../../http/page.ts'
import { identityPlace } from '../../../http/places.ts'

export interface EmailView {
  person: NonNullable<PageFrame['person']>
  email: string
  /** Whether the new address takes the place of the old one only once a link sent there was followed. */
  byMail: boolean
  asksPassword: boolean
  errors: FormErrors
}

export function emailPage({ person, email, byMail, asksPassword, errors }: EmailView): Html {
  return page({
    title: hasErrors(errors) ? 'E-mail address not changed' : 'Change your e-mail address',
    place: identityPlace,
    person,
    width: 'narrow',
    body: html`<a class="back" href="/account">Your account</a>
<h1>Change your address</h1>
<p>${
      byMail
        ? 'A link is sent to the new address. Until you follow it, you sign in with the one you have.'
        : 'You sign in with it from now on.'
    }</p>
${accountForm({
  action: '/account/email',
  formToken: person.formToken,
  errors,
  does: byMail ? 'Send the link' : 'Save e-mail address',
  fields: [
    textField({
      name: 'email',
      label: 'New e-mail address',
      type: 'email',
      inputmode: 'email',
      autocomplete: 'email',
      value: email,
      error: errors.fields.email,
      autofocus: !hasErrors(errors),
    }),
    asksPassword &&
      textField({
        name: 'password',
        label: 'Password',
        type: 'password',
        autocomplete: 'current-password',
        hint: 'It shows that you are the one who changes the address.',
        error: errors.fields.password,
      }),
  ],
})}`,
  })
}
