import type { BotId } from '../../../domain/ids.ts'
import { idOf } from '../../queue/stored-events.ts'
import type { UnfinishedEvent } from './backlog.ts'

export interface Lease extends UnfinishedEvent {
  delivery: string
  holder: string
  /** 1-based position among the event's leases, including released ones. */
  leases: number
  /** 1-based position among the event's attempts. Released leases don't count. */
  attempt: number
  acceptedAtMs: number
  beganAtMs: number
  /** Size of the stored event, which counts against retention limits. */
  keptBytes: number
  untilMs: number
}

export function deliveryOf(number: number, lease: number): string {
  return `${idOf(number)}-${lease}`
}

/**
 * The leases, in memory. Event rows also store the holder, but not the expiry time: a restart loses every connection,
 * so a stored expiry time would be useless.
 */
export class Leases {
  readonly #byDelivery = new Map<string, Lease>()
  readonly #byHolder = new Map<string, Set<Lease>>()

  get size(): number {
    return this.#byDelivery.size
  }

  /** Returns the lowest number among all leased events, or Infinity if there are none. */
  oldest(): number {
    let oldest = Number.POSITIVE_INFINITY
    for (const { number } of this.#byDelivery.values()) oldest = Math.min(oldest, number)
    return oldest
  }

  add(lease: Lease): void {
    this.#byDelivery.set(lease.delivery, lease)
    this.#byHolder.getOrInsertComputed(lease.holder, () => new Set()).add(lease)
  }

  find(holder: string, delivery: string): Lease | undefined {
    const lease = this.#byDelivery.get(delivery)
    return lease?.holder === holder ? lease : undefined
  }

  /** Removes and returns the lease, or returns `undefined` if the holder doesn't have it. */
  take(holder: string, delivery: string): Lease | undefined {
    const lease = this.find(holder, delivery)
    if (lease === undefined) return undefined
    this.#byDelivery.delete(delivery)
    const held = this.#byHolder.get(holder)
    held?.delete(lease)
    if (held?.size === 0) this.#byHolder.delete(holder)
    return lease
  }

  ofBot(botId: BotId): Lease[] {
    return [...this.#byDelivery.values()].filter((lease) => lease.botId === botId)
  }

  heldBy(holder: string): Lease[] {
    return [...(this.#byHolder.get(holder) ?? [])]
  }

  holders(): string[] {
    return [...this.#byHolder.keys()]
  }

  expired(nowMs: number): Lease[] {
    return [...this.#byDelivery.values()].filter((lease) => lease.untilMs <= nowMs)
  }
}

interface Moving {
  botId: BotId
  number: number
}

/**
 * Unfinished events whose next state is being written. The in-memory state has them in neither their old nor their new
 * state, so readers look up their rows.
 */
export class Transitions {
  // An array, because a set that every event enters and leaves costs memory (decision 0032).
  readonly #batches: (readonly Moving[])[] = []

  /** Runs `change`, which writes the events' next state and then updates the in-memory state. */
  async during<T>(events: readonly Moving[], change: () => Promise<T>): Promise<T> {
    this.#batches.push(events)
    try {
      return await change()
    } finally {
      this.#batches.splice(this.#batches.indexOf(events), 1)
    }
  }

  ofBot(wanted: BotId): ReadonlySet<number> {
    const numbers = new Set<number>()
    for (const batch of this.#batches) {
      for (const { botId, number } of batch) if (botId === wanted) numbers.add(number)
    }
    return numbers
  }
}
