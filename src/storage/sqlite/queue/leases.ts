import type { BotId } from '../../../domain/ids.ts'
import { idOf } from '../../queue/event-number.ts'
import type { Unfinished } from './backlog.ts'

export interface Lease extends Unfinished {
  /** Names the attempt. */
  delivery: string
  holder: string
  /** Which of the event's leases it is, with those given back. */
  leases: number
  /** 1 for the first. */
  attempt: number
  acceptedAtMs: number
  beganAtMs: number
  /** What keeping the event takes. */
  keptBytes: number
  untilMs: number
}

/** The attempt's name: the event's id, and which of its leases it is. */
export function deliveryOf(number: number, lease: number): string {
  return `${idOf(number)}-${lease}`
}

/**
 * Who works on what, and until when. The events' rows say the same except for the end of the lease: after
 * a restart every socket is lost, so nobody relies on it.
 */
export class Leases {
  readonly #byDelivery = new Map<string, Lease>()
  readonly #byHolder = new Map<string, Set<Lease>>()

  get size(): number {
    return this.#byDelivery.size
  }

  /** The lowest number of an event that somebody works on; infinite when there is none. */
  oldest(): number {
    let oldest = Number.POSITIVE_INFINITY
    for (const { number } of this.#byDelivery.values()) oldest = Math.min(oldest, number)
    return oldest
  }

  add(lease: Lease): void {
    this.#byDelivery.set(lease.delivery, lease)
    const held = this.#byHolder.get(lease.holder)
    if (held === undefined) this.#byHolder.set(lease.holder, new Set([lease]))
    else held.add(lease)
  }

  find(holder: string, delivery: string): Lease | undefined {
    const lease = this.#byDelivery.get(delivery)
    return lease?.holder === holder ? lease : undefined
  }

  /** Ends the lease in memory; from here on it is nobody's. Undefined when the holder does not hold it. */
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

  lapsed(nowMs: number): Lease[] {
    return [...this.#byDelivery.values()].filter((lease) => lease.untilMs <= nowMs)
  }
}
