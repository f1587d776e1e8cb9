import { hasErrors } from '../../../pages/account-form.ts'
import { linkButton } from '../../../pages/components/button.ts'
import { card } from '../../../pages/components/card.ts'
import { copyField } from '../../../pages/components/copy-field.ts'
import { type Html, html, type Text } from '../../../pages/html.ts'
import { type Person, page } from '../../../pages/page.ts'
import { accountPlace, identityPlace } from '../../../pages/places.ts'
import { signInWords, signUpWords, welcomeWords } from '../words.ts'
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
    title: form !== null && hasErrors(form.errors) ? signUpWords.refused : welcomeWords.title,
    place: identityPlace,
    ...(form && { formToken: form.formToken }),
    width: 'narrow',
    body: html`<h1>${welcomeWords.title}</h1>
${
  form === null
    ? html`<p>${welcomeWords.isNew}</p><p>${welcomeWords.closed}</p>${copyField({ label: welcomeWords.makeAccount, text: makeAccountLine })}`
    : html`<p>${welcomeWords.isNew} ${welcomeWords.about}</p>
${applicationName && html`<p>${signInWords.goOn(applicationName)}</p>`}
${signUpForm(form)}
<p class="soft small">${welcomeWords.noRights}</p>`
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

const { steps } = welcomeWords

/** Renders the next steps. Shown as long as the first account is the only one. */
export function firstStepsPage({ person, registerAddress, makeBotLine, makeFlowLine }: FirstStepsView): Html {
  return page({
    title: welcomeWords.title,
    place: accountPlace,
    person,
    body: html`<div class="stack tight"><h1>${steps.title(person.name)}</h1><p>${steps.about}</p></div>
${card({
  id: 'application',
  title: steps.application,
  body: html`<p>${steps.applicationAbout}</p>
<div class="buttons">${linkButton({ label: steps.register, href: registerAddress, tone: 'primary' })}</div>`,
})}
${card({
  id: 'bot',
  title: steps.bot,
  body: html`<p>${steps.botAbout}</p>
${copyField({ label: steps.makeBot, text: makeBotLine, testId: 'make-bot' })}
${copyField({ label: steps.makeFlow, text: makeFlowLine, testId: 'make-flow' })}
<p>${steps.flowAbout}</p>
<div class="buttons">${linkButton({ label: steps.toBots, href: '/bots', tone: 'plain' })}</div>`,
})}
${card({
  id: 'pin',
  title: steps.pin,
  body: html`<p>${steps.pinAbout}</p>
<div class="buttons">${linkButton({ label: steps.setPin, href: '/account/pin', tone: 'plain' })}${linkButton({ label: steps.toAccount, href: '/account', tone: 'quiet' })}</div>`,
})}`,
  })
}
