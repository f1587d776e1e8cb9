import type { ServerResponse } from 'node:http'
import { type RawResponse, writeResponse } from './raw-response.ts'
import { TickQueue } from './tick-queue.ts'

/**
 * Maximum responses per tick. Each response triggers its client's next request. This limit therefore also bounds the
 * work of the following ticks and how long other clients wait.
 */
const responsesPerTick = 512

/** If `ending` returns true when the response is written, the response closes its connection. */
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
