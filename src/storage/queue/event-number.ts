import type { BotId } from '../../domain/ids.ts'
import type { EventFilter } from '../../domain/webhooks/event-log.ts'

const numbersPerMs = 2_048

/** Generates event numbers, which are strictly increasing, even after a restart or if the clock is set back. */
export class EventNumbers {
  #last: number

  /** @param last highest number in use, or 0 if there is none. */
  constructor(last: number) {
    this.#last = last
  }

  /** The highest number generated so far. */
  get last(): number {
    return this.#last
  }

  next(nowMs: number): number {
    this.#last = Math.max(this.#last + 1, nowMs * numbersPerMs)
    return this.#last
  }
}

/**
 * Returns the acceptance time contained in an event number. It is later than the actual time if the clock was set back
 * before the event was accepted.
 */
export function acceptedAtMsOf(number: number): number {
  return Math.floor(number / numbersPerMs)
}

export function firstNumberOf(acceptedAtMs: number): number {
  return acceptedAtMs * numbersPerMs
}

/** Returns the event's ID on SQLite, where numbers are unique across all bots. */
export function idOf(number: number): string {
  return `ev${number.toString(36)}`
}

/** Returns the event's ID on PostgreSQL, where numbers are unique per bot. At most 78 characters of `[A-Za-z0-9_-]`. */
export function idWithBot(botId: BotId, number: number): string {
  return `${idOf(number)}-${botId}`
}

/** Returns the number in an event ID, or `undefined` if the ID is malformed. */
export function numberOf(id: string): number | undefined {
  if (!/^ev[0-9a-z]{1,11}$/.test(id)) return undefined
  const number = Number.parseInt(id.slice(2), 36)
  return Number.isSafeInteger(number) && idOf(number) === id ? number : undefined
}

/** Event numbers from `from` (inclusive) to `below` (exclusive). */
export interface EventRange {
  from: number
  below: number
}

/**
 * Returns the event numbers within the filter's times and the page's bounds. If a bound is not an event ID, the range
 * is empty.
 *
 * @param numberOf parses the event IDs given as the page's bounds.
 */
export function rangeOf(
  { sinceMs, untilMs }: EventFilter,
  { before, after }: { before?: string | undefined; after?: string | undefined },
  numberOf: (id: string) => number | undefined,
): EventRange {
  const froms = [0]
  const belows = [Number.MAX_SAFE_INTEGER]
  if (sinceMs !== undefined) froms.push(firstNumberOf(sinceMs))
  if (untilMs !== undefined) belows.push(firstNumberOf(untilMs))
  if (after !== undefined) froms.push((numberOf(after) ?? Number.MAX_SAFE_INTEGER) + 1)
  if (before !== undefined) belows.push(numberOf(before) ?? 0)
  return { from: Math.max(...froms), below: Math.min(...belows) }
}
