import { accountForm, type FormErrors, hasErrors } from '../../../pages/account-form.ts'
import { button, buttonRow } from '../../../pages/components/button.ts'
import { textField } from '../../../pages/components/field.ts'
import { notice } from '../../../pages/components/notice.ts'
import { type Html, html, type Text } from '../../../pages/html.ts'
import { page } from '../../../pages/page.ts'
import { passkeyForm, passkeyModules } from '../../../pages/passkey-form.ts'
import { identityPlace } from '../../../pages/places.ts'
import { accountFieldWords } from '../../../pages/words/account-form.ts'
import { welcomeWords } from '../welcome-words.ts'
import { signInWords } from '../words.ts'
import { providerButtons } from './provider-buttons.ts'

export interface SignInView {
  formToken: string
  /** Form action. Its query includes the authorization attempt, if any. */
  action: string
  /** URL to which the passkey's signature is posted. Its query includes the authorization attempt, if any. */
  passkeyAction: string
  /** Providers, each with its form action. */
  providers: readonly { name: string; action: string }[]
  /** URL of the page for creating the first account. `null` if an account exists. */
  welcomeAddress: string | null
  passwordLinkAddress: string
  /** URL of the sign-up page. `null` if sign-up is closed. */
  signUpAddress: string | null
  /** Name of the application that requested the sign-in, if any. */
  applicationName: Text | undefined
  /** Whether the user submitted a form after their session had ended. If so, its input is stored. */
  isReturn: boolean
  email: string
  errors: FormErrors
}

export function signInPage(view: SignInView): Html {
  const {
    formToken,
    action,
    passkeyAction,
    welcomeAddress,
    providers,
    passwordLinkAddress,
    signUpAddress,
    applicationName,
    isReturn,
    email,
    errors,
  } = view
  return page({
    title: hasErrors(errors) ? signInWords.refused : signInWords.title,
    place: identityPlace,
    width: 'narrow',
    modules: passkeyModules,
    body: html`<h1>${signInWords.title}</h1>
${welcomeAddress !== null && notice({ tone: 'neutral', body: html`<p>${welcomeWords.isNew} ${welcomeWords.begin(welcomeAddress)}</p>` })}
${isReturn && notice({ tone: 'warn', body: signInWords.late })}
${applicationName && html`<p>${signInWords.goOn(applicationName)}</p>`}
${accountForm({
  action,
  formToken,
  errors,
  does: signInWords.does,
  fields: [
    textField({
      name: 'email',
      label: accountFieldWords.email,
      type: 'email',
      inputmode: 'email',
      autocomplete: 'username webauthn',
      value: email,
      autofocus: !hasErrors(errors),
    }),
    textField({
      name: 'password',
      label: accountFieldWords.password,
      type: 'password',
      autocomplete: 'current-password',
    }),
  ],
})}
<div class="stack tight ways">${passkeyForm({
      ceremony: 'sign-in',
      challenge: '/sign-in/passkey/challenge',
      action: passkeyAction,
      formToken,
      body: buttonRow(button({ label: signInWords.byPasskey, tone: 'plain' })),
    })}
${providerButtons({ does: signInWords.with, providers, formToken })}</div>
<div class="stack tight"><p>${signInWords.forgotten(passwordLinkAddress)}</p>
${signUpAddress !== null && html`<p>${signInWords.noAccount(signUpAddress)}</p>`}</div>`,
  })
}
