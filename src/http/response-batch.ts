import type { ServerResponse } from 'node:http'
import { type RawResponse, writeResponse } from './raw-response.ts'
import { TickQueue } from './tick-queue.ts'

/**
 * Maximum responses per tick. Each one brings its client's next request, so this also limits the work of the following
 * ticks and the wait of other clients.
 */
const responsesPerTick = 512

/** Determines, at the time of writing, whether a response closes its connection. */
export interface Ending {
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
 * more than all other writes. Node keeps pipelined responses in the order of their requests.
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
