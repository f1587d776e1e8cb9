import type { SecretDigest } from '../ids-and-secrets.ts'
import { botShareOfFreeQueue } from './limits.ts'

/** Returns the key for limits per address: the IPv4 address, or the IPv6 /64 network, which one subscriber controls. */
export function network(address: string): string {
  if (!address.includes(':')) return address
  const [head = '', tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  if (tail !== undefined) {
    const tailGroups = tail === '' ? [] : tail.split(':')
    while (groups.length + tailGroups.length < 8) groups.push('0')
    groups.push(...tailGroups)
  }
  return `${groups.slice(0, 4).join(':')}::/64`
}

/** Changes what a party has taken. Only parties that have taken something take up memory. */
export function count(taken: Map<string, number>, party: string, change: number): void {
  const sum = (taken.get(party) ?? 0) + change
  if (sum === 0) taken.delete(party)
  else taken.set(party, sum)
}

/** How many bytes, changes or other units may be spent at once, and how many come back each second. */
export interface Rate {
  burst: number
  perSecond: number
}

/** A token bucket: holds up to `burst` units, and gains `perSecond` units each second. Can be overdrawn. */
export class Budget {
  readonly #rate: Rate
  #units: number
  #atMs: number

  constructor(rate: Rate, nowMs: number) {
    this.#rate = rate
    this.#units = rate.burst
    this.#atMs = nowMs
  }

  /** Takes the units, or gives them back if the number is negative. */
  spend(units: number, nowMs: number): void {
    this.#units = Math.min(this.#rate.burst, this.left(nowMs) - units)
  }

  /** Number of units left. Negative if more were spent. */
  left(nowMs: number): number {
    // The clock may have been set back.
    const elapsedMs = Math.max(0, nowMs - this.#atMs)
    this.#atMs = nowMs
    this.#units = Math.min(this.#rate.burst, this.#units + (elapsedMs / 1_000) * this.#rate.perSecond)
    return this.#units
  }

  /** Returns whether at least three quarters of the burst are left. */
  isNearlyFull(nowMs: number): boolean {
    return this.left(nowMs) >= 0.75 * this.#rate.burst
  }
}

/** A budget for each party, such as a user or a network. Only parties that have spent something take up memory. */
export class PartyBudgets {
  readonly #rate: Rate
  readonly #partiesMax: number
  readonly #ofParties = new Map<string, Budget>()

  /**
   * @param partiesMax maximum number of parties remembered. Beyond it, full budgets are forgotten, or else the one with
   *   most left, so that nobody gets a new budget by making room for others.
   */
  constructor(rate: Rate, partiesMax: number) {
    this.#rate = rate
    this.#partiesMax = partiesMax
  }

  /** Takes the units, or gives them back if the number is negative. */
  spend(party: string, units: number, nowMs: number): void {
    let budget = this.#ofParties.get(party)
    if (budget === undefined) {
      if (this.#ofParties.size >= this.#partiesMax) this.#forget(nowMs)
      budget = new Budget(this.#rate, nowMs)
      this.#ofParties.set(party, budget)
    }
    budget.spend(units, nowMs)
  }

  left(party: string, nowMs: number): number {
    return this.#ofParties.get(party)?.left(nowMs) ?? this.#rate.burst
  }

  /** Returns the milliseconds until the party has something left, or 0 if it has. */
  waitMs(party: string, nowMs: number): number {
    const left = this.left(party, nowMs)
    return left >= 1 ? 0 : Math.ceil(((1 - left) / this.#rate.perSecond) * 1_000)
  }

  #forget(nowMs: number): void {
    let fullest: { party: string; left: number } | undefined
    for (const [party, budget] of this.#ofParties) {
      const left = budget.left(nowMs)
      if (left >= this.#rate.burst) this.#ofParties.delete(party)
      if (fullest === undefined || left > fullest.left) fullest = { party, left }
    }
    if (fullest !== undefined) this.#ofParties.delete(fullest.party)
  }
}

/** Maximum rows stored for one client address, user or application. Beyond it, the oldest are deleted. */
export interface RowShare {
  /** Digest that identifies the client address, user or application. */
  holder: SecretDigest
  atMost: number
}

/** Maximum number of unfinished events, and maximum total size of their bodies, per bot and in total. */
export interface QueueLimits {
  maxEventsPerBot: number
  maxBytesPerBot: number
  maxEvents: number
  maxBytes: number
}

/** Returns a bot's limits, given how much of the queue is free. See {@link botShareOfFreeQueue}. */
export function limitsOfBot(
  { maxEventsPerBot, maxBytesPerBot }: QueueLimits,
  free: { events: number; bytes: number },
): { events: number; bytes: number } {
  return {
    events: Math.min(maxEventsPerBot, botShareOfFreeQueue * free.events),
    bytes: Math.min(maxBytesPerBot, botShareOfFreeQueue * free.bytes),
  }
}

/** Maximum number of finished events that are kept, and maximum of their bytes: in total, and per bot. */
interface KeptLimits {
  events: number
  bytes: number
  eventsPerBot: number
  bytesPerBot: number
  /** The totals of all subscriptions' outboxes, which don't count toward those of bots. */
  outgoing: { events: number; bytes: number }
}

export type RetentionLimits = Readonly<Record<'done' | 'dead', KeptLimits>>

/**
 * Returns the level to which the largest amounts have to be lowered, so that together they lose the excess and nobody
 * below the level loses anything. Returns `least` if that isn't enough.
 *
 * @param amounts in descending order.
 */
export function levelAfter(amounts: readonly number[], excess: number, least = 0): number {
  let sum = 0
  for (const [at, amount] of amounts.entries()) {
    sum += amount
    const level = Math.max(least, (sum - excess) / (at + 1))
    if (level >= (amounts[at + 1] ?? 0)) return level
  }
  return least
}
