import { passwordMinCharacters } from '../../../domain/limits.ts'
import type { FormErrors } from '../../../http/account-errors.ts'
import { accountForm, hasErrors } from '../../../http/account-form.ts'
import { textField } from '../../../http/components/field.ts'
import { type Html, html } from '../../../http/html.ts'
import { page } from '../../../http/page.ts'
import { identityPlace } from '../../../http/places.ts'
import { providerButtons } from './provider-buttons.ts'

export interface SignUpView {
  formToken: string
  /** Where the form is sent, with the attempt. */
  action: string
  /** Where else people have accounts to sign up with, and where the form of each is sent, with the attempt. */
  providers: readonly { name: string; action: string }[]
  signInAddress: string
  /** Name of the application that asks the person to sign in, when one does. */
  applicationName: string | undefined
  name: string
  email: string
  errors: FormErrors
}

export function signUpPage(view: SignUpView): Html {
  const { formToken, action, providers, signInAddress, applicationName, name, email, errors } = view
  return page({
    title: hasErrors(errors) ? 'Account not created' : 'Create an account',
    place: identityPlace,
    width: 'narrow',
    body: html`<h1>Create an account</h1>
${applicationName && html`<p>You go on to <strong>${applicationName}</strong> afterwards.</p>`}
${accountForm({
  action,
  formToken,
  errors,
  does: 'Create account',
  fields: [
    textField({
      name: 'name',
      label: 'Name',
      autocomplete: 'name',
      hint: 'Applications that you sign in to can see it.',
      value: name,
      error: errors.fields.name,
      autofocus: !hasErrors(errors),
    }),
    textField({
      name: 'email',
      label: 'E-mail address',
      type: 'email',
      inputmode: 'email',
      autocomplete: 'username',
      value: email,
      error: errors.fields.email,
    }),
    textField({
      name: 'password',
      label: 'Password',
      type: 'password',
      autocomplete: 'new-password',
      hint: `At least ${passwordMinCharacters} characters. Spaces are welcome.`,
      error: errors.fields.password,
    }),
  ],
})}
${providerButtons({ does: 'Sign up', providers, formToken })}
<p>You have an account? <a href="${signInAddress}">Sign in</a></p>`,
  })
}

/** Instead of the form, where the operator makes the accounts. */
export function signUpClosedPage(signInAddress: string): Html {
  return page({
    title: 'Sign-up is closed',
    place: identityPlace,
    width: 'narrow',
    body: html`<h1>Sign-up is closed</h1>
<p>New accounts are made by whoever runs this service. Ask them for one.</p>
<p>You have an account? <a href="${signInAddress}">Sign in</a></p>`,
  })
}
