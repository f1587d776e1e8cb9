import { acceptedAtMsOf, firstNumberOf } from '../../queue/stored-events.ts'

export interface ReadyEvent {
  number: number
  dueAtMs: number
  /** Whether no attempt has been counted yet. */
  first: boolean
}

const compactAt = 1_024

/**
 * A flow's events that are waiting to be claimed. First attempts are due in the order in which their events were
 * accepted. Retries are merged in by due time, so that neither first attempts nor retries are delayed for long.
 */
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

  /**
   * Returns the event to deliver next, if one is due. First attempts are always due.
   *
   * @param upTo highest event number to consider.
   */
  next(nowMs: number, upTo = Number.POSITIVE_INFINITY): ReadyEvent | undefined {
    const number = this.#firsts[this.#head]
    const first = number === undefined || number > upTo ? undefined : firstAttempt(number)
    const retry = this.#retries.find((candidate) => candidate.number <= upTo)
    if (retry === undefined || retry.dueAtMs > nowMs) return first
    return first !== undefined && turnOf(first) < turnOf(retry) ? first : retry
  }

  due(number: number, nowMs: number): ReadyEvent | undefined {
    if (this.#firsts[this.#placeOf(number)] === number) return firstAttempt(number)
    return this.#retries.find((retry) => retry.number === number && retry.dueAtMs <= nowMs)
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

/**
 * Returns the event's place in the order of delivery. First attempts are in order of acceptance. Retries come after the
 * first attempts that were accepted up to their due time.
 */
export function turnOf({ number, dueAtMs, first }: ReadyEvent): number {
  return first ? number : firstNumberOf(dueAtMs + 1) - 0.5
}
