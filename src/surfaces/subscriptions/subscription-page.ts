import type { FastifyReply } from 'fastify'
import * as limits from '../../domain/limits/limits.ts'
import * as sending from '../../domain/subscriptions/outgoing-requests.ts'
import type { Attempt, EventPage, EventState, EventSummary } from '../../domain/webhooks/event-log.ts'
import { leaseExpiredError, runtimeDisconnectedError } from '../../domain/webhooks/retry.ts'
import {
  button,
  card,
  linkButton,
  notice,
  postForm,
  state,
  type Tone,
  table,
  tag,
} from '../../pages/components/elements.ts'
import { time, timeUntil } from '../../pages/components/figures.ts'
import { olderAndNewest } from '../../pages/components/list.ts'
import { secretReveal } from '../../pages/components/secrets.ts'
import { errorNotices, type FormError } from '../../pages/form.ts'
import { cut, type Html, html, t, type Words } from '../../pages/html.ts'
import { accountPlace } from '../../pages/places.ts'
import type { SubscriptionVisit } from './subscriptions.ts'
import { eventTypeWords, formatWords, listTrail, subscriptionState } from './subscriptions.ts'

export async function sendSubscription(
  visit: SubscriptionVisit,
  answer: { status?: number; errors?: readonly FormError[]; clearTextSecret?: string } = {},
): Promise<FastifyReply> {
  const { services, by, request, done, subscription, address } = visit
  const { status, errors = [] } = answer
  const { id, url, format, types, createdAtMs, disabledBecause, previousSecretEndsAtMs } = subscription
  const { before } = request.query as { before?: unknown }
  const at = { before: typeof before === 'string' ? before : undefined, most: limits.deliveriesPerPage }
  const log = await services.events.log.page(by, id, {}, at)
  const nowMs = services.clock.nowMs()
  const isChat = format !== 'standard'
  // Messages to a chat aren't signed.
  const clearTextSecret = isChat ? undefined : answer.clearTextSecret
  return visit.show({
    place: accountPlace,
    status,
    title: t`Event subscriptions`,
    trail: [...listTrail, { name: url }],
    width: 'wide',
    canonical: address,
    shownOnce: clearTextSecret !== undefined,
    body: html`${done}
${errorNotices(errors)}
<h1><code>${url}</code></h1>
${
  clearTextSecret !== undefined &&
  secretReveal({
    title: t`Signing secret created`,
    label: t`Signing secret`,
    clearText: clearTextSecret,
    testId: 'signing-secret',
    explain: t.html`Copy the secret to your server’s settings now: <strong>it is shown only once</strong>. Your server uses it to check the signature of each request.`,
  })
}
${disabledBecause === 'gone' && notice({ tone: 'warn', body: format === 'standard' ? t`Disabled because the URL responded with 410 Gone. To send events again, edit the subscription and select “Send events”.` : t`Disabled because ${formatWords[format]} no longer has this webhook. Create a new one there, edit the subscription, enter the new URL and select “Send events”.` })}
<div class="card"><dl>
<dt>${t`State`}</dt><dd>${subscriptionState(subscription)}</dd>
<dt>${t`Format`}</dt><dd>${formatWords[format]}</dd>
<dt>${t`Events`}</dt><dd>${types.map((type, at) => html`${at > 0 && html`<br>`}${eventTypeWords[type].name} <code class="soft small">${type}</code>`)}</dd>
<dt>${t`Created`}</dt><dd>${time(createdAtMs, nowMs)}</dd>
<dt>${t`Subscription ID`}</dt><dd><code>${id}</code></dd>
${previousSecretEndsAtMs !== null && html`<dt>${t`Previous secret`}</dt><dd>${t`also signs, expires ${timeUntil(previousSecretEndsAtMs, nowMs)}`}</dd>`}
</dl>
${postForm({ action: `${address}/test` }, html`<div class="buttons">${disabledBecause === null && button({ label: t`Send test event`, tone: 'primary' })}${linkButton({ label: t`Edit`, href: `${address}/edit`, tone: 'plain' })}${format === 'standard' && linkButton({ label: t`Rotate secret`, href: `${address}/secret`, tone: 'plain' })}${linkButton({ label: t`Remove`, href: `${address}/removal`, tone: 'dangerous' })}</div>`)}</div>
${isChat && exampleSection(services.events.subscriptions.example(subscription))}
${logSection(log, at.before === undefined, address, nowMs)}`,
  })
}

function exampleSection(example: string): Html {
  return card({
    id: 'example',
    title: t`What messages look like`,
    body: html`<p class="soft">${t`Events that come at once are one message. Between two messages are at least two seconds.`}</p><pre class="body" tabindex="0" aria-labelledby="example-title">${example}</pre>`,
  })
}

function logSection({ events, next }: EventPage, isFirst: boolean, address: string, nowMs: number): Html {
  return html`<section class="stack" aria-labelledby="log-title"><h2 id="log-title">${t`Event log`}</h2>
${events.length === 0 ? html`<p>${isFirst ? t`No events yet. Send a test event to check your server.` : t`No earlier events.`}</p>` : logTable(events, address, nowMs)}
${olderAndNewest(next && `${address}?before=${next}`, !isFirst && address)}</section>`
}

const ownErrors = new Map([
  [sending.internalAddressError, t`The URL points to an internal address, which is not allowed.`],
  [sending.sendingFailedError, t`The service failed to send the request.`],
  [sending.ownerDisabledError, t`Your account was disabled.`],
  [sending.subscriptionDisabledError, t`The subscription was turned off.`],
  ...[leaseExpiredError, runtimeDisconnectedError].map((error) => [error, t`The service was interrupted.`] as const),
])

/** Translates an error recorded by the service itself. Returns any other error unchanged. */
function attemptError(error: string): Words | string {
  return ownErrors.get(error) ?? error
}

function logTable(events: readonly EventSummary[], address: string, nowMs: number): Html {
  return table({
    caption: t`Events, newest first`,
    rows: events,
    columns: [
      {
        title: t`Created`,
        cell: ({ id, acceptedAtMs }: EventSummary) =>
          html`<a href="${address}/events/${id}">${time(acceptedAtMs, nowMs)}</a>`,
      },
      {
        title: t`Event`,
        cell: ({ flowId, replayOf }) =>
          html`${eventName(flowId)}${replayOf !== undefined && html` ${tag(t.in('tag')`Replay`)}`}`,
      },
      { title: t`State`, cell: (event) => eventStateWords(event, nowMs) },
      { title: t`Attempts`, number: true, cell: ({ attempts }) => attempts },
      {
        title: t`Last error`,
        cell: ({ lastError }) =>
          lastError === undefined
            ? ''
            : html`<span class="small">${attemptError(cut(lastError.replace(/\n.*/s, ''), 80))}</span>`,
      },
    ],
  })
}

const states: Record<EventState, { tone: Tone; word: Words }> = {
  ready: { tone: 'neutral', word: t`Waiting` },
  leased: { tone: 'neutral', word: t`Sending` },
  done: { tone: 'good', word: t`Delivered` },
  dead: { tone: 'bad', word: t`Failed` },
}

function eventStateWords({ state: is, dueAtMs }: EventSummary, nowMs: number): Html {
  const retries = is === 'ready' && dueAtMs !== undefined && dueAtMs > nowMs
  return html`${state(states[is])}${
    retries && html`<br><span class="soft small">${t`Next attempt ${timeUntil(dueAtMs, nowMs)}`}</span>`
  }`
}

/** Returns the event type's name, or the type itself if it was removed in a later release. */
function eventName(type: string): Words | string {
  if (type === 'subscription.test') return t`Test event`
  return Object.hasOwn(eventTypeWords, type) ? eventTypeWords[type as keyof typeof eventTypeWords].name : type
}

export async function sendEvent(
  visit: SubscriptionVisit,
  { status, errors = [] }: { status?: number; errors?: readonly FormError[] } = {},
): Promise<FastifyReply> {
  const { services, by, done, subscription, address } = visit
  const event = await services.events.log.event(by, subscription.id, eventIn(visit))
  const nowMs = services.clock.nowMs()
  const { id, flowId, path, acceptedAtMs, replayOf, replayedAs, history, body } = event
  const name = eventName(flowId)
  const indented = JSON.stringify(JSON.parse(Buffer.from(body).toString('utf8')), undefined, 2)
  const linked = (other: string) => html`<a href="${address}/events/${other}"><code>${other}</code></a>`
  return visit.show({
    place: accountPlace,
    status,
    title: name,
    trail: [...listTrail, { name: subscription.url, href: address }, { name }],
    canonical: `${address}/events/${id}`,
    body: html`${done}
${errorNotices(errors)}
<h1>${name}</h1>
<div class="card"><dl>
<dt>${t`State`}</dt><dd>${eventStateWords(event, nowMs)}</dd>
<dt>${t`Created`}</dt><dd>${time(acceptedAtMs, nowMs)}</dd>
<dt><code>webhook-id</code></dt><dd><code>${path}</code></dd>
${replayOf !== undefined && html`<dt>${t.in('event')`Replay of`}</dt><dd>${linked(replayOf)}</dd>`}
${replayedAs !== undefined && html`<dt>${t`Replayed as`}</dt><dd>${linked(replayedAs)}</dd>`}
</dl>
${
  (event.state === 'done' || event.state === 'dead') &&
  postForm(
    { action: `${address}/events/${id}/replay` },
    html`<div class="buttons">${button({ label: t`Replay`, tone: 'plain' })}</div><p class="soft small">${t`A replay keeps the webhook-id, so your server can recognize the duplicate.`}</p>`,
  )
}</div>
${card({
  id: 'attempts',
  title: t`Attempts`,
  body: html`<p class="soft">${t`Any 2xx response counts as delivered. Otherwise, the request is retried after 5 s, 30 s, 2 min, 10 min and 1 h.`}</p>
${history.length === 0 ? html`<p>${t`Not sent yet.`}</p>` : html`<ol class="log" aria-label="${t`Attempts`}">${history.map((attempt) => attemptItem(attempt, nowMs))}</ol>`}`,
})}
${card({ id: 'body', title: t`Request body`, body: html`<pre class="body" tabindex="0" aria-label="${t`Request body`}">${indented}</pre>` })}`,
  })
}

export function eventIn({ request }: SubscriptionVisit): string {
  return (request.params as { event: string }).event
}

const outcomes: Record<Attempt['outcome'], { tone: Tone; word: Words }> = {
  acknowledged: { tone: 'good', word: t`Delivered (2xx)` },
  failed: { tone: 'bad', word: t`Failed` },
  'under-way': { tone: 'neutral', word: t`Sending` },
}

function attemptItem({ attempt, beganAtMs, endedAtMs, outcome, error }: Attempt, nowMs: number): Html {
  return html`<li><div class="meta"><strong>${attempt}</strong>${state(outcomes[outcome])} ${time(beganAtMs, nowMs)}${
    endedAtMs !== undefined && html` <span class="soft small">${t`took ${endedAtMs - beganAtMs} ms`}</span>`
  }</div>${error !== undefined && html`<pre>${attemptError(error)}</pre>`}</li>`
}
