import type { ServerResponse } from 'node:http'
import { type RawResponse, writeResponse } from './raw-response.ts'

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

/**
 * Maximum responses per tick. Each response triggers its client's next request. This limit therefore also bounds the
 * work of the following ticks and how long other clients wait.
 */
const responsesPerTick = 512

/** If `ending` returns true when the response is written, the response closes its connection. */
interface Ending {
  ending: () => boolean
  bodyMaxBytes: number
}

interface Pending {
  response: ServerResponse
  raw: RawResponse
  end: Ending
}

/**
 * Sends the responses of one event-loop tick together at its end. The first write wakes the client process, which costs
 * more than all the other writes. Node keeps pipelined responses in the order of their requests.
 */
export class ResponseBatch {
  readonly #pending = new TickQueue<Pending>(responsesPerTick, ({ response, raw, end }) => {
    writeResponse(response, raw, { last: end.ending(), bodyMaxBytes: end.bodyMaxBytes })
  })

  get length(): number {
    return this.#pending.length
  }

  send(response: ServerResponse, raw: RawResponse, end: Ending): void {
    this.#pending.add({ response, raw, end })
  }
}

const shedPerTick = 128
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
  readonly #delayed = new TickQueue<() => void>(shedPerTick, (send) => send())

  /** Calls `send` at the end of this tick or of a later one. */
  add(send: () => void): void {
    if (this.#delayed.length >= delayedMax) send()
    else this.#delayed.add(send)
  }
}
