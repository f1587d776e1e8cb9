import { accountForm, type FormErrors, hasErrors } from '../../../pages/account-form.ts'
import { textField } from '../../../pages/components/field.ts'
import { type Html, html } from '../../../pages/html.ts'
import { type Person, page } from '../../../pages/page.ts'
import { accountPlace } from '../../../pages/places.ts'
import { accountFieldWords } from '../../../pages/words/account-form.ts'
import { emailWords } from '../words.ts'

export interface EmailView {
  person: Person
  email: string
  /** Whether a new address takes effect only after the user opens an emailed link. */
  byMail: boolean
  asksPassword: boolean
  errors: FormErrors
}

export function emailPage({ person, email, byMail, asksPassword, errors }: EmailView): Html {
  return page({
    title: hasErrors(errors) ? emailWords.refused : emailWords.title,
    place: accountPlace,
    trail: [{ name: emailWords.heading }],
    person,
    width: 'narrow',
    body: html`<h1>${emailWords.heading}</h1>
<p>${byMail ? emailWords.byMail : emailWords.atOnce}</p>
${accountForm({
  action: '/account/email',
  formToken: person.formToken,
  errors,
  does: byMail ? emailWords.sendLink : emailWords.save,
  fields: [
    textField({
      name: 'email',
      label: emailWords.newEmail,
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
        label: accountFieldWords.password,
        type: 'password',
        autocomplete: 'current-password',
        hint: emailWords.passwordHint,
        error: errors.fields.password,
      }),
  ],
})}`,
  })
}
