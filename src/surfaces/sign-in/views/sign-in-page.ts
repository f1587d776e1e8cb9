import type { FormErrors } from '../../../http/account-errors.ts'
import { accountForm, hasErrors } from '../../../http/account-form.ts'
import { button, buttonRow } from '../../../http/components/button.ts'
import { textField } from '../../../http/components/field.ts'
import { type Html, html } from '../../../http/html.ts'
import { page } from '../../../http/page.ts'
import { passkeyForm, passkeyModules } from '../../../http/passkey-form.ts'
import { identityPlace } from '../../../http/places.ts'
import { providerButtons } from './provider-buttons.ts'

export interface SignInView {
  formToken: string
  /** Where the form is sent, with the attempt. */
  action: string
  /** Where a passkey's signature is sent, with the attempt. */
  passkeyAction: string
  /** Where else people have accounts to sign in with, and where the form of each is sent, with the attempt. */
  providers: readonly { name: string; action: string }[]
  /** Null when the service takes no new accounts. */
  signUpAddress: string | null
  /** Name of the application that asks the person to sign in, when one does. */
  applicationName: string | undefined
  email: string
  errors: FormErrors
}

export function signInPage(view: SignInView): Html {
  const { formToken, action, passkeyAction, providers, signUpAddress, applicationName, email, errors } = view
  return page({
    title: hasErrors(errors) ? 'Not signed in' : 'Sign in',
    place: identityPlace,
    width: 'narrow',
    modules: passkeyModules,
    body: html`<h1>Sign in</h1>
${applicationName && html`<p>You go on to <strong>${applicationName}</strong> afterwards.</p>`}
${accountForm({
  action,
  formToken,
  errors,
  does: 'Sign in',
  fields: [
    textField({
      name: 'email',
      label: 'E-mail address',
      type: 'email',
      inputmode: 'email',
      autocomplete: 'username webauthn',
      value: email,
      autofocus: !hasErrors(errors),
    }),
    textField({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' }),
  ],
})}
${passkeyForm({
  ceremony: 'sign-in',
  challenge: '/sign-in/passkey/challenge',
  action: passkeyAction,
  formToken,
  body: buttonRow(button({ label: 'Sign in with a passkey', tone: 'plain' })),
})}
${providerButtons({ does: 'Sign in', providers, formToken })}
<p>Forgotten your password? <a href="/forgot-password">Set a new one</a></p>
${signUpAddress !== null && html`<p>No account yet? <a href="${signUpAddress}">Create one</a></p>`}`,
  })
}
