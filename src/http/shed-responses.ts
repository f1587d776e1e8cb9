import { TickQueue } from './tick-queue.ts'

const responsesPerTick = 128
/** Maximum delayed responses. Further ones are sent immediately. */
const delayedMax = 20_000

/**
 * Delays the responses that reject a request because of overload.
 *
 * Each response brings its sender's next request, and rejecting that takes nearly as long as serving it. So only a few
 * are sent per event-loop tick. A node with spare time runs many ticks.
 *
 * Delaying is safe, because a rejection holds no lock, no place in a queue, and no memory except its own.
 */
export class ShedResponses {
  readonly #delayed = new TickQueue<() => void>(responsesPerTick, (send) => send())

  /** Calls `send` at the end of this tick or a later one. */
  add(send: () => void): void {
    if (this.#delayed.length >= delayedMax) send()
    else this.#delayed.add(send)
  }
}
