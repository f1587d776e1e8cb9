import { TickQueue } from './tick-queue.ts'

const responsesPerTick = 128
/** Maximum delayed responses; further ones are sent at once. */
const delayedMax = 20_000

/**
 * Delays the responses that refuse a request because of overload. Each one brings its sender's next request, and refusing
 * that takes nearly as long as serving it, so only a few are sent per event-loop tick. A node with time to spare runs many
 * ticks.
 *
 * A refusal can be delayed because it holds no lock, no place in a queue and no memory except its own.
 */
export class ShedResponses {
  readonly #delayed = new TickQueue<() => void>(responsesPerTick, (send) => send())

  /** Calls `send` at the end of this tick or a later one. */
  add(send: () => void): void {
    if (this.#delayed.length >= delayedMax) send()
    else this.#delayed.add(send)
  }
}
