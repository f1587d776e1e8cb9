import type { EventState, EventSummary } from '../../../domain/webhooks/event-log.ts'
import type { DeadReason } from '../../../domain/webhooks/retry.ts'
import { state, type Tone } from '../../../http/components/notice.ts'
import { time } from '../../../http/components/time.ts'
import { type Html, html } from '../../../http/html.ts'

/** What becomes of an event, in words for the bot's people. */
export const eventStateWords: Record<EventState, { tone: Tone; word: string; filter: string }> = {
  ready: { tone: 'neutral', word: 'Waiting', filter: 'Waiting' },
  leased: { tone: 'neutral', word: 'Being done', filter: 'Being done' },
  done: { tone: 'good', word: 'Done', filter: 'Done' },
  dead: { tone: 'bad', word: 'Dead letter', filter: 'Dead letters' },
}

const deadWords: Record<DeadReason, string> = {
  'attempts-spent': 'All attempts failed.',
  expired: 'Nobody did it within 24 hours.',
  'refused-by-runtime': 'The runtime said that trying again is of no use.',
}

export function eventState({ state: is }: Pick<EventSummary, 'state'>): Html {
  const { tone, word } = eventStateWords[is]
  return state({ tone, word })
}

/** What there is to say about the state, besides its word. */
export function eventNews(event: EventSummary, nowMs: number): Html | string {
  const { state: is, attempts, dueAtMs, deadBecause } = event
  if (is === 'dead') return deadBecause === undefined ? '' : deadWords[deadBecause]
  if (is === 'ready' && dueAtMs !== undefined && dueAtMs > nowMs) return html`Tried again ${time(dueAtMs, nowMs)}`
  if (is === 'ready') return attempts === 0 ? 'Waits for a runtime' : 'Waits for the next attempt'
  return ''
}

export function bytesInWords(bytes: number): string {
  if (bytes < 1_024) return `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`
  return bytes < 1_048_576 ? `${(bytes / 1_024).toFixed(1)} KiB` : `${(bytes / 1_048_576).toFixed(1)} MiB`
}
