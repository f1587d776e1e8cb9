import type { Subscription } from '../../../domain/subscriptions/subscription-store.ts'
import type { Attempt, EventRecord } from '../../../domain/webhooks/event-log.ts'
import { button } from '../../../pages/components/button.ts'
import { card } from '../../../pages/components/card.ts'
import { notice, state, type Tone } from '../../../pages/components/notice.ts'
import { time } from '../../../pages/components/time.ts'
import { type Html, html } from '../../../pages/html.ts'
import type { Person } from '../../../pages/page.ts'
import type { FormError } from '../error-words.ts'
import { attemptError, logWords, eventPageWords as words } from '../words.ts'
import { listAddress, listTrail, subscriptionsFrame } from './frame.ts'
import { doneNotice } from './list-page.ts'
import { eventName, eventStateWords } from './subscription-page.ts'

export interface EventView {
  person: Person
  subscription: Subscription
  event: EventRecord
  nowMs: number
  done: string | undefined
  errors: readonly FormError[]
}

/** Renders one event sent to a subscription, with its attempts and its body. */
export function eventPage({ person, subscription, event, nowMs, done, errors }: EventView): Html {
  const address = `${listAddress}/${subscription.id}`
  const { id, flowId, path, acceptedAtMs, replayOf, replayedAs, history, body } = event
  const name = eventName(flowId)
  const linked = (other: string) => html`<a href="${address}/events/${other}"><code>${other}</code></a>`
  return subscriptionsFrame(person, {
    title: name,
    trail: [...listTrail, { name: subscription.url, href: address }, { name }],
    canonical: `${address}/events/${id}`,
    body: html`${doneNotice(done)}
${errors.map(({ message }) => notice({ tone: 'bad', body: message }))}
<h1>${name}</h1>
<div class="card"><dl>
<dt>${logWords.state}</dt><dd>${eventStateWords(event, nowMs)}</dd>
<dt>${logWords.created}</dt><dd>${time(acceptedAtMs, nowMs)}</dd>
<dt><code>webhook-id</code></dt><dd><code>${path}</code></dd>
${replayOf !== undefined && html`<dt>${words.replayOf}</dt><dd>${linked(replayOf)}</dd>`}
${replayedAs !== undefined && html`<dt>${words.replayedAs}</dt><dd>${linked(replayedAs)}</dd>`}
</dl>
${
  (event.state === 'done' || event.state === 'dead') &&
  html`<form method="post" action="${address}/events/${id}/replay"><input type="hidden" name="form_token" value="${person.formToken}"><div class="buttons">${button({ label: words.replay, tone: 'plain' })}</div><p class="soft small">${words.replayMeans}</p></form>`
}</div>
${card({
  id: 'attempts',
  title: words.attempts,
  body: html`<p class="soft">${words.attemptsAbout}</p>
${history.length === 0 ? html`<p>${words.noAttempts}</p>` : html`<ol class="log" aria-label="${words.attempts}">${history.map((attempt) => attemptItem(attempt, nowMs))}</ol>`}`,
})}
${card({ id: 'body', title: words.body, body: html`<pre class="body" tabindex="0" aria-label="${words.body}">${indented(body)}</pre>` })}`,
  })
}

const tones: Record<Attempt['outcome'], Tone> = { acknowledged: 'good', failed: 'bad', 'under-way': 'neutral' }

function attemptItem({ attempt, beganAtMs, endedAtMs, outcome, error }: Attempt, nowMs: number): Html {
  return html`<li><div class="meta"><strong>${attempt}</strong>${state({ tone: tones[outcome], word: words.outcomes[outcome] })} ${time(beganAtMs, nowMs)}${
    endedAtMs !== undefined && html` <span class="soft small">${words.took(endedAtMs - beganAtMs)}</span>`
  }</div>${error !== undefined && html`<pre>${attemptError(error)}</pre>`}</li>`
}

function indented(body: Uint8Array): string {
  return JSON.stringify(JSON.parse(Buffer.from(body).toString('utf8')), undefined, 2)
}
