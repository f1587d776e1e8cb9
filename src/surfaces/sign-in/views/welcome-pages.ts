import { linkButton } from '../../../pages/components/button.ts'
import { card } from '../../../pages/components/card.ts'
import { copyField } from '../../../pages/components/copy-field.ts'
import { type Html, html, type Text, t } from '../../../pages/html.ts'
import { type Person, page } from '../../../pages/page.ts'
import { accountPlace, identityPlace } from '../../../pages/places.ts'
import { signInWords } from '../words.ts'
import { type SignUpForm, signUpForm } from './sign-in-pages.ts'

interface WelcomeView {
  /** The form, with its input and errors. `null` if sign-up is closed. */
  form: SignUpForm | null
  /** Shell command for creating an account if sign-up is closed. */
  makeAccountLine: string
  /** Name of the application that requested the sign-in, if any. */
  applicationName: Text | undefined
}

/** Renders the start page. Shown as long as there are no accounts. */
export function welcomePage({ form, makeAccountLine, applicationName }: WelcomeView): Html {
  return page({
    title: form !== null && form.filled.errors.length > 0 ? t`Account not created` : t`Welcome to Gatehouse`,
    place: identityPlace,
    ...(form && { formToken: form.formToken }),
    width: 'narrow',
    body: html`<h1>${t`Welcome to Gatehouse`}</h1>
${
  form === null
    ? html`<p>${t`This service is new and has no accounts yet.`}</p><p>${t`Sign-up is closed. Create accounts through the control API. Run this in the folder where Gatehouse was started:`}</p>${copyField({ label: t`Create an account`, text: makeAccountLine })}`
    : html`<p>${t`This service is new and has no accounts yet.`} ${t`Create the first account, register an application and add a bot. It takes about two minutes.`}</p>
${applicationName && html`<p>${signInWords.goOn(applicationName)}</p>`}
${signUpForm(form)}
<p class="soft small">${t`The first account has no special rights. Administration requires the operator key.`}</p>`
}`,
  })
}

interface FirstStepsView {
  person: Person
  registerAddress: string
  makeBotLine: string
  /** Shell command that creates a flow for the bot that `makeBotLine` creates. */
  makeFlowLine: string
}

/** Renders the next steps. Shown as long as the first account is the only one. */
export function firstStepsPage({ person, registerAddress, makeBotLine, makeFlowLine }: FirstStepsView): Html {
  return page({
    title: t`Welcome to Gatehouse`,
    place: accountPlace,
    person,
    body: html`<div class="stack tight"><h1>${t`Welcome, ${person.name}`}</h1><p>${t`Your account is ready. This page disappears once a second person has an account.`}</p></div>
${card({
  id: 'application',
  title: t`1. Your first application`,
  body: html`<p>${t`An application lets users sign in with their account here. To build on your own machine, choose the Development environment.`}</p>
<div class="buttons">${linkButton({ label: t`Register an application`, href: registerAddress, tone: 'primary' })}</div>`,
})}
${card({
  id: 'bot',
  title: t`2. Your first bot`,
  body: html`<p>${t`Create bots through the control API, with the operator key. Run this in the folder where Gatehouse was started:`}</p>
${copyField({ label: t`Create a bot`, text: makeBotLine, testId: 'make-bot' })}
${copyField({ label: t`Add a webhook`, text: makeFlowLine, testId: 'make-flow' })}
<p>${t`Then open your bot. Under Flows you find the webhook URL and can send a test. Under Runtimes you create the key for the program that runs the bot.`}</p>
<div class="buttons">${linkButton({ label: t`View your bots`, href: '/bots', tone: 'plain' })}</div>`,
})}
${card({
  id: 'pin',
  title: t`3. Your PIN`,
  body: html`<p>${t`You enter it before an application can read your personal data. Set it now, or when you first need it.`}</p>
<div class="buttons">${linkButton({ label: t`Set a PIN`, href: '/account/pin', tone: 'plain' })}${linkButton({ label: t`Go to your account`, href: '/account', tone: 'quiet' })}</div>`,
})}`,
  })
}
