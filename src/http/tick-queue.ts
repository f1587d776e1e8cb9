/**
 * Defers items to the end of the event-loop tick, in order, at most `limit` per tick.
 *
 * An item may be handled several ticks later, so its handler must check the state of the request and connection again.
 */
export class TickQueue<T> {
  #items: T[] = []
  readonly #limit: number
  readonly #handle: (item: T) => void

  constructor(limit: number, handle: (item: T) => void) {
    this.#limit = limit
    this.#handle = handle
  }

  get length(): number {
    return this.#items.length
  }

  add(item: T): void {
    if (this.#items.push(item) === 1) setImmediate(() => this.#endTick())
  }

  #endTick(): void {
    const items = this.#items
    this.#items = items.length > this.#limit ? items.splice(this.#limit) : []
    if (this.#items.length > 0) setImmediate(() => this.#endTick())
    for (const item of items) {
      try {
        this.#handle(item)
      } catch (error) {
        // Rethrow outside the loop, as an uncaught exception, so that the remaining items are still handled.
        process.nextTick(() => {
          throw error
        })
      }
    }
  }
}
