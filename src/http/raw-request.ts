import type { IncomingMessage, ServerResponse } from 'node:http'
import type { InFlight } from './in-flight.ts'
import { BodyTooLarge, emptyBody, RequestBody } from './request-body.ts'
import { requestIdOf } from './request-id.ts'

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

/** A request to a raw route. */
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
    } catch (tooLarge) {
      return tooLarge
    }
  }
}
