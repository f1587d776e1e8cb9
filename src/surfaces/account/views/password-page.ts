import { accountForm, type FormErrors, hasErrors } from '../../../pages/account-form.ts'
import { textField } from '../../../pages/components/field.ts'
import { type Html, html } from '../../../pages/html.ts'
import { type Person, page } from '../../../pages/page.ts'
import { accountParts, accountPlace } from '../../../pages/places.ts'
import { accountFieldWords } from '../../../pages/words/account-form.ts'
import { passwordWords } from '../words.ts'

export interface PasswordView {
  person: Person
  hasPassword: boolean
  errors: FormErrors
}

export function passwordPage({ person, hasPassword, errors }: PasswordView): Html {
  const heading = hasPassword ? passwordWords.change : passwordWords.set
  return page({
    title: hasErrors(errors) ? passwordWords.refused : heading,
    place: accountPlace,
    trail: [accountParts.security, { name: heading }],
    person,
    width: 'narrow',
    body: html`<h1>${heading}</h1>
<p>${passwordWords.about}</p>
${accountForm({
  action: '/account/password',
  formToken: person.formToken,
  errors,
  does: passwordWords.does,
  fields: [
    hasPassword &&
      textField({
        name: 'current_password',
        label: passwordWords.current,
        type: 'password',
        autocomplete: 'current-password',
        error: errors.fields.current_password,
        autofocus: !hasErrors(errors),
      }),
    textField({
      name: 'password',
      label: accountFieldWords.newPassword,
      type: 'password',
      autocomplete: 'new-password',
      hint: accountFieldWords.passwordHint,
      error: errors.fields.password,
    }),
  ],
})}
${hasPassword && html`<p>${passwordWords.forgotten}</p>`}`,
  })
}
