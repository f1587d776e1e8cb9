import type { ServerResponse } from 'node:http'
import { type RawResponse, writeResponse } from './raw-response.ts'
import { TickQueue } from './tick-queue.ts'

/**
 * Maximum responses per tick. Each brings its client's next request, so this also bounds the work of the following ticks,
 * and how long other clients wait.
 */
const responsesPerTick = 512

/** Decides, when a response is written, whether it is the last of its connection. */
export interface Ending {
  /** Whether the listener is closing. */
  ending: () => boolean
  bodyMaxBytes: number
}

interface Leaving {
  response: ServerResponse
  raw: RawResponse
  end: Ending
}

/**
 * Sends the responses of one event-loop tick together, at its end. The first write wakes the client process, and waking it
 * costs more than the other writes. Node keeps pipelined responses in the order of their requests.
 */
export class ResponseBatch {
  readonly #leaving = new TickQueue<Leaving>(responsesPerTick, ({ response, raw, end }) => {
    writeResponse(response, raw, { last: end.ending(), bodyMaxBytes: end.bodyMaxBytes })
  })

  /** Responses that have not been written yet. */
  get length(): number {
    return this.#leaving.length
  }

  send(response: ServerResponse, raw: RawResponse, end: Ending): void {
    this.#leaving.add({ response, raw, end })
  }
}
