export interface WaitLimit {
  waitMs: number
  refusal: () => Error
}

/** Limits how many tasks run concurrently. The others wait in order of arrival. */
export class ConcurrencyLimit {
  readonly #atOnce: number
  readonly #waitLimit: WaitLimit | undefined
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(atOnce: number, waitLimit?: WaitLimit) {
    this.#atOnce = atOnce
    this.#waitLimit = waitLimit
  }

  get figures(): { running: number; waiting: number } {
    return { running: this.#running, waiting: this.#waiting.length }
  }

  get isFull(): boolean {
    return this.#running >= this.#atOnce
  }

  /**
   * Runs the task as soon as a slot is free.
   *
   * @throws the task's error, or `waitLimit.refusal()` if the task waited too long.
   */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.isFull) await this.#waitForSlot()
    else this.#running += 1
    try {
      return await work()
    } finally {
      // The slot passes directly to the next waiting task, so that a new task can't overtake it.
      const next = this.#waiting.shift()
      if (next === undefined) this.#running -= 1
      else next()
    }
  }

  #waitForSlot(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waitLimit = this.#waitLimit
    if (waitLimit === undefined) {
      this.#waiting.push(resolve)
      return promise
    }
    const take = () => {
      clearTimeout(deadline)
      resolve()
    }
    const deadline = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(take), 1)
      reject(waitLimit.refusal())
    }, waitLimit.waitMs)
    this.#waiting.push(take)
    return promise
  }
}
