/**
 * The unfinished events of one flow with strict order, as they were accepted. Only the first may be handed out; it stays
 * first, through all its attempts, until it is finished.
 */
export class FlowLine {
  /** Ascending from `#head` on; what is before it is gone. */
  #numbers: number[] = []
  #head = 0
  /** Those of which the write is still under way: they hold their place, but their turn can't come yet. */
  readonly #unwritten = new Set<number>()

  /** The number of the event that all others wait for; `undefined` when the line is empty. */
  get first(): number | undefined {
    return this.#numbers[this.#head]
  }

  get isEmpty(): boolean {
    return this.#head === this.#numbers.length
  }

  /** Takes the last place. Numbers come in ascending order. */
  join(number: number): void {
    this.#numbers.push(number)
    this.#unwritten.add(number)
  }

  /** The event is on disk. True when its turn has come. */
  written(number: number): boolean {
    this.#unwritten.delete(number)
    return this.#numbers[this.#head] === number
  }

  /** The event is finished, or was never written. The number of the one whose turn has come by that, if any has. */
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

  /** Those that wait for an earlier one. */
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
