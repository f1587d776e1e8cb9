import type { Attempt } from '../../../domain/webhooks/event-log.ts'
import { type IconName, icon } from '../../../pages/components/icon.ts'
import { exactTime, timeUntil } from '../../../pages/components/time.ts'
import { type Html, html, type Text } from '../../../pages/html.ts'
import type { BotPageView } from '../bot-frame.ts'
import type { DeliveryData } from './delivery-data.ts'
import { attemptErrorWords, eventWords, deliveryWords as words } from './delivery-words.ts'
import { eventDetail, tookWords } from './event-words.ts'
import { cut } from './list-parts.ts'

type Tone = 'good' | 'bad' | 'neutral'

const icons: Record<Tone, IconName> = { good: 'check', bad: 'cross', neutral: 'dash' }
const tones: Record<Attempt['outcome'], Tone> = { acknowledged: 'good', failed: 'bad', 'under-way': 'neutral' }

/** Renders what has happened to a webhook, oldest first, and what happens next. */
export function timeline({ event, bot, nowMs }: BotPageView & DeliveryData): Html {
  const { title, outcomes, took, attempt: attemptWords } = words.attempts
  const attempts = event.history.map(({ attempt, beganAtMs, endedAtMs, outcome, error }) =>
    entry(
      tones[outcome],
      html`<strong>${attemptWords(attempt)}: ${outcomes[outcome]}</strong> ${exactTime(beganAtMs)}${endedAtMs !== undefined && html` <span class="soft small">${took(tookWords(endedAtMs - beganAtMs))}</span>`}`,
      error !== undefined && html`<pre>${attemptErrorWords(error) ?? cut(error, 1_000)}</pre>`,
    ),
  )
  const received = entry('neutral', html`<strong>${words.received}</strong> ${exactTime(event.acceptedAtMs)}`)
  return html`<ol class="timeline" aria-label="${title}">${received}${attempts}${whatFollows({ event, bot, nowMs })}</ol>`
}

function entry(tone: Tone, what: Html, more: Html | false = false): Html {
  return html`<li class="${tone}">${icon(icons[tone])}<div class="what">${what}</div>${more}</li>`
}

/** Renders the next attempt, or the reason why none is scheduled. */
function whatFollows({ event, bot, nowMs }: Pick<BotPageView & DeliveryData, 'event' | 'bot' | 'nowMs'>): Html | false {
  const { state: is, dueAtMs, finishedAtMs, deadBecause, behind } = event
  if (is === 'dead') {
    const at = finishedAtMs !== undefined && exactTime(finishedAtMs)
    const why = deadBecause !== undefined && html`<p>${eventWords.dead[deadBecause]}</p>`
    return entry('bad', html`<strong>${eventWords.states.dead.word}</strong> ${at}`, why)
  }
  if (is !== 'ready') return false
  if (behind === undefined && dueAtMs !== undefined && dueAtMs > nowMs) {
    const when = html`${timeUntil(dueAtMs, nowMs)} <span class="soft small">(${exactTime(dueAtMs)})</span>`
    return entry('neutral', html`<strong>${words.attempts.next}</strong> ${when}`)
  }
  const head = behind && { event: behind, address: `/bots/${bot.id}/deliveries/${behind.id}` }
  const waits: Text = eventDetail(event, nowMs, head)
  return entry('neutral', html`<p>${waits}</p>`)
}
