import type { NamedCoworker } from '../../../domain/bots/bot.ts'
import { button, buttonRow, linkButton } from '../../../pages/components/button.ts'
import { type Html, html } from '../../../pages/html.ts'
import { page } from '../../../pages/page.ts'
import { type BotPageView, botsFrame, botTrail } from '../bot-frame.ts'
import { confirmPage } from '../confirm-page.ts'
import { botFrameWords } from '../words.ts'
import { type CoworkerInput, coworkerFields } from './coworker-fields.ts'
import { coworkerWords as words } from './coworker-words.ts'

export interface CoworkerView extends BotPageView {
  coworker: NamedCoworker
}

export function changeCoworkerPage({ bot, person, coworker, input }: CoworkerView & { input: CoworkerInput }): Html {
  const back = `/bots/${bot.id}/coworkers`
  return page({
    ...botsFrame(person),
    width: 'narrow',
    title: words.changePage.title(coworker.name, bot.name),
    trail: [...botTrail(bot, 'coworkers'), { name: coworker.name }],
    body: html`<h1>${words.changePage.heading(coworker.name)}</h1>
<form class="card" method="post" action="${back}/${encodeURIComponent(coworker.userId)}">
<input type="hidden" name="form_token" value="${person.formToken}">
${coworkerFields(input)}
${buttonRow(button({ label: words.changePage.save, tone: 'primary' }), linkButton({ label: botFrameWords.cancel, href: back, tone: 'quiet' }))}
</form>`,
  })
}

/**
 * Renders the confirmation page for removing a collaborator. Users who remove themselves confirm that they leave the
 * bot.
 */
export function removeCoworkerPage({ bot, person, coworker, by }: CoworkerView & { by: { userId: string } }): Html {
  const { removal } = words
  const leaves = coworker.userId === by.userId
  const back = `/bots/${bot.id}/coworkers`
  return confirmPage({
    person,
    within: botTrail(bot, 'coworkers'),
    title: leaves ? removal.leaveTitle(bot.name) : removal.title(coworker.name, bot.name),
    effect: html`<p>${leaves ? removal.leaveEffect : removal.effect(coworker.name)}</p>`,
    action: `${back}/${encodeURIComponent(coworker.userId)}/removal`,
    label: leaves ? words.leave : words.remove,
    aside: leaves ? removal.stay : removal.keep,
  })
}
