import type { BotId, FlowId } from '../../../domain/ids-and-secrets.ts'
import { acceptedAtMsOf, firstNumberOf } from '../../queue/stored-events.ts'

/** The fields of an unfinished event that determine its place in the queue. */
export interface UnfinishedEvent {
  number: number
  botId: BotId
  flowId: FlowId
  bodyBytes: number
}

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

/** The leases, in memory. Rows store the holder, but no expiry time: a restart loses every connection. */
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

type Moving = Pick<UnfinishedEvent, 'botId' | 'number'>

/** Unfinished events whose next state is being written. Memory has them in neither state: readers use their rows. */
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

export interface ReadyEvent {
  number: number
  dueAtMs: number
  /** Whether no attempt has been counted yet. */
  first: boolean
}

const compactAt = 1_024

/** A flow's waiting events. Retries are merged with first attempts by due time, so that neither wait for long. */
export class ReadyEvents {
  /** Event numbers, ascending from index `#head`. Entries before that index have been removed. */
  #firsts: number[] = []
  #head = 0
  /** Retries, ascending by due time. */
  readonly #retries: ReadyEvent[] = []

  /** Due time of the earliest retry, or Infinity if there is none. */
  get nextRetryAtMs(): number {
    return this.#retries[0]?.dueAtMs ?? Number.POSITIVE_INFINITY
  }

  get isEmpty(): boolean {
    return this.#head === this.#firsts.length && this.#retries.length === 0
  }

  /** Returns the lowest event number above `number`, due or not, or Infinity if there is none. */
  oldestAfter(number: number): number {
    let oldest = this.#firsts[this.#placeOf(number + 1)] ?? Number.POSITIVE_INFINITY
    for (const retry of this.#retries) if (retry.number > number) oldest = Math.min(oldest, retry.number)
    return oldest
  }

  add(event: ReadyEvent): void {
    if (event.first) this.#addFirst(event.number)
    else this.#addRetry(event)
  }

  /** Returns the event to deliver next; first attempts are always due. `upTo` is the highest number to consider. */
  next(nowMs: number, upTo = Number.POSITIVE_INFINITY): ReadyEvent | undefined {
    const number = this.#firsts[this.#head]
    const first = number === undefined || number > upTo ? undefined : firstAttempt(number)
    const retry = this.#retries.find((candidate) => candidate.number <= upTo)
    if (retry === undefined || retry.dueAtMs > nowMs) return first
    return first !== undefined && turnOf(first) < turnOf(retry) ? first : retry
  }

  #addFirst(number: number): void {
    const last = this.#firsts.at(-1)
    if (this.#head === this.#firsts.length || last === undefined || last < number) this.#firsts.push(number)
    else this.#firsts.splice(this.#placeOf(number), 0, number)
  }

  #addRetry({ number, dueAtMs }: ReadyEvent): void {
    let at = this.#retries.length
    while (at > 0 && (this.#retries[at - 1]?.dueAtMs ?? 0) > dueAtMs) at -= 1
    this.#retries.splice(at, 0, { number, dueAtMs, first: false })
  }

  numbers(): number[] {
    return [...this.#firsts.slice(this.#head), ...this.#retries.map(({ number }) => number)]
  }

  /** Reschedules the event's retry to `nowMs`. Does nothing if no retry is scheduled after `nowMs`. */
  makeDue(number: number, nowMs: number): void {
    const at = this.#retries.findIndex((retry) => retry.number === number && retry.dueAtMs > nowMs)
    if (at < 0) return
    this.#retries.splice(at, 1)
    this.#addRetry({ number, dueAtMs: nowMs, first: false })
  }

  withdraw(number: number): void {
    const at = this.#placeOf(number)
    if (this.#firsts[at] === number) {
      if (at === this.#head) this.#advance()
      else this.#firsts.splice(at, 1)
      return
    }
    const retry = this.#retries.findIndex((candidate) => candidate.number === number)
    if (retry >= 0) this.#retries.splice(retry, 1)
  }

  #advance(): void {
    this.#head += 1
    if (this.#head >= compactAt && this.#head * 2 >= this.#firsts.length) {
      this.#firsts = this.#firsts.slice(this.#head)
      this.#head = 0
    }
  }

  /** Returns the index of the first entry that is at least `number`. */
  #placeOf(number: number): number {
    let [low, high] = [this.#head, this.#firsts.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#firsts[middle] as number) < number) low = middle + 1
      else high = middle
    }
    return low
  }
}

function firstAttempt(number: number): ReadyEvent {
  return { number, dueAtMs: acceptedAtMsOf(number), first: true }
}

/** Returns the event's place in the order of delivery: a retry follows first attempts accepted by its due time. */
export function turnOf({ number, dueAtMs, first }: ReadyEvent): number {
  return first ? number : firstNumberOf(dueAtMs + 1) - 0.5
}
