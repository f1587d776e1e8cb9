import {
  accountForm,
  emailField,
  type FormErrors,
  hasErrors,
  nameField,
  newPasswordField,
  passwordField,
} from '../../../pages/account-form.ts'
import { type Html, html } from '../../../pages/html.ts'
import { type Person, page } from '../../../pages/page.ts'
import { accountParts, accountPlace } from '../../../pages/places.ts'
import { emailWords, nameWords, passwordWords } from '../words.ts'

interface NameView {
  person: Person
  name: string
  errors: FormErrors
}

export function namePage({ person, name, errors }: NameView): Html {
  return page({
    title: hasErrors(errors) ? nameWords.refused : nameWords.title,
    place: accountPlace,
    trail: [{ name: nameWords.title }],
    person,
    width: 'narrow',
    body: html`<h1>${nameWords.title}</h1>
${accountForm({
  action: '/account/name',
  errors,
  does: nameWords.does,
  fields: [nameField(errors, { value: name, autofocus: true })],
})}`,
  })
}

interface EmailView {
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
  errors,
  does: byMail ? emailWords.sendLink : emailWords.save,
  fields: [
    emailField(errors, {
      label: emailWords.newEmail,
      autocomplete: 'email',
      value: email,
      autofocus: !hasErrors(errors),
    }),
    asksPassword && passwordField(errors, { hint: emailWords.passwordHint }),
  ],
})}`,
  })
}

interface PasswordView {
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
  errors,
  does: passwordWords.does,
  fields: [
    hasPassword &&
      passwordField(errors, {
        name: 'current_password',
        label: passwordWords.current,
        error: errors.fields.current_password,
        autofocus: !hasErrors(errors),
      }),
    newPasswordField(errors),
  ],
})}
${hasPassword && html`<p>${passwordWords.forgotten}</p>`}`,
  })
}
