/**
 * Defers items to the end of the event-loop tick, in order, at most `most` per tick.
 *
 * An item may be handled several ticks later, so its handler must check the state of the request and connection then.
 */
export class PerTurn<T> {
  #waiting: T[] = []
  readonly #most: number
  readonly #handOn: (item: T) => void

  constructor(most: number, handOn: (item: T) => void) {
    this.#most = most
    this.#handOn = handOn
  }

  /** Items that have not been handed on yet. */
  get waiting(): number {
    return this.#waiting.length
  }

  add(item: T): void {
    if (this.#waiting.push(item) === 1) setImmediate(() => this.#endTurn())
  }

  #endTurn(): void {
    const items = this.#waiting
    this.#waiting = items.length > this.#most ? items.splice(this.#most) : []
    if (this.#waiting.length > 0) setImmediate(() => this.#endTurn())
    for (const item of items) {
      try {
        this.#handOn(item)
      } catch (error) {
        // Rethrown as an uncaught exception, without stopping the other items.
        process.nextTick(() => {
          throw error
        })
      }
    }
  }
}
