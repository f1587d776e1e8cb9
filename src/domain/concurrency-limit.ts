interface WaitLimits {
  /** Time after which a waiting task fails. */
  ms?: number
  /** Beyond it, the last waiting task fails. */
  tasks?: number
  refusal: () => Error
}

interface Waiting {
  party: string | undefined
  /** Number of the party's tasks that were waiting when this one came. */
  rank: number
  start: () => void
  refuse: () => void
}

/**
 * Limits how many tasks run concurrently. The others wait: one task of each party, then a second one of each, and so on,
 * otherwise in order of arrival.
 */
export class ConcurrencyLimit {
  readonly #atOnce: number
  readonly #waitLimits: WaitLimits | undefined
  readonly #waiting: Waiting[] = []
  #running = 0

  constructor(atOnce: number, waitLimits?: WaitLimits) {
    this.#atOnce = atOnce
    this.#waitLimits = waitLimits
  }

  get figures(): { running: number; waiting: number } {
    return { running: this.#running, waiting: this.#waiting.length }
  }

  /**
   * Runs the task as soon as a slot is free.
   *
   * @param party tasks without a party wait in order of arrival.
   * @throws the task's error, or `waitLimits.refusal()`.
   */
  async run<T>(work: () => Promise<T>, party?: string): Promise<T> {
    if (this.#running >= this.#atOnce) await this.#waitForSlot(party)
    else this.#running += 1
    try {
      return await work()
    } finally {
      // The slot passes directly to the next waiting task, so that a new task can't overtake it.
      const next = this.#waiting.shift()
      if (next === undefined) this.#running -= 1
      else next.start()
    }
  }

  #waitForSlot(party: string | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const { ms, tasks = Number.POSITIVE_INFINITY, refusal } = this.#waitLimits ?? {}
    const rank = party === undefined ? 0 : this.#waiting.filter((other) => other.party === party).length
    const waiting = { party, rank, start: resolve, refuse: () => reject(refusal?.()) }
    const behind = party === undefined ? -1 : this.#waiting.findIndex((other) => other.rank > rank)
    this.#waiting.splice(behind < 0 ? this.#waiting.length : behind, 0, waiting)
    if (this.#waiting.length > tasks) this.#waiting.pop()?.refuse()
    if (ms === undefined) return promise
    const deadline = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
      waiting.refuse()
    }, ms)
    return promise.finally(() => clearTimeout(deadline))
  }
}
