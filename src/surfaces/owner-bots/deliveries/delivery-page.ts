import { linkButton } from '../../../pages/components/button.ts'
import { section } from '../../../pages/components/card.ts'
import { copyField } from '../../../pages/components/copy-field.ts'
import { notice } from '../../../pages/components/notice.ts'
import { exactTime } from '../../../pages/components/time.ts'
import { type Html, html, type Words } from '../../../pages/html.ts'
import { type BotPageView, botPartPage, botTrail } from '../bot-frame.ts'
import { confirmPage } from '../confirm-page.ts'
import { doneNotice } from '../done-notice.ts'
import { botFrameWords } from '../words.ts'
import type { DeliveryData } from './delivery-data.ts'
import { deliveryParts } from './delivery-parts.ts'
import { deadLetterWords, deliveryWords as words } from './delivery-words.ts'
import { type ListQuery, queryText } from './list-query.ts'
import { liveStatus } from './live-status.ts'
import { requestSection } from './request-section.ts'

export interface DeliveryView extends BotPageView, DeliveryData {
  apiUrl: string
  /** Filter and position of the list from which the user came. */
  query: ListQuery
  neighbours: { newer: string | undefined; older: string | undefined }
  /** The rejected form's errors. */
  fault: Words | undefined
  done: string | undefined
}

export function deliveryPage(view: DeliveryView): Html {
  const { bot, event, fault, done } = view
  const address = `/bots/${bot.id}/deliveries`
  const parts = deliveryParts(view)
  return botPartPage(view, {
    part: 'deliveries',
    inside: { name: words.named(event.id), list: `${address}${queryText(view.query)}` },
    styles: ['deliveries.css'],
    modules: ['live.js', 'deliveries.js'],
    canonical: `${address}/${event.id}${queryText(view.query)}`,
    done: doneNotice(done),
    body: html`${fault !== undefined && notice({ tone: 'bad', body: fault })}
${neighbourLinks(view)}
<div class="stack tight" data-live="actions">${parts.actions}</div>
${section({
  id: 'attempts',
  title: words.attempts.title,
  about: html`<p>${liveStatus(`${address}/${event.id}/live`)}</p>`,
  body: html`<div class="card" data-live="timeline">${parts.timeline}</div>`,
})}
${requestSection(view)}
${eventSection(view)}`,
  })
}

/** Renders links to the webhooks above and below this one in the list. */
function neighbourLinks({ bot, query, neighbours: { newer, older } }: DeliveryView): Html | false {
  if (newer === undefined && older === undefined) return false
  const address = `/bots/${bot.id}/deliveries`
  const to = (id: string | undefined, label: Words) =>
    id !== undefined && linkButton({ label, href: `${address}/${id}${queryText(query)}`, tone: 'quiet' })
  return html`<nav class="buttons" aria-label="${words.neighbours.title}">${to(newer, words.neighbours.newer)}${to(older, words.neighbours.older)}</nav>`
}

function eventSection({ bot, event, flow }: DeliveryView): Html {
  const { id, flowId, acceptedAtMs, finishedAtMs, replayOf, replayedAs } = event
  const address = `/bots/${bot.id}/deliveries`
  return section({
    id: 'event',
    title: words.event,
    about: html`<p>${words.about}</p>`,
    body: html`<div class="card">${copyField({ label: words.eventId, text: id })}
<dl><dt>${words.received}</dt><dd>${exactTime(acceptedAtMs)}</dd>
${finishedAtMs !== undefined && html`<dt>${words.finished}</dt><dd>${exactTime(finishedAtMs)}</dd>`}
<dt>${words.flow}</dt><dd>${flow === undefined ? words.flowGone(flowId) : html`<a href="/bots/${bot.id}/flows/${flow.id}">${flow.name}</a>`}</dd>
${replayOf !== undefined && html`<dt>${words.replayOf}</dt><dd><a href="${address}/${replayOf}"><code>${replayOf}</code></a></dd>`}
${replayedAs !== undefined && html`<dt>${words.replayedAs}</dt><dd><a href="${address}/${replayedAs}"><code>${replayedAs}</code></a></dd>`}
</dl></div>`,
  })
}

export function discardPage({ bot, person, event }: BotPageView & Pick<DeliveryData, 'event'>): Html {
  const address = `/bots/${bot.id}/deliveries/${event.id}`
  const waits = event.state === 'ready'
  const effect = waits ? deadLetterWords.discardWaitingEffect : deadLetterWords.discardOneEffect
  return confirmPage({
    person,
    within: [...botTrail(bot, 'deliveries'), { name: words.named(event.id), href: address }],
    title: waits ? deadLetterWords.discardWaiting : deadLetterWords.discardOne,
    effect: html`<p>${effect}</p>${waits && event.ordered && html`<p>${deadLetterWords.laterOnesContinue}</p>`}<p>${botFrameWords.cannotBeUndone}</p>`,
    action: `${address}/discard`,
    label: words.discard,
    aside: deadLetterWords.keep,
  })
}
