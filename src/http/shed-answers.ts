const perTurn = 128
/** Of senders that wait for nobody; beyond it the answer leaves at once. */
const waitingMax = 20_000

/**
 * Refusals for overload. Each brings its sender's next request, and to read and refuse that takes nearly as much as to serve
 * it: left without measure they would be all that the service still does. So few leave in one turn of the event loop; one
 * that has time to spare makes many turns.
 */
export class ShedAnswers {
  readonly #waiting: (() => void)[] = []
  #scheduled = false

  /** Calls `send` at the end of this turn, or of one of the next. */
  add(send: () => void): void {
    if (this.#waiting.length >= waitingMax) {
      send()
      return
    }
    this.#waiting.push(send)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      for (const send of this.#waiting.splice(0, perTurn)) send()
      this.#schedule()
    })
  }
}
