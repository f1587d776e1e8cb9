import { passwordMinCharacters } from '../../../domain/limits.ts'
import type { FormErrors } from '../../../http/account-errors.ts'
import { accountForm, hasErrors } from '../../../http/account-form.ts'
import { textField } from '../../../http/components/field.ts'
import { type Html, html } from '../../../http/html.ts'
import { type PageFrame, page } from '../../../http/page.ts'
import { identityPlace } from '../../../http/places.ts'

export interface PasswordView {
  person: NonNullable<PageFrame['person']>
  hasPassword: boolean
  errors: FormErrors
}

export function passwordPage({ person, hasPassword, errors }: PasswordView): Html {
  const heading = hasPassword ? 'Change your password' : 'Set a password'
  return page({
    title: hasErrors(errors) ? 'Password not saved' : heading,
    place: identityPlace,
    person,
    width: 'narrow',
    body: html`<a class="back" href="/account">Your account</a>
<h1>${heading}</h1>
<p>You stay signed in here, and are signed out everywhere else.</p>
${accountForm({
  action: '/account/password',
  formToken: person.formToken,
  errors,
  does: 'Save password',
  fields: [
    hasPassword &&
      textField({
        name: 'current_password',
        label: 'Password as it is now',
        type: 'password',
        autocomplete: 'current-password',
        error: errors.fields.current_password,
        autofocus: !hasErrors(errors),
      }),
    textField({
      name: 'password',
      label: 'New password',
      type: 'password',
      autocomplete: 'new-password',
      hint: `At least ${passwordMinCharacters} characters. Spaces are welcome.`,
      error: errors.fields.password,
    }),
  ],
})}
${hasPassword && html`<p>Forgotten it? <a href="/forgot-password">Get a link to set a new one</a></p>`}`,
  })
}
