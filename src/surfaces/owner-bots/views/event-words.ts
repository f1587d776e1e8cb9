import type { EventState, EventSummary } from '../../../domain/webhooks/event-log.ts'
import { state, type Tone } from '../../../http/components/notice.ts'
import { timeUntil } from '../../../http/components/time.ts'
import type { Html, Text } from '../../../http/html.ts'
import { eventWords } from '../../../http/words/bots/deliveries.ts'

const tones: Record<EventState, Tone> = { ready: 'neutral', leased: 'neutral', done: 'good', dead: 'bad' }

export function eventState({ state: is }: Pick<EventSummary, 'state'>): Html {
  return state({ tone: tones[is], word: eventWords.states[is].word })
}

/** What there is to say about the state, besides its word. */
export function eventNews(event: EventSummary, nowMs: number): Text {
  const { state: is, attempts, dueAtMs, deadBecause } = event
  if (is === 'dead') return deadBecause === undefined ? '' : eventWords.dead[deadBecause]
  if (is === 'ready' && dueAtMs !== undefined && dueAtMs > nowMs)
    return eventWords.triedAgain(timeUntil(dueAtMs, nowMs))
  if (is === 'ready') return attempts === 0 ? eventWords.waitsForRuntime : eventWords.waitsForAttempt
  return ''
}
