import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import * as limits from '../domain/limits/limits.ts'
import { BodyTooLarge, emptyBody, RequestBody } from './request-body.ts'
import { requestIdOf } from './request-metrics.ts'

export interface Received {
  request: IncomingMessage
  response: ServerResponse
  path: string
  /** Returns whether the listener is closing. Responses then close their connections. */
  ending: () => boolean
  /** Whether the client waits for `100 Continue` before sending the body. */
  awaitsContinue?: boolean
}

export class RawRequest {
  readonly message: IncomingMessage
  readonly response: ServerResponse
  readonly ending: () => boolean
  readonly pattern: string
  readonly parameters: readonly string[]
  /** The complete body, or a reader if it is incomplete. */
  source: Buffer | RequestBody = emptyBody
  /** While it is in flight: since when, and its neighbors in {@link InFlightRequests}. */
  sinceMs = 0
  previous: RawRequest | undefined
  next: RawRequest | undefined
  /** Whether the response for a missed deadline has been sent. If so, the handler's response is dropped. */
  isOverdue = false
  readonly #enter: (request: RawRequest) => void
  #awaitsContinue: boolean

  /** @param enter marks the request as in flight. Throws Overloaded if there are too many. */
  constructor(
    received: Received,
    pattern: string,
    parameters: readonly string[],
    enter: (request: RawRequest) => void,
  ) {
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
   * @throws BodyTooLarge, before the rest of the body has arrived; Overloaded.
   */
  body(): Buffer | Promise<Buffer> {
    if (this.source instanceof RequestBody) return this.#rest(this.source)
    this.#enter(this)
    return this.source
  }

  async #rest(body: RequestBody): Promise<Buffer> {
    const whole = await this.#whole(body)
    this.#enter(this)
    return whole
  }

  #whole(body: RequestBody): Promise<Buffer> {
    if (this.#awaitsContinue) this.response.writeContinue()
    this.#awaitsContinue = false
    return body.whole()
  }

  /** Returns the error to respond with: BodyTooLarge before others, for which it reads a chunked body. */
  async decisiveError(error: unknown, body: RequestBody): Promise<unknown> {
    body.discard()
    if (error instanceof BodyTooLarge || this.message.headers['transfer-encoding'] === undefined) return error
    try {
      await this.#whole(body)
      return error
    } catch (later) {
      return later instanceof BodyTooLarge ? later : error
    }
  }
}

/**
 * The complete requests without a response, oldest first. A linked list, because a busy Map's outgrown tables stayed
 * linked to their successors and, once in the old generation, kept every entry alive until a full garbage collection.
 * That took a seventh of the gateway's time, with pauses of 20 ms.
 */
export class InFlightRequests {
  #first: RawRequest | undefined
  #last: RawRequest | undefined
  #count = 0

  get count(): number {
    return this.#count
  }

  /** @param nowMs must not be lower than in an earlier call. */
  add(request: RawRequest, nowMs: number): void {
    request.sinceMs = nowMs
    request.previous = this.#last
    if (this.#last === undefined) this.#first = request
    else this.#last.next = request
    this.#last = request
    this.#count += 1
  }

  /** Does nothing if the request isn't in flight. */
  remove(request: RawRequest): void {
    const { previous, next } = request
    if (previous !== undefined) previous.next = next
    else if (this.#first === request) this.#first = next
    else return
    if (next === undefined) this.#last = previous
    else next.previous = previous
    this.#count -= 1
    request.previous = undefined
    request.next = undefined
  }

  /** Removes and returns the requests that were added at or before `ms`. */
  takeSince(ms: number): RawRequest[] {
    const late: RawRequest[] = []
    for (let first = this.#first; first !== undefined && first.sinceMs <= ms; first = this.#first) {
      this.remove(first)
      late.push(first)
    }
    return late
  }
}

export interface RawResponse {
  status: number
  /** Alternating header names and values, as `writeHead` accepts them. Node adds Date, Connection and Keep-Alive. */
  headers: string[]
  body: string
}

/** Returns the response with its Content-Length, which a 204 must not have (RFC 9110, section 8.6). */
export function rawResponse(status: number, headers: readonly string[], body = ''): RawResponse {
  const length = status === 204 ? [] : ['content-length', String(Buffer.byteLength(body))]
  return { status, headers: [...headers, ...length], body }
}

/** @param headers come after Content-Type and Content-Length. */
export function jsonResponse(status: number, body: string, headers: readonly string[] = []): RawResponse {
  const length = String(Buffer.byteLength(body))
  return { status, headers: ['Content-Type', 'application/json', 'Content-Length', length, ...headers], body }
}

/**
 * Writes the response, unless one was written, such as at a deadline. If much of the body is still to come, reads and
 * drops it within limits, then closes: closing at once would reset the connection and lose the response.
 *
 * @param bodyMaxBytes maximum Content-Length of a body whose rest is dropped while the connection stays open.
 */
export function writeResponse(
  response: ServerResponse,
  { status, headers, body }: RawResponse,
  { last, bodyMaxBytes }: { last: boolean; bodyMaxBytes: number },
): void {
  if (response.headersSent) return
  const restIsSmall = response.req.complete || isSmall(response.req, bodyMaxBytes)
  if (last || !restIsSmall) response.shouldKeepAlive = false
  response.writeHead(status, headers)
  if (restIsSmall) {
    // Node itself reads and drops the rest of the request's body.
    response.end(body)
    return
  }
  // A response to HEAD has no body, so its headers have to be flushed explicitly.
  response.flushHeaders()
  response.write(body)
  endAfterBody(response.req, response)
}

function isSmall({ headers }: IncomingMessage, bodyMaxBytes: number): boolean {
  const { 'transfer-encoding': coding, expect, 'content-length': length } = headers
  return coding === undefined && expect === undefined && Number(length ?? 0) <= bodyMaxBytes
}

function endAfterBody(request: IncomingMessage, response: ServerResponse): void {
  const end = () => response.end()
  let readBytes = 0
  request.on('data', (chunk: Buffer) => {
    readBytes += chunk.length
    if (readBytes > limits.refusedBodyReadMaxBytes) end()
  })
  request.once('end', end)
  request.once('close', end)
  response.setTimeout(limits.refusedBodyIdleMs, end)
}

function lastResponseText({ status, headers, body }: RawResponse): string {
  const lines = [...headers, 'Connection', 'close'].map((part, at) => (at % 2 === 0 ? `${part}: ` : `${part}\r\n`))
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`
}

/** Returns the response that is next to be sent on the connection, from an internal property of Node. */
export function responseInFlight(socket: Duplex): ServerResponse | undefined {
  return (socket as Duplex & { _httpMessage?: ServerResponse | null })._httpMessage ?? undefined
}

/**
 * Sends `raw` and ends the connection, because the parser rejected the input or timed out waiting for it. Responses to
 * earlier complete requests are sent first: their events may be stored, and their senders would send them again.
 * @param detached writes to the socket, not to the response in flight, to which a framework would write again.
 */
export function endAfterResponses(socket: Duplex, raw: RawResponse, { detached = false } = {}): void {
  if (!socket.writable) return
  const response = responseInFlight(socket)
  if (response?.req.complete) {
    // Stop reading: further input would count as activity, so a client that reads no responses would never time out.
    socket.pause()
    response.once('close', () => endAfterResponses(socket, raw, { detached }))
    return
  }
  socket.resume()
  endWith(socket, detached && !response?.headersSent ? undefined : response, raw)
}

/** Ends the connection. If no response has been sent yet, sends `raw` as the response to the incomplete request. */
function endWith(socket: Duplex, response: ServerResponse | undefined, raw: RawResponse): void {
  if (response === undefined) {
    socket.end(lastResponseText(raw))
  } else {
    if (!response.headersSent) {
      response.shouldKeepAlive = false
      response.writeHead(raw.status, raw.headers)
      response.flushHeaders()
      response.write(raw.body)
    }
    socket.end()
  }
  // Closing a socket with unread bytes would reset it and lose the response, so they are dropped for a short time.
  const cut = setTimeout(() => socket.destroy(), limits.refusedBodyIdleMs)
  socket.once('close', () => clearTimeout(cut))
}
