import { hasErrors } from '../../../pages/account-form.ts'
import { type Html, html, type Text } from '../../../pages/html.ts'
import { page } from '../../../pages/page.ts'
import { identityPlace } from '../../../pages/places.ts'
import { signInWords, signUpWords } from '../words.ts'
import { providerButtons } from './provider-buttons.ts'
import { type SignUpForm, signUpForm } from './sign-up-form.ts'

export interface SignUpView extends SignUpForm {
  /** Providers, each with its form action. */
  providers: readonly { name: string; action: string }[]
  signInAddress: string
  /** Name of the application that requested the sign-in, if any. */
  applicationName: Text | undefined
}

export function signUpPage(view: SignUpView): Html {
  const { formToken, providers, signInAddress, applicationName, errors } = view
  return page({
    title: hasErrors(errors) ? signUpWords.refused : signUpWords.title,
    place: identityPlace,
    width: 'narrow',
    body: html`<h1>${signUpWords.title}</h1>
${applicationName && html`<p>${signInWords.goOn(applicationName)}</p>`}
${signUpForm(view)}
${providerButtons({ does: signUpWords.with, providers, formToken })}
<p>${signUpWords.haveAccount(signInAddress)}</p>`,
  })
}

/** Renders the page shown instead of the form if sign-up is closed. */
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
