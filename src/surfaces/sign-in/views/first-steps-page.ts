import { linkButton } from '../../../pages/components/button.ts'
import { card } from '../../../pages/components/card.ts'
import { copyField } from '../../../pages/components/copy-field.ts'
import { type Html, html } from '../../../pages/html.ts'
import { type Person, page } from '../../../pages/page.ts'
import { accountPlace } from '../../../pages/places.ts'
import { welcomeWords } from '../welcome-words.ts'

export interface FirstStepsView {
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
