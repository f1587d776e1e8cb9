import type { Flow } from '../../../domain/bots/flows/flow.ts'
import { type Html, html } from '../../../pages/html.ts'
import { type BotPageView, botTrail } from '../bot-frame.ts'
import { confirmPage } from '../confirm-page.ts'
import { botFrameWords } from '../words.ts'
import { flowManagementWords as words } from './management-words.ts'

export function removeFlowPage({ bot, person, flow }: BotPageView & { flow: Flow }): Html {
  const back = `/bots/${bot.id}/flows/${flow.id}`
  return confirmPage({
    person,
    within: [...botTrail(bot, 'flows'), { name: flow.name, href: back }],
    title: words.remove.title(flow.name),
    effect: html`<p>${words.remove.effect}</p><p>${botFrameWords.cannotBeUndone}</p>`,
    action: `${back}/removal`,
    label: words.remove.submit,
    aside: botFrameWords.cancel,
  })
}
