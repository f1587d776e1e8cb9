import type { BotId } from '../../domain/ids.ts'

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
