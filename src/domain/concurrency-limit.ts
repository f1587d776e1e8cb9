import { AsyncLocalStorage } from 'node:async_hooks'

/** The client address (IPv6 by /64) whose request is being handled. */
export const currentAddress = new AsyncLocalStorage<string>()

interface WaitLimits {
  /** Time after which a waiting task fails. */
  ms?: number
  /** Beyond it, the last waiting task fails. */
  tasks?: number
  refusal: () => Error
}

interface Waiting {
  party: string | undefined
  /** One more than that of the party's waiting task before it. */
  rank: number
  start: () => void
  refuse: () => void
}

/** Limits how many tasks run concurrently. Parties that wait take turns: the first task of each starts before the second of any. */
export class ConcurrencyLimit {
  readonly #atOnce: number
  readonly #waitLimits: WaitLimits | undefined
  readonly #waiting: Waiting[] = []
  #running = 0
  /** Of a new party's task. It grows with each start, or else new parties could keep the others' second tasks waiting. */
  #rank = 0

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
   * @param party by default, the current address. A task without one is a party by itself.
   * @throws the task's error, or `waitLimits.refusal()`.
   */
  async run<T>(work: () => Promise<T>, party = currentAddress.getStore()): Promise<T> {
    if (this.#running >= this.#atOnce) await this.#waitForSlot(party)
    else this.#running += 1
    try {
      return await work()
    } finally {
      // The slot passes directly to the next waiting task, so that a new task can't overtake it.
      const next = this.#waiting.shift()
      if (next === undefined) this.#running -= 1
      else {
        this.#rank = Math.max(next.rank, this.#rank + 1 / (this.#waiting.length + 1))
        next.start()
      }
    }
  }

  #waitForSlot(party: string | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const { ms, tasks = Number.POSITIVE_INFINITY, refusal } = this.#waitLimits ?? {}
    const before = party === undefined ? undefined : this.#waiting.findLast((other) => other.party === party)
    const rank = before === undefined ? this.#rank : before.rank + 1
    const waiting = { party, rank, start: resolve, refuse: () => reject(refusal?.()) }
    const behind = this.#waiting.findIndex((other) => other.rank > rank)
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
