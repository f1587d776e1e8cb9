import type { Flow } from '../../../domain/bots/flows/flow.ts'
import type { BulkOutcome } from '../../../domain/webhooks/event-actions.ts'
import { button, linkButton } from '../../../pages/components/button.ts'
import { notice } from '../../../pages/components/notice.ts'
import { type Html, html } from '../../../pages/html.ts'
import { page } from '../../../pages/page.ts'
import { type BotPageView, botsFrame, botTrail } from '../bot-frame.ts'
import { confirmPage } from '../confirm-page.ts'
import { botFrameWords } from '../words.ts'
import { deadLetterWords as words } from './delivery-words.ts'
import { listWords } from './list-words.ts'

export interface BulkView extends BotPageView {
  action: 'replay' | 'discard'
  /** The flow whose dead letters are replayed or discarded. `undefined` means all flows. */
  flow: Flow | undefined
}

export function askBulkPage({ bot, person, action, flow }: BulkView): Html {
  const back = `/bots/${bot.id}/deliveries?state=dead`
  const whose = flow === undefined ? bot.name : flow.name
  return confirmPage({
    person,
    within: [...botTrail(bot, 'deliveries'), { name: words.title, href: back }],
    title: action === 'replay' ? words.replayAll(whose) : words.discardAll(whose),
    effect:
      action === 'replay'
        ? html`<p>${words.replayAllEffect}</p>`
        : html`<p>${words.discardAllEffect}</p><p>${botFrameWords.cannotBeUndone}</p>`,
    action: `/bots/${bot.id}/dead-letters/${action}`,
    ...(flow !== undefined && { fields: html`<input type="hidden" name="flow" value="${flow.id}">` }),
    label: action === 'replay' ? listWords.deadLetters.replayAll : listWords.deadLetters.discardAll,
    aside: botFrameWords.cancel,
  })
}

export function bulkDonePage({ bot, person, action, flow, outcome }: BulkView & { outcome: BulkOutcome }): Html {
  const { events, next, stopped } = outcome
  const back = `/bots/${bot.id}/deliveries?state=dead`
  const did = words.done(action, events)
  return page({
    ...botsFrame(person),
    width: 'narrow',
    title: did,
    trail: botTrail(bot, 'deliveries'),
    canonical: back,
    body: html`<h1>${action === 'replay' ? words.replayed : words.discarded}</h1>
${notice({ tone: stopped === undefined ? 'good' : 'warn', body: html`<p>${did}</p>${stopped !== undefined && html`<p>${words.stopped[stopped]}</p>`}` })}
${
  next === undefined
    ? linkButton({ label: words.toDeliveries, href: `/bots/${bot.id}/deliveries`, tone: 'plain' })
    : html`<form class="card" method="post" action="/bots/${bot.id}/dead-letters/${action}"><input type="hidden" name="form_token" value="${person.formToken}"><input type="hidden" name="from" value="${next}">${flow !== undefined && html`<input type="hidden" name="flow" value="${flow.id}">`}
<p>${words.more}</p><div class="buttons">${button({ label: words.continue, tone: action === 'replay' ? 'primary' : 'dangerous' })}</div></form>`
}`,
  })
}
