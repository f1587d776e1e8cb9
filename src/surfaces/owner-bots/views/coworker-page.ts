import type { NamedCoworker } from '../../../domain/bots/bot-store.ts'
import { button, buttonRow, linkButton } from '../../../http/components/button.ts'
import { type Html, html } from '../../../http/html.ts'
import { page } from '../../../http/page.ts'
import { askOnce } from './ask-once.ts'
import { type BotPageView, botsFrame } from './bot-frame.ts'
import { type CoworkerInput, coworkerFields } from './coworker-fields.ts'

export interface CoworkerView extends BotPageView {
  coworker: NamedCoworker
}

export function changeCoworkerPage({ bot, person, coworker, input }: CoworkerView & { input: CoworkerInput }): Html {
  const back = `/bots/${bot.id}/coworkers`
  return page({
    ...botsFrame(person),
    width: 'narrow',
    title: `What ${coworker.name} may do with ${bot.name}`,
    body: html`<a class="back" href="${back}">Coworkers of ${bot.name}</a>
<h1>What ${coworker.name} may do</h1>
<form class="card" method="post" action="${back}/${encodeURIComponent(coworker.userId)}">
<input type="hidden" name="form_token" value="${person.formToken}">
${coworkerFields(input)}
${buttonRow(button({ label: 'Save', tone: 'primary' }), linkButton({ label: 'Change nothing', href: back, tone: 'quiet' }))}
</form>`,
  })
}

/** Asks once more. Whoever removes themselves leaves. */
export function removeCoworkerPage({ bot, person, coworker, by }: CoworkerView & { by: { userId: string } }): Html {
  const leaves = coworker.userId === by.userId
  const back = `/bots/${bot.id}/coworkers`
  return askOnce({
    person,
    back: { href: back, name: `Coworkers of ${bot.name}` },
    title: leaves ? `Leave ${bot.name}?` : `Remove ${coworker.name} from ${bot.name}?`,
    effect: leaves
      ? html`<p>You do not see the bot any more, from now on. To come back, its owner has to add you again.</p>`
      : html`<p>${coworker.name} does not see the bot any more, from now on. Applications that read their bots do not see it either.</p>`,
    action: `${back}/${encodeURIComponent(coworker.userId)}/removal`,
    label: leaves ? 'Leave the bot' : 'Remove',
    aside: leaves ? 'Stay' : 'Keep them',
  })
}
