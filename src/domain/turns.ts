export interface Patience {
  /** How long a work waits for its turn, in milliseconds. */
  waitMs: number
  /** What it is refused with after that. */
  refusal: () => Error
}

/** Lets so many works run at once, and the others after them in the order in which they came. */
export class Turns {
  readonly #atOnce: number
  readonly #patience: Patience | undefined
  readonly #waiting: (() => void)[] = []
  #running = 0

  /** @param patience without it a work waits for as long as it takes. */
  constructor(atOnce: number, patience?: Patience) {
    this.#atOnce = atOnce
    this.#patience = patience
  }

  /** How many works run now, and how many wait for that. */
  get figures(): { running: number; waiting: number } {
    return { running: this.#running, waiting: this.#waiting.length }
  }

  /** Whether a work that comes now has to wait. */
  get allTaken(): boolean {
    return this.#running >= this.#atOnce
  }

  /**
   * Runs the work when its turn has come, at once where one is free.
   *
   * @throws what the work throws, or the refusal of one that waited for too long.
   */
  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.allTaken) await this.#turn()
    else this.#running += 1
    try {
      return await work()
    } finally {
      // The turn is handed over by the one who leaves it, so nobody overtakes.
      const next = this.#waiting.shift()
      if (next === undefined) this.#running -= 1
      else next()
    }
  }

  #turn(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const patience = this.#patience
    if (patience === undefined) {
      this.#waiting.push(resolve)
      return promise
    }
    const take = () => {
      clearTimeout(deadline)
      resolve()
    }
    const deadline = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(take), 1)
      reject(patience.refusal())
    }, patience.waitMs)
    this.#waiting.push(take)
    return promise
  }
}
