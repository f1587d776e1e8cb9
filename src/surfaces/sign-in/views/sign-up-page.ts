import type { FormErrors } from '../../../http/account-errors.ts'
import { accountForm, hasErrors } from '../../../http/account-form.ts'
import { textField } from '../../../http/components/field.ts'
import { type Html, html } from '../../../http/html.ts'
import { page } from '../../../http/page.ts'
import { identityPlace } from '../../../http/places.ts'
import { accountFieldWords, signInWords, signUpWords } from '../../../http/words/sign-in.ts'
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
    title: hasErrors(errors) ? signUpWords.refused : signUpWords.title,
    place: identityPlace,
    width: 'narrow',
    body: html`<h1>${signUpWords.title}</h1>
${applicationName && html`<p>${signInWords.goOn(applicationName)}</p>`}
${accountForm({
  action,
  formToken,
  errors,
  does: signUpWords.does,
  fields: [
    textField({
      name: 'name',
      label: accountFieldWords.name,
      autocomplete: 'name',
      hint: accountFieldWords.nameHint,
      value: name,
      error: errors.fields.name,
      autofocus: !hasErrors(errors),
    }),
    textField({
      name: 'email',
      label: accountFieldWords.email,
      type: 'email',
      inputmode: 'email',
      autocomplete: 'username',
      value: email,
      error: errors.fields.email,
    }),
    textField({
      name: 'password',
      label: accountFieldWords.password,
      type: 'password',
      autocomplete: 'new-password',
      hint: accountFieldWords.passwordHint,
      error: errors.fields.password,
    }),
  ],
})}
${providerButtons({ does: signUpWords.with, providers, formToken })}
<p>${signUpWords.haveAccount(signInAddress)}</p>`,
  })
}

/** Instead of the form, where the operator makes the accounts. */
export function signUpClosedPage(signInAddress: string): Html {
  return page({
    title: signUpWords.closed,
    place: identityPlace,
    width: 'narrow',
    body: html`<h1>${signUpWords.closed}</h1>
<p>${signUpWords.closedWhy}</p>
<p>${signUpWords.haveAccount(signInAddress)}</p>`,
  })
}
