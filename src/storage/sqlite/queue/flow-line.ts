/**
 * The unfinished events of one flow with strict order, in the order in which they were accepted. Only the first event
 * may be delivered. It stays first until it is finished, however many attempts that takes.
 */
export class FlowLine {
  /** Event numbers, ascending from index `#head`. Entries before that index have been removed. */
  #numbers: number[] = []
  #head = 0
  /** Events that are still being written. They have a place in line but can't be delivered yet. */
  readonly #unwritten = new Set<number>()

  /** The event that all others are waiting for; `undefined` if the line is empty. */
  get first(): number | undefined {
    return this.#numbers[this.#head]
  }

  get isEmpty(): boolean {
    return this.#head === this.#numbers.length
  }

  /** Adds an event at the end. Numbers must be added in ascending order. */
  join(number: number): void {
    this.#numbers.push(number)
    this.#unwritten.add(number)
  }

  /** Marks the event as written. Returns whether it is first in line and can therefore be delivered. */
  markWritten(number: number): boolean {
    this.#unwritten.delete(number)
    return this.#numbers[this.#head] === number
  }

  /** Removes an event that is finished or was never written. Returns the next event if it can now be delivered. */
  leave(number: number): number | undefined {
    this.#unwritten.delete(number)
    if (this.#numbers[this.#head] !== number) {
      const at = this.#numbers.indexOf(number, this.#head)
      if (at >= 0) this.#numbers.splice(at, 1)
      return undefined
    }
    this.#advance()
    const next = this.#numbers[this.#head]
    return next === undefined || this.#unwritten.has(next) ? undefined : next
  }

  /** Returns the written events that are waiting for an earlier one. */
  waiting(): number[] {
    return this.#numbers.slice(this.#head + 1).filter((number) => !this.#unwritten.has(number))
  }

  #advance(): void {
    this.#head += 1
    if (this.#head < 1_024 || this.#head * 2 < this.#numbers.length) return
    this.#numbers = this.#numbers.slice(this.#head)
    this.#head = 0
  }
}
