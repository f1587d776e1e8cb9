import type { Flow } from '../../../domain/bots/flow.ts'
import type { BodyPreview } from '../../../domain/webhooks/body-preview.ts'
import type { ShownEvent } from '../../../domain/webhooks/delivery-log.ts'
import type { Attempt } from '../../../domain/webhooks/event-log.ts'
import { button } from '../../../http/components/button.ts'
import { section } from '../../../http/components/card.ts'
import { notice, state, type Tone } from '../../../http/components/notice.ts'
import { time } from '../../../http/components/time.ts'
import { type Html, html } from '../../../http/html.ts'
import { askOnce } from './ask-once.ts'
import { type BotPageView, botPartPage } from './bot-frame.ts'
import { doneNotice } from './done-notice.ts'
import { bytesInWords, eventNews, eventState } from './event-words.ts'
import { prettyJson } from './pretty-json.ts'

export interface DeliveryView extends BotPageView {
  event: ShownEvent
  /** Undefined when it was removed meanwhile. */
  flow: Flow | undefined
  mayReplay: boolean
  /** What was just refused. */
  fault: string | undefined
  done: unknown
}

export function deliveryPage(view: DeliveryView): Html {
  const { bot, event, fault, done } = view
  return botPartPage(view, {
    part: 'deliveries',
    title: 'Webhook',
    canonical: `/bots/${bot.id}/deliveries/${event.id}`,
    done: doneNotice(done),
    body: html`${fault !== undefined && notice({ tone: 'bad', body: fault })}
${eventSection(view)}
${attemptsSection(view)}
${requestSection(view)}`,
  })
}

function eventSection({ bot, event, flow, mayReplay, person, nowMs }: DeliveryView): Html {
  const { id, flowId, state: is, acceptedAtMs, finishedAtMs, replayOf, replayedAs } = event
  const address = `/bots/${bot.id}/deliveries`
  const news = eventNews(event, nowMs)
  return section({
    id: 'event',
    title: 'Webhook',
    about: html`<p>It keeps its id over all attempts, so that a flow can tell whether it did it before.</p>`,
    body: html`<div class="card"><div class="stack tight">${eventState(event)}${news !== '' && html`<p>${news}</p>`}</div>
<dl><dt>Accepted</dt><dd>${time(acceptedAtMs, nowMs)}</dd>
${finishedAtMs !== undefined && html`<dt>Finished</dt><dd>${time(finishedAtMs, nowMs)}</dd>`}
<dt>Flow</dt><dd>${flow === undefined ? html`<code>${flowId}</code>, which is not there any more` : html`<a href="/bots/${bot.id}/flows/${flow.id}">${flow.name}</a>`}</dd>
<dt>Event id</dt><dd><code>${id}</code></dd>
${replayOf !== undefined && html`<dt>Replay of</dt><dd><a href="${address}/${replayOf}"><code>${replayOf}</code></a></dd>`}
${replayedAs !== undefined && html`<dt>Replayed as</dt><dd><a href="${address}/${replayedAs}"><code>${replayedAs}</code></a></dd>`}
</dl>
${
  mayReplay &&
  (is === 'done' || is === 'dead') &&
  html`<div class="buttons"><form method="post" action="${address}/${id}/replay"><input type="hidden" name="form_token" value="${person.formToken}">${button({ label: 'Replay', tone: 'plain' })}</form>${
    is === 'dead' &&
    html`<form method="get" action="${address}/${id}/discard">${button({ label: 'Discard', tone: 'dangerous' })}</form>`
  }</div><p class="soft small">A replay is a new event with the same content; this one stays as it is.</p>`
}</div>`,
  })
}

const outcomes: Record<Attempt['outcome'], { tone: Tone; word: string }> = {
  acknowledged: { tone: 'good', word: 'Done' },
  failed: { tone: 'bad', word: 'Failed' },
  'under-way': { tone: 'neutral', word: 'Under way' },
}

function attemptsSection({ event, nowMs }: DeliveryView): Html {
  const { history } = event
  return section({
    id: 'attempts',
    title: 'Attempts',
    about: html`<p>Each time it was handed to a runtime.</p>`,
    body:
      history.length === 0
        ? html`<p>No runtime has had it yet.</p>`
        : html`<ol class="log" aria-label="Attempts, the first one first">${history.map(
            ({ attempt, beganAtMs, endedAtMs, outcome, error }) =>
              html`<li><div class="meta"><strong>${attempt}</strong>${state(outcomes[outcome])} ${time(beganAtMs, nowMs)}${
                endedAtMs !== undefined &&
                html` <span class="soft small">took ${inSeconds(endedAtMs - beganAtMs)}</span>`
              }</div>${error !== undefined && html`<pre>${cut(error, 1_000)}</pre>`}</li>`,
          )}</ol>`,
  })
}

function inSeconds(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`
}

/** More than this much of a body is for a file, not for a page. */
const shownCharacters = 16_000

function requestSection({ bot, event }: DeliveryView): Html {
  const { headers, clientIp, path, preview, bodyBytes } = event
  const sent = (name: string, value: string | undefined) =>
    value !== undefined && html`<dt><code>${name}</code></dt><dd>${cut(value, 1_000)}</dd>`
  const { text, form, isCut } = shown(preview)
  return section({
    id: 'request',
    title: 'Request',
    about: html`<p>What came from the sender. Of its headers, these four are kept and handed on.</p>`,
    body: html`<div class="card"><dl><dt>Path</dt><dd><code>${path}</code></dd><dt>Sent from</dt><dd><code>${clientIp}</code></dd>
${sent('content-type', headers.contentType)}${sent('user-agent', headers.userAgent)}${sent('x-forwarded-for', headers.forwardedFor)}${sent('x-request-id', headers.requestId)}</dl></div>
<div class="card"><div class="stack tight"><h3>Body</h3><p class="soft small">${bytesInWords(bodyBytes)}${bodyBytes > 0 && `, shown as ${form}`}${isCut && '. This is only its beginning'}.</p></div>
${bodyBytes > 0 && html`<pre class="body" tabindex="0" aria-label="Body">${text}</pre><p><a href="/bots/${bot.id}/deliveries/${event.id}/body" download>Download the body as it came</a></p>`}</div>`,
  })
}

function shown({ form, shown: text, cut: isCut }: BodyPreview): { text: string; form: string; isCut: boolean } {
  const pretty = form === 'text' && !isCut ? prettyJson(text) : undefined
  const whole = pretty ?? text
  const words = pretty !== undefined ? 'JSON' : form === 'text' ? 'text' : 'hexadecimal digits'
  // Escaping makes a character five at the most; such a page must not grow out of bounds either.
  const room = /[&<>"']/.test(whole) ? fitting(whole) : shownCharacters
  return { text: cut(whole, room), form: words, isCut: isCut || whole.length > room }
}

/** How many of the first characters fit, each counted as long as it gets by escaping and in UTF-8. */
function fitting(text: string): number {
  let room = shownCharacters
  let at = 0
  for (; at < text.length && room > 0; at += 1) {
    const character = text[at] as string
    room -= /[&<>"']/.test(character) ? 6 : character > '\u007f' ? 3 : 1
  }
  return at
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '')}…`
}

export function discardPage({ bot, person, id }: BotPageView & { id: string }): Html {
  const address = `/bots/${bot.id}/deliveries/${encodeURIComponent(id)}`
  return askOnce({
    person,
    back: { href: address, name: 'The webhook' },
    title: 'Discard this dead letter?',
    effect: html`<p>It is removed now, with its content. It can not be replayed any more.</p><p>This can not be undone.</p>`,
    action: `${address}/discard`,
    label: 'Discard',
    aside: 'Keep it',
  })
}
