/** Hands each item on at the end of a turn of the event loop, in their order, and so many in one turn at most. */
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
    for (const item of items) this.#handOn(item)
  }
}
