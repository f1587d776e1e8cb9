import type { BotId } from '../../domain/ids.ts'

const numbersPerMs = 2_048

/** Hands out event numbers. They grow with every event, also over restarts and when the clock is set back. */
export class EventNumbers {
  #last: number

  /** @param last the highest number in use, 0 when none is. */
  constructor(last: number) {
    this.#last = last
  }

  /** The highest number handed out. */
  get last(): number {
    return this.#last
  }

  next(nowMs: number): number {
    this.#last = Math.max(this.#last + 1, nowMs * numbersPerMs)
    return this.#last
  }
}

/** When the event was accepted, by its number. */
export function acceptedAtMsOf(number: number): number {
  return Math.floor(number / numbersPerMs)
}

/** The lowest number that an event accepted then may have. */
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

/** The number of the event with that id; undefined for what no event has as its id. */
export function numberOf(id: string): number | undefined {
  if (!/^ev[0-9a-z]{1,11}$/.test(id)) return undefined
  const number = Number.parseInt(id.slice(2), 36)
  return Number.isSafeInteger(number) && idOf(number) === id ? number : undefined
}
