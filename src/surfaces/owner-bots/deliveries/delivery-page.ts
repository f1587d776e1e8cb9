import type { Flow } from '../../../domain/bots/flows/flow.ts'
import type { BodyPreview } from '../../../domain/webhooks/body-preview.ts'
import type { ShownEvent } from '../../../domain/webhooks/delivery-log.ts'
import type { Attempt } from '../../../domain/webhooks/event-log.ts'
import { button } from '../../../pages/components/button.ts'
import { section } from '../../../pages/components/card.ts'
import { notice, state, type Tone } from '../../../pages/components/notice.ts'
import { time } from '../../../pages/components/time.ts'
import { type Html, html, type Words } from '../../../pages/html.ts'
import { type BotPageView, botPartPage } from '../bot-frame.ts'
import { confirmPage } from '../confirm-page.ts'
import { doneNotice } from '../done-notice.ts'
import { botFrameWords } from '../words.ts'
import { eventDetail, eventState } from './event-words.ts'
import { prettyJson } from './pretty-json.ts'
import { attemptErrorWords, deadLetterWords, deliveryWords as words } from './words.ts'

export interface DeliveryView extends BotPageView {
  event: ShownEvent
  /** `undefined` if the flow has been removed. */
  flow: Flow | undefined
  mayReplay: boolean
  /** The rejected form's errors. */
  fault: Words | undefined
  done: string | undefined
}

export function deliveryPage(view: DeliveryView): Html {
  const { bot, event, fault, done } = view
  return botPartPage(view, {
    part: 'deliveries',
    title: words.title,
    canonical: `/bots/${bot.id}/deliveries/${event.id}`,
    done: doneNotice(done),
    body: html`${fault !== undefined && notice({ tone: 'bad', body: fault })}
${eventSection(view)}
${attemptsSection(view)}
${requestSection(view)}`,
  })
}

function eventSection({ bot, event, flow, mayReplay, person, nowMs }: DeliveryView): Html {
  const { id, flowId, acceptedAtMs, finishedAtMs, replayOf, replayedAs, behind } = event
  const address = `/bots/${bot.id}/deliveries`
  const news = eventDetail(event, nowMs, behind && { event: behind, address: `${address}/${behind.id}` })
  return section({
    id: 'event',
    title: words.title,
    about: html`<p>${words.about}</p>`,
    body: html`<div class="card"><div class="stack tight">${eventState(event)}${news !== '' && html`<p>${news}</p>`}</div>
<dl><dt>${words.received}</dt><dd>${time(acceptedAtMs, nowMs)}</dd>
${finishedAtMs !== undefined && html`<dt>${words.finished}</dt><dd>${time(finishedAtMs, nowMs)}</dd>`}
<dt>${words.flow}</dt><dd>${flow === undefined ? words.flowGone(flowId) : html`<a href="/bots/${bot.id}/flows/${flow.id}">${flow.name}</a>`}</dd>
<dt>${words.eventId}</dt><dd><code>${id}</code></dd>
${replayOf !== undefined && html`<dt>${words.replayOf}</dt><dd><a href="${address}/${replayOf}"><code>${replayOf}</code></a></dd>`}
${replayedAs !== undefined && html`<dt>${words.replayedAs}</dt><dd><a href="${address}/${replayedAs}"><code>${replayedAs}</code></a></dd>`}
</dl>
${mayReplay && actions(`${address}/${id}`, person.formToken, event)}</div>`,
  })
}

/** Renders the buttons for the event, unless a runtime is processing it. */
function actions(address: string, formToken: string, { state: is, behind }: ShownEvent): Html | false {
  if (is === 'leased') return false
  const post = (action: 'replay' | 'try-now', label: Words) =>
    html`<form method="post" action="${address}/${action}"><input type="hidden" name="form_token" value="${formToken}">${button({ label, tone: 'plain' })}</form>`
  const discard = html`<form method="get" action="${address}/discard">${button({ label: words.discard, tone: 'dangerous' })}</form>`
  const row = (buttons: Html, means: Words) =>
    html`<div class="buttons">${buttons}</div><p class="soft small">${means}</p>`
  if (is === 'done') return row(post('replay', words.replay), words.replayMeans)
  if (is === 'dead') return row(html`${post('replay', words.replay)}${discard}`, words.replayMeans)
  if (behind !== undefined) return row(discard, words.discardInLineMeans)
  return row(html`${post('try-now', words.tryNow)}${discard}`, words.tryNowMeans)
}

const tones: Record<Attempt['outcome'], Tone> = { acknowledged: 'good', failed: 'bad', 'under-way': 'neutral' }

function attemptsSection({ event, nowMs }: DeliveryView): Html {
  const { history } = event
  const { title, about, none, list, outcomes, took } = words.attempts
  return section({
    id: 'attempts',
    title,
    about: html`<p>${about}</p>`,
    body:
      history.length === 0
        ? html`<p>${none}</p>`
        : html`<ol class="log" aria-label="${list}">${history.map(
            ({ attempt, beganAtMs, endedAtMs, outcome, error }) =>
              html`<li><div class="meta"><strong>${attempt}</strong>${state({ tone: tones[outcome], word: outcomes[outcome] })} ${time(beganAtMs, nowMs)}${
                endedAtMs !== undefined && html` <span class="soft small">${took(endedAtMs - beganAtMs)}</span>`
              }</div>${error !== undefined && html`<pre>${attemptErrorWords(error) ?? cut(error, 1_000)}</pre>`}</li>`,
          )}</ol>`,
  })
}

/** Maximum number of body characters shown on the page. The download contains the whole body. */
const shownCharacters = 16_000

function requestSection({ bot, event }: DeliveryView): Html {
  const { headers, clientIp, path, preview, bodyBytes } = event
  const sent = (name: string, value: string | undefined) =>
    value !== undefined && html`<dt><code>${name}</code></dt><dd>${cut(value, 1_000)}</dd>`
  const { text, form, isCut } = shown(preview)
  const { request } = words
  return section({
    id: 'request',
    title: request.title,
    about: html`<p>${request.about}</p>`,
    body: html`<div class="card"><dl><dt>${request.path}</dt><dd><code>${path}</code></dd><dt>${request.sentFrom}</dt><dd><code>${clientIp}</code></dd>
${sent('content-type', headers.contentType)}${sent('user-agent', headers.userAgent)}${sent('x-forwarded-for', headers.forwardedFor)}${sent('x-request-id', headers.requestId)}</dl></div>
<div class="card"><div class="stack tight"><h3>${request.body}</h3><p class="soft small">${request.shown(bodyBytes, bodyBytes > 0 ? form : undefined, isCut)}</p></div>
${bodyBytes > 0 && html`<pre class="body" tabindex="0" aria-label="${request.body}">${text}</pre><p><a href="/bots/${bot.id}/deliveries/${event.id}/body" download>${request.download}</a></p>`}</div>`,
  })
}

function shown({ form, shown: text, cut: isCut }: BodyPreview): { text: string; form: Words; isCut: boolean } {
  const pretty = form === 'text' && !isCut ? prettyJson(text) : undefined
  const whole = pretty ?? text
  const { forms } = words.request
  const said = pretty !== undefined ? forms.json : form === 'text' ? forms.text : forms.hex
  // An escaped character takes up to six bytes, so text that contains any is measured.
  const room = /[&<>"']/.test(whole) ? fittingCharacters(whole) : shownCharacters
  return { text: cut(whole, room), form: said, isCut: isCut || whole.length > room }
}

/** Returns how many leading characters fit, judging by their estimated size in UTF-8 after escaping. */
function fittingCharacters(text: string): number {
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

export function discardPage({ bot, person, event }: BotPageView & { event: ShownEvent }): Html {
  const address = `/bots/${bot.id}/deliveries/${event.id}`
  const waits = event.state === 'ready'
  const effect = waits ? deadLetterWords.discardWaitingEffect : deadLetterWords.discardOneEffect
  return confirmPage({
    person,
    back: { href: address, name: deadLetterWords.theWebhook },
    title: waits ? deadLetterWords.discardWaiting : deadLetterWords.discardOne,
    effect: html`<p>${effect}</p>${waits && event.ordered && html`<p>${deadLetterWords.laterOnesContinue}</p>`}<p>${botFrameWords.cannotBeUndone}</p>`,
    action: `${address}/discard`,
    label: words.discard,
    aside: deadLetterWords.keep,
  })
}
