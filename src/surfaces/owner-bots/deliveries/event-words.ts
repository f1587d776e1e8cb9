import type { EventState, EventSummary } from '../../../domain/webhooks/event-log.ts'
import { state, type Tone } from '../../../pages/components/notice.ts'
import { timeUntil } from '../../../pages/components/time.ts'
import { type Html, html, type Text, type Words } from '../../../pages/html.ts'
import { decimalWords } from '../../../pages/words/figures.ts'
import { eventWords } from './delivery-words.ts'

const tones: Record<EventState, Tone> = { ready: 'neutral', leased: 'neutral', done: 'good', dead: 'bad' }

export function eventState({ state: is }: Pick<EventSummary, 'state'>): Html {
  return state({ tone: tones[is], word: eventWords.states[is].word })
}

/**
 * The earlier event that an event with strict order is waiting for. `address` is `undefined` for users who are not
 * allowed to open its page.
 */
export interface Ahead {
  event: EventSummary
  address: string | undefined
}

/**
 * Describes the event's state in detail.
 *
 * @param ahead the flow's oldest unfinished event, which an event with strict order is waiting for.
 */
export function eventDetail(event: EventSummary, nowMs: number, ahead?: Ahead): Text {
  const { state: is, attempts, dueAtMs, deadBecause } = event
  if (is === 'dead') return deadBecause === undefined ? '' : eventWords.dead[deadBecause]
  if (is === 'ready' && ahead !== undefined) {
    const { event: head, address } = ahead
    const link = address === undefined ? undefined : html`<a href="${address}"><code>${head.id}</code></a>`
    return eventWords.waitsFor(link, headWords(head, nowMs))
  }
  if (is === 'ready' && dueAtMs !== undefined && dueAtMs > nowMs)
    return eventWords.triedAgain(timeUntil(dueAtMs, nowMs))
  if (is === 'ready') return attempts === 0 ? eventWords.waitsForRuntime : eventWords.waitsForAttempt
  return ''
}

function headWords({ state: is, attempts, dueAtMs }: EventSummary, nowMs: number): Words {
  if (is === 'leased') return eventWords.head.inProcess
  if (attempts === 0) return eventWords.head.untried
  const isLater = dueAtMs !== undefined && dueAtMs > nowMs
  return eventWords.head.failed(attempts, isLater ? timeUntil(dueAtMs, nowMs) : undefined)
}

/** Formats a duration briefly, such as `400 ms`, `1.3 s`, `12 min` or `2 h 5 min`. */
export function tookWords(ms: number): { en: string; de: string } {
  if (ms < 1_000) return decimalWords(`${ms} ms`)
  if (ms < 60_000) return decimalWords(`${(ms / 1_000).toFixed(1)} s`)
  const minutes = Math.round(ms / 60_000)
  const text = minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
  return { en: text, de: text }
}
