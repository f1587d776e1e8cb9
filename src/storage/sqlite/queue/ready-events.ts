import { acceptedAtMsOf } from '../../queue/event-number.ts'

/** An event that is waiting to be claimed. */
export interface ReadyEvent {
  number: number
  dueAtMs: number
  /** Whether no attempt has been counted yet. */
  first: boolean
}

const compactAt = 1_024

/**
 * A bot's events that are waiting to be claimed. First attempts are due in the order in which their events were
 * accepted. Retries are merged in by due time, so that neither first attempts nor retries are delayed for long.
 */
export class ReadyEvents {
  /** Event numbers, ascending from index `#head`. Entries before that index have been removed. */
  #firsts: number[] = []
  #head = 0
  /** Retries, ascending by due time. */
  readonly #retries: { number: number; dueAtMs: number }[] = []

  /** Due time of the earliest retry, or Infinity if there is none. */
  get nextRetryAtMs(): number {
    return this.#retries[0]?.dueAtMs ?? Number.POSITIVE_INFINITY
  }

  /** The lowest event number, due or not, or Infinity if there is none. */
  get oldest(): number {
    let oldest = this.#firsts[this.#head] ?? Number.POSITIVE_INFINITY
    for (const { number } of this.#retries) oldest = Math.min(oldest, number)
    return oldest
  }

  addFirst(number: number): void {
    const last = this.#firsts.at(-1)
    if (this.#head === this.#firsts.length || last === undefined || last < number) this.#firsts.push(number)
    else this.#firsts.splice(this.#placeOf(number), 0, number)
  }

  addRetry(number: number, dueAtMs: number): void {
    let at = this.#retries.length
    while (at > 0 && (this.#retries[at - 1]?.dueAtMs ?? 0) > dueAtMs) at -= 1
    this.#retries.splice(at, 0, { number, dueAtMs })
  }

  add(event: ReadyEvent): void {
    if (event.first) this.addFirst(event.number)
    else this.addRetry(event.number, event.dueAtMs)
  }

  /** Removes and returns the event to deliver next. First attempts are always due. */
  take(nowMs: number): ReadyEvent | undefined {
    const first = this.#firsts[this.#head]
    const retry = this.#retries[0]
    const retryDue = retry !== undefined && retry.dueAtMs <= nowMs
    if (first !== undefined && !(retryDue && retry.dueAtMs < acceptedAtMsOf(first))) {
      this.#advance()
      return { number: first, dueAtMs: acceptedAtMsOf(first), first: true }
    }
    if (!retryDue) return undefined
    this.#retries.shift()
    return { ...retry, first: false }
  }

  hasDue(nowMs: number): boolean {
    return this.#head < this.#firsts.length || this.nextRetryAtMs <= nowMs
  }

  /** Returns all event numbers, due or not. */
  numbers(): number[] {
    return [...this.#firsts.slice(this.#head), ...this.#retries.map(({ number }) => number)]
  }

  /** Reschedules the event's retry to `nowMs`. Does nothing if no retry is scheduled after `nowMs`. */
  makeDue(number: number, nowMs: number): void {
    const at = this.#retries.findIndex((retry) => retry.number === number && retry.dueAtMs > nowMs)
    if (at < 0) return
    this.#retries.splice(at, 1)
    this.addRetry(number, nowMs)
  }

  /** Removes an event that was discarded or has expired. */
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
