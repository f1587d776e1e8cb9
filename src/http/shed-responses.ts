import { TickQueue } from './tick-queue.ts'

const responsesPerTick = 128
/** Maximum number of delayed responses. Any others are sent immediately. */
const delayedMax = 20_000

/**
 * Delays the responses that reject requests because of overload.
 *
 * A client that is rejected sends its next request, and rejecting a request takes nearly as long as serving it. So only
 * a few responses are sent per event-loop tick. A node with spare capacity runs many ticks, so the delay is short.
 *
 * Delaying is safe, because a rejected request holds no lock, no place in a queue, and no memory except its own.
 */
export class ShedResponses {
  readonly #delayed = new TickQueue<() => void>(responsesPerTick, (send) => send())

  /** Calls `send` at the end of this tick or of a later one. */
  add(send: () => void): void {
    if (this.#delayed.length >= delayedMax) send()
    else this.#delayed.add(send)
  }
}
