import type { Subscription } from '../../../domain/subscriptions/subscription-store.ts'
import type { EventPage, EventState, EventSummary } from '../../../domain/webhooks/event-log.ts'
import { button, linkButton } from '../../../pages/components/button.ts'
import { notice, state, type Tone, tag } from '../../../pages/components/notice.ts'
import { secretReveal } from '../../../pages/components/secrets.ts'
import { table } from '../../../pages/components/table.ts'
import { time, timeUntil } from '../../../pages/components/time.ts'
import { type Html, html, type Words } from '../../../pages/html.ts'
import type { Person } from '../../../pages/page.ts'
import type { FormError } from '../error-words.ts'
import {
  attemptError,
  eventTypeWords,
  logWords,
  secretWords,
  testEventName,
  subscriptionWords as words,
} from '../words.ts'
import { listAddress, listTrail, subscriptionsFrame } from './frame.ts'
import { doneNotice, subscriptionState } from './list-page.ts'

export interface SubscriptionView {
  person: Person
  subscription: Subscription
  page: EventPage
  isFirst: boolean
  nowMs: number
  done: string | undefined
  errors: readonly FormError[]
  /** The secret created by this request. */
  clearTextSecret: string | undefined
}

/** Renders a subscription with its log. */
export function subscriptionPage(view: SubscriptionView): Html {
  const { person, subscription, nowMs, done, errors, clearTextSecret } = view
  const { id, url, types, createdAtMs, disabledBecause, previousSecretEndsAtMs } = subscription
  const address = `${listAddress}/${id}`
  return subscriptionsFrame(person, {
    title: words.title,
    trail: [...listTrail, { name: url }],
    width: 'wide',
    canonical: address,
    shownOnce: clearTextSecret !== undefined,
    body: html`${doneNotice(done)}
${errors.map(({ message }) => notice({ tone: 'bad', body: message }))}
<h1><code>${url}</code></h1>
${
  clearTextSecret !== undefined &&
  secretReveal({
    title: secretWords.title,
    label: secretWords.label,
    clearText: clearTextSecret,
    testId: 'signing-secret',
    explain: secretWords.explain,
  })
}
${disabledBecause === 'gone' && notice({ tone: 'warn', body: words.gone })}
<div class="card"><dl>
<dt>${words.state}</dt><dd>${subscriptionState(subscription)}</dd>
<dt>${words.events}</dt><dd>${types.map((type, at) => html`${at > 0 && html`<br>`}${eventTypeWords[type].name} <code class="soft small">${type}</code>`)}</dd>
<dt>${words.created}</dt><dd>${time(createdAtMs, nowMs)}</dd>
<dt>${words.id}</dt><dd><code>${id}</code></dd>
${previousSecretEndsAtMs !== null && previousSecretEndsAtMs > nowMs && html`<dt>${words.previousSecret}</dt><dd>${words.signsUntil(timeUntil(previousSecretEndsAtMs, nowMs))}</dd>`}
</dl>
<form method="post" action="${address}/test"><input type="hidden" name="form_token" value="${person.formToken}"><div class="buttons">${disabledBecause === null && button({ label: words.test, tone: 'primary' })}${linkButton({ label: words.edit, href: `${address}/edit`, tone: 'plain' })}${linkButton({ label: words.rotate, href: `${address}/secret`, tone: 'plain' })}${linkButton({ label: words.remove, href: `${address}/removal`, tone: 'dangerous' })}</div></form></div>
${logSection(view, address)}`,
  })
}

function logSection({ page: { events, next }, isFirst, nowMs }: SubscriptionView, address: string): Html {
  return html`<section class="stack" aria-labelledby="log-title"><h2 id="log-title">${logWords.title}</h2>
${events.length === 0 ? html`<p>${isFirst ? logWords.none : logWords.noneEarlier}</p>` : logTable(events, address, nowMs)}
<div class="buttons">${next !== undefined && linkButton({ label: logWords.earlier, href: `${address}?before=${next}`, tone: 'plain' })}${!isFirst && linkButton({ label: logWords.newest, href: address, tone: 'quiet' })}</div></section>`
}

function logTable(events: readonly EventSummary[], address: string, nowMs: number): Html {
  return table({
    caption: logWords.caption,
    rows: events,
    columns: [
      {
        title: logWords.created,
        cell: ({ id, acceptedAtMs }: EventSummary) =>
          html`<a href="${address}/events/${id}">${time(acceptedAtMs, nowMs)}</a>`,
      },
      {
        title: logWords.event,
        cell: ({ flowId, replayOf }) =>
          html`${eventName(flowId)}${replayOf !== undefined && html` ${tag(logWords.replayTag)}`}`,
      },
      { title: logWords.state, cell: (event) => eventStateWords(event, nowMs) },
      { title: logWords.attempts, number: true, cell: ({ attempts }) => attempts },
      {
        title: logWords.lastError,
        cell: ({ lastError }) =>
          lastError === undefined ? '' : html`<span class="small">${attemptError(firstLine(lastError))}</span>`,
      },
    ],
  })
}

const tones: Record<EventState, Tone> = { ready: 'neutral', leased: 'neutral', done: 'good', dead: 'bad' }

export function eventStateWords({ state: is, dueAtMs }: EventSummary, nowMs: number): Html {
  const retries = is === 'ready' && dueAtMs !== undefined && dueAtMs > nowMs
  return html`${state({ tone: tones[is], word: logWords.states[is] })}${
    retries && html`<br><span class="soft small">${logWords.nextAttempt(timeUntil(dueAtMs, nowMs))}</span>`
  }`
}

/** Returns the event type's name, or the type itself if it was removed in a later release. */
export function eventName(type: string): Words | string {
  if (type === 'subscription.test') return testEventName
  return Object.hasOwn(eventTypeWords, type) ? eventTypeWords[type as keyof typeof eventTypeWords].name : type
}

function firstLine(error: string): string {
  const [line = ''] = error.split('\n', 1)
  return line.length <= 80 ? line : `${line.slice(0, 80)}…`
}
