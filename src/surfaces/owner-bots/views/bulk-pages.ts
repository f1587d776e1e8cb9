import type { Flow } from '../../../domain/bots/flow.ts'
import type { BulkOutcome } from '../../../domain/webhooks/delivery-log.ts'
import { button, linkButton } from '../../../http/components/button.ts'
import { notice } from '../../../http/components/notice.ts'
import { type Html, html } from '../../../http/html.ts'
import { page } from '../../../http/page.ts'
import { askOnce } from './ask-once.ts'
import { type BotPageView, botsFrame } from './bot-frame.ts'

export interface BulkView extends BotPageView {
  action: 'replay' | 'discard'
  /** Undefined: those of all flows. */
  flow: Flow | undefined
}

export function askBulkPage({ bot, person, action, flow }: BulkView): Html {
  const back = `/bots/${bot.id}/deliveries?state=dead`
  const whose = flow === undefined ? bot.name : flow.name
  return askOnce({
    person,
    back: { href: back, name: `Dead letters of ${bot.name}` },
    title: action === 'replay' ? `Replay all dead letters of ${whose}?` : `Discard all dead letters of ${whose}?`,
    effect:
      action === 'replay'
        ? html`<p>Each is accepted anew, the oldest first, and does again what such a webhook does. Those that were replayed before are left out.</p>`
        : html`<p>They are removed now, with their content, also those that were replayed. They can not be replayed any more.</p><p>This can not be undone.</p>`,
    action: `/bots/${bot.id}/dead-letters/${action}`,
    ...(flow !== undefined && { fields: html`<input type="hidden" name="flow" value="${flow.id}">` }),
    label: action === 'replay' ? 'Replay all' : 'Discard all',
    aside: 'Change nothing',
  })
}

const stoppedWords = {
  'queue-full': 'The bot’s queue is full, so it stopped there. Let a runtime work it off, then go on.',
  'gateway-unavailable': 'The gateway can not store events right now, so it stopped there. Wait a moment, then go on.',
}

export function bulkDonePage({ bot, person, action, flow, outcome }: BulkView & { outcome: BulkOutcome }): Html {
  const { events, next, stopped } = outcome
  const back = `/bots/${bot.id}/deliveries?state=dead`
  const did = `${events.toLocaleString('en-GB')} ${events === 1 ? 'dead letter was' : 'dead letters were'} ${action === 'replay' ? 'replayed' : 'discarded'}.`
  return page({
    ...botsFrame(person),
    width: 'narrow',
    title: did,
    canonical: back,
    body: html`<a class="back" href="${back}">Dead letters of ${bot.name}</a>
<h1>${action === 'replay' ? 'Replayed' : 'Discarded'}</h1>
${notice({ tone: stopped === undefined ? 'good' : 'warn', body: html`<p>${did}</p>${stopped !== undefined && html`<p>${stoppedWords[stopped]}</p>`}` })}
${
  next === undefined
    ? linkButton({ label: 'To the deliveries', href: `/bots/${bot.id}/deliveries`, tone: 'plain' })
    : html`<form class="card" method="post" action="/bots/${bot.id}/dead-letters/${action}"><input type="hidden" name="form_token" value="${person.formToken}"><input type="hidden" name="from" value="${next}">${flow !== undefined && html`<input type="hidden" name="flow" value="${flow.id}">`}
<p>There may be more.</p><div class="buttons">${button({ label: 'Go on', tone: action === 'replay' ? 'primary' : 'dangerous' })}</div></form>`
}`,
  })
}
