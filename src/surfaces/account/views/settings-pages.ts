import {
  accountForm,
  emailField,
  type FormErrors,
  hasErrors,
  nameField,
  newPasswordField,
  passwordField,
} from '../../../pages/account-form.ts'
import { type Html, html, t } from '../../../pages/html.ts'
import { type Person, page } from '../../../pages/page.ts'
import { accountParts, accountPlace } from '../../../pages/places.ts'

interface NameView {
  person: Person
  name: string
  errors: FormErrors
}

export function namePage({ person, name, errors }: NameView): Html {
  return page({
    title: hasErrors(errors) ? t`Name not changed` : t`Change your name`,
    place: accountPlace,
    trail: [{ name: t`Change your name` }],
    person,
    width: 'narrow',
    body: html`<h1>${t`Change your name`}</h1>
${accountForm({
  action: '/account/name',
  errors,
  does: t`Save name`,
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
    title: hasErrors(errors) ? t`Email address not changed` : t`Change your email address`,
    place: accountPlace,
    trail: [{ name: t`Change your email address` }],
    person,
    width: 'narrow',
    body: html`<h1>${t`Change your email address`}</h1>
<p>${byMail ? t`We’ll send a link to the new address. Until you open it, sign in with the current address.` : t`After you save, sign in with the new address.`}</p>
${accountForm({
  action: '/account/email',
  errors,
  does: byMail ? t`Send link` : t`Save email address`,
  fields: [
    emailField(errors, {
      label: t`New email address`,
      autocomplete: 'email',
      value: email,
      autofocus: !hasErrors(errors),
    }),
    asksPassword && passwordField(errors, { hint: t`Enter your password to confirm that it’s you.` }),
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
  const heading = hasPassword ? t`Change your password` : t`Set a password`
  return page({
    title: hasErrors(errors) ? t`Password not saved` : heading,
    place: accountPlace,
    trail: [accountParts.security, { name: heading }],
    person,
    width: 'narrow',
    body: html`<h1>${heading}</h1>
<p>${t`You stay signed in here. All other browsers are signed out.`}</p>
${accountForm({
  action: '/account/password',
  errors,
  does: t`Save password`,
  fields: [
    hasPassword &&
      passwordField(errors, {
        name: 'current_password',
        label: t`Current password`,
        error: errors.fields.current_password,
        autofocus: !hasErrors(errors),
      }),
    newPasswordField(errors),
  ],
})}
${hasPassword && html`<p>${t.html`Forgot your password? <a href="/forgot-password">Get a link to set a new one</a>`}</p>`}`,
  })
}
