import type { EventState, EventSummary } from '../../../domain/webhooks/event-log.ts'
import { type DeadReason, leaseExpiredError, runtimeDisconnectedError } from '../../../domain/webhooks/retry.ts'
import { state, type Tone } from '../../../pages/components/elements.ts'
import { decimalWords, timeUntil } from '../../../pages/components/figures.ts'
import { type Html, html, plural, type Text, t, type Words } from '../../../pages/html.ts'

const ownErrors = new Map([
  [leaseExpiredError, t`The runtime didn’t respond in time.`],
  [runtimeDisconnectedError, t`The runtime disconnected.`],
])

/** Translates an error recorded by the service itself. Returns `undefined` for a runtime's error text. */
export function attemptErrorWords(error: string): Words | undefined {
  return ownErrors.get(error)
}

export const eventWords = {
  states: {
    ready: t`Waiting`,
    leased: t`Processing`,
    done: t`Delivered`,
    dead: t`Dead letter`,
  } satisfies Record<EventState, Words>,
  dead: {
    'attempts-spent': t`All attempts failed.`,
    expired: t`Not delivered within 24 hours.`,
    'refused-by-runtime': t`Rejected by the runtime.`,
  } satisfies Record<DeadReason, Words>,
}

export const refusedWords = {
  'in-process': t`A runtime is processing this webhook, so you can’t discard it now.`,
  finished: t`This webhook is no longer waiting. Nothing was changed.`,
  'behind-another': t`This flow uses strict order, and an earlier webhook comes first. Wait for its delivery, or discard it.`,
  'queue-full': t`The bot’s queue is full. Try again when a runtime has processed some webhooks.`,
  'gateway-unavailable': t`The gateway can’t store webhooks right now. Try again in a moment.`,
}

const tones: Record<EventState, Tone> = { ready: 'neutral', leased: 'neutral', done: 'good', dead: 'bad' }

export function eventState({ state: is }: Pick<EventSummary, 'state'>): Html {
  return state({ tone: tones[is], word: eventWords.states[is] })
}

/** The event that one with strict order waits for. `address` is `undefined` for users who may not open its page. */
interface Ahead {
  event: EventSummary
  address: string | undefined
}

/** Describes the event's state in detail. `ahead` is the flow's first unfinished event, for which this one waits. */
export function eventDetail(event: EventSummary, nowMs: number, ahead?: Ahead): Text {
  const { state: is, attempts, dueAtMs, deadBecause } = event
  if (is === 'dead') return deadBecause === undefined ? '' : eventWords.dead[deadBecause]
  if (is === 'ready' && ahead !== undefined) {
    const { event: head, address } = ahead
    const which = headWords(head, nowMs)
    if (address === undefined) return t`Waiting for an earlier webhook, which ${which}`
    return t`Waiting for ${html`<a href="${address}"><code>${head.id}</code></a>`}, which ${which}`
  }
  if (is === 'ready' && dueAtMs !== undefined && dueAtMs > nowMs) return t`Next attempt ${timeUntil(dueAtMs, nowMs)}`
  if (is === 'ready') return attempts === 0 ? t`Waiting for a runtime` : t`Waiting for the next attempt`
  return ''
}

function headWords({ state: is, attempts, dueAtMs }: EventSummary, nowMs: number): Words {
  if (is === 'leased') return t`is being processed`
  if (attempts === 0) return t`is waiting for a runtime`
  const failed = plural(attempts, t`failed once`, t`failed ${attempts} times`)
  return dueAtMs !== undefined && dueAtMs > nowMs
    ? t`${failed}; next attempt ${timeUntil(dueAtMs, nowMs)}`
    : t`${failed} and is waiting for a runtime`
}

/** Formats a duration briefly, such as `400 ms`, `1.3 s`, `12 min` or `2 h 5 min`. */
export function tookWords(ms: number): Text {
  if (ms < 1_000) return decimalWords(`${ms} ms`)
  if (ms < 60_000) return decimalWords(`${(ms / 1_000).toFixed(1)} s`)
  const minutes = Math.round(ms / 60_000)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
