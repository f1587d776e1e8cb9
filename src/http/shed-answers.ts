import { PerTurn } from './per-turn.ts'

const answersPerTurn = 128
/** Of senders that wait for nobody; beyond it the answer leaves at once. */
const waitingMax = 20_000

/**
 * Refusals for overload. Each brings its sender's next request, and to read and refuse that takes nearly as much as to serve
 * it: left without measure they would be all that the service still does. So few leave in one turn of the event loop; one
 * that has time to spare makes many turns.
 *
 * A rejection can be delayed because it holds no lock, no place in a queue and no memory except its own.
 */
export class ShedAnswers {
  readonly #turns = new PerTurn<() => void>(answersPerTurn, (send) => send())

  /** Calls `send` at the end of this turn, or of one of the next. */
  add(send: () => void): void {
    if (this.#turns.waiting >= waitingMax) send()
    else this.#turns.add(send)
  }
}
