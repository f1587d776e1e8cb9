import { accountForm, emailField, nameField, newPasswordField, passwordField } from '../../../pages/account-form.ts'
import { button, buttonRow, postForm } from '../../../pages/components/button.ts'
import { notice } from '../../../pages/components/notice.ts'
import { type Filled, type Form, form, type ValuesOf } from '../../../pages/form.ts'
import { type Html, html, type Text, t, type Words } from '../../../pages/html.ts'
import { page } from '../../../pages/page.ts'
import { passkeyForm, passkeyModules } from '../../../pages/passkey-form.ts'
import { identityPlace } from '../../../pages/places.ts'
import { providerWords } from '../../../pages/words/providers.ts'

export const signInWords = {
  goOn: (application: Text): Words => t.html`You’ll continue to <strong>${application}</strong>.`,
  with: (provider: string): Words => t`Sign in with ${providerWords(provider).is}`,
}

export type Rejected<Of> = Of extends Form<infer F> ? Filled<ValuesOf<F>> : never

interface SignInView {
  formToken: string
  /** Form action. Its query includes the authorization attempt, if any. */
  action: string
  /** URL to which the passkey's signature is posted. Its query includes the authorization attempt, if any. */
  passkeyAction: string
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
  filled: Rejected<typeof signInForm>
}

export const signInForm = form(
  { email: emailField({ autocomplete: 'username webauthn' }), password: passwordField() },
  { showsFirst: true },
)

export function signInPage(view: SignInView): Html {
  const { formToken, action, welcomeAddress, providers, signUpAddress, applicationName, filled } = view
  return page({
    title: filled.errors.length > 0 ? t`Not signed in` : t`Sign in`,
    place: identityPlace,
    formToken,
    width: 'narrow',
    modules: passkeyModules,
    body: html`<h1>${t`Sign in`}</h1>
${welcomeAddress !== null && notice({ tone: 'neutral', body: html`<p>${t`This service is new and has no accounts yet.`} ${t.html`<a href="${welcomeAddress}">Create the first account</a>`}</p>` })}
${view.isReturn && notice({ tone: 'warn', body: t`Your session had ended, so nothing was saved. Sign in to continue.` })}
${applicationName && html`<p>${signInWords.goOn(applicationName)}</p>`}
<div class="card ways">${accountForm(signInForm, filled, { action, does: t`Sign in`, shown: { email: { autofocus: filled.errors.length === 0 } } })}
${passkeyForm({
  ceremony: 'sign-in',
  challenge: '/sign-in/passkey/challenge',
  action: view.passkeyAction,
  body: buttonRow(button({ label: t`Sign in with a passkey`, tone: 'plain' })),
})}
${providerButtons({ does: signInWords.with, providers })}</div>
<div class="stack tight"><p>${t.html`Forgot your password? <a href="${view.passwordLinkAddress}">Set a new one</a>`}</p>
${signUpAddress !== null && html`<p>${t.html`No account yet? <a href="${signUpAddress}">Create one</a>`}</p>`}</div>`,
  })
}

interface SignUpView extends SignUpForm {
  providers: readonly { name: string; action: string }[]
  signInAddress: string
  /** Name of the application that requested the sign-in, if any. */
  applicationName: Text | undefined
}

const signUpWords = {
  with: (provider: string): Words => t`Sign up with ${providerWords(provider).is}`,
  haveAccount: (address: string): Words => t.html`Already have an account? <a href="${address}">Sign in</a>`,
}

export function signUpPage(view: SignUpView): Html {
  const { formToken, providers, signInAddress, applicationName, filled } = view
  return page({
    title: filled.errors.length > 0 ? t`Account not created` : t`Create an account`,
    place: identityPlace,
    formToken,
    width: 'narrow',
    body: html`<h1>${t`Create an account`}</h1>
${applicationName && html`<p>${signInWords.goOn(applicationName)}</p>`}
<div class="card ways">${signUpForm(view)}
${providerButtons({ does: signUpWords.with, providers })}</div>
<p>${signUpWords.haveAccount(signInAddress)}</p>`,
  })
}

/** Renders the page shown instead of the form if sign-up is closed. */
export function signUpClosedPage(signInAddress: string): Html {
  return page({
    title: t`Sign-up is closed`,
    place: identityPlace,
    width: 'narrow',
    body: html`<h1>${t`Sign-up is closed`}</h1>
<p>${t`Ask the operator for an account.`}</p>
<p>${signUpWords.haveAccount(signInAddress)}</p>`,
  })
}

export const signUpFields = form(
  {
    name: nameField(),
    email: emailField({ autocomplete: 'username' }),
    password: newPasswordField({ label: t`Password` }),
  },
  { showsFirst: true },
)

export interface SignUpForm {
  formToken: string
  /** Form action. Its query includes the authorization attempt, if any. */
  action: string
  filled: Rejected<typeof signUpFields>
}

export function signUpForm({ action, filled }: SignUpForm): Html {
  const shown = { name: { autofocus: filled.errors.length === 0 } }
  return accountForm(signUpFields, filled, { action, does: t`Create account`, shown })
}

interface ProviderButtons {
  does: (provider: string) => Text
  providers: readonly { name: string; action: string }[]
}

/** Renders one form per provider. */
function providerButtons({ does, providers }: ProviderButtons): Html[] {
  return providers.map(({ name, action }) =>
    postForm({ action }, buttonRow(button({ label: does(name), tone: 'plain' }))),
  )
}
