import type { IncomingMessage, ServerResponse } from 'node:http'
import { requestIdOf } from './access-log.ts'
import { BodyTooLarge, emptyBody, RequestBody } from './request-body.ts'

export interface Received {
  request: IncomingMessage
  response: ServerResponse
  path: string
  /** Returns whether the listener is closing. Responses then close their connections. */
  ending: () => boolean
  /** Whether the client waits for `100 Continue` before sending the body. */
  awaitsContinue?: boolean
}

type Enter = (request: RawRequest) => InFlight<RawRequest>

export class RawRequest {
  readonly message: IncomingMessage
  readonly response: ServerResponse
  readonly ending: () => boolean
  readonly pattern: string
  readonly parameters: readonly string[]
  /** The complete body, or a reader if it is incomplete. */
  source: Buffer | RequestBody = emptyBody
  inFlight: InFlight<RawRequest> | undefined
  /** Whether the response for a missed deadline has been sent. If so, the handler's response is dropped. */
  isOverdue = false
  readonly #enter: Enter
  #awaitsContinue: boolean

  /** @param enter marks the request as in flight. Throws Overloaded if there are too many. */
  constructor(received: Received, pattern: string, parameters: readonly string[], enter: Enter) {
    this.message = received.request
    this.response = received.response
    this.ending = received.ending
    this.pattern = pattern
    this.parameters = parameters
    this.#enter = enter
    this.#awaitsContinue = received.awaitsContinue ?? false
  }

  get id(): string | undefined {
    return requestIdOf(this.message, this.response)
  }

  /**
   * Returns the complete body, which is empty unless the method is POST. The request counts as in flight only once the
   * body is complete, so slow senders don't use up the limit.
   *
   * @throws BodyTooLarge, before the rest of the body has arrived; Overloaded.
   */
  body(): Buffer | Promise<Buffer> {
    if (this.source instanceof RequestBody) return this.#rest(this.source)
    this.inFlight = this.#enter(this)
    return this.source
  }

  async #rest(body: RequestBody): Promise<Buffer> {
    const whole = await this.#whole(body)
    this.inFlight = this.#enter(this)
    return whole
  }

  #whole(body: RequestBody): Promise<Buffer> {
    if (this.#awaitsContinue) this.response.writeContinue()
    this.#awaitsContinue = false
    return body.whole()
  }

  /**
   * Returns the error that determines the response. BodyTooLarge takes precedence over any other error. Whether a
   * chunked body is too large is only known after reading it.
   */
  async decisiveError(error: unknown, body: RequestBody): Promise<unknown> {
    body.discard()
    if (this.message.complete || this.message.headers['transfer-encoding'] === undefined) return error
    if (error instanceof BodyTooLarge) return error
    try {
      await this.#whole(body)
      return error
    } catch (later) {
      return later instanceof BodyTooLarge ? later : error
    }
  }
}

export interface InFlight<Request> {
  readonly request: Request
  readonly sinceMs: number
  previous: InFlight<Request> | undefined
  next: InFlight<Request> | undefined
}

/**
 * The complete requests that have no response yet, oldest first.
 *
 * A linked list, because a Map was too slow. When a busy Map outgrows its table, the previous table stays linked to its
 * successor. Once a previous table reaches the garbage collector's old generation, it keeps every entry alive until the
 * next full collection. This effect took a seventh of the gateway's time and caused pauses of 20 ms.
 */
export class InFlightRequests<Request> {
  #first: InFlight<Request> | undefined
  #last: InFlight<Request> | undefined
  #count = 0

  get count(): number {
    return this.#count
  }

  /**
   * Adds a request.
   *
   * @param nowMs must not be lower than in an earlier call.
   */
  add(request: Request, nowMs: number): InFlight<Request> {
    const added: InFlight<Request> = { request, sinceMs: nowMs, previous: this.#last, next: undefined }
    if (this.#last === undefined) this.#first = added
    else this.#last.next = added
    this.#last = added
    this.#count += 1
    return added
  }

  /** Removes the request. Does nothing if it has already been removed. */
  remove(entry: InFlight<Request>): void {
    const { previous, next } = entry
    if (previous !== undefined) previous.next = next
    else if (this.#first === entry) this.#first = next
    else return
    if (next === undefined) this.#last = previous
    else next.previous = previous
    this.#count -= 1
    entry.previous = undefined
    entry.next = undefined
  }

  /** Removes and returns the requests that were added at or before `ms`. */
  takeSince(ms: number): Request[] {
    const late: Request[] = []
    for (let first = this.#first; first !== undefined && first.sinceMs <= ms; first = this.#first) {
      this.remove(first)
      late.push(first.request)
    }
    return late
  }
}
