import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import * as limits from '../domain/limits/limits.ts'

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

/** Returns a JSON response. `headers` come after Content-Type and Content-Length. */
export function jsonResponse(status: number, body: string, headers: readonly string[] = []): RawResponse {
  const length = String(Buffer.byteLength(body))
  return { status, headers: ['Content-Type', 'application/json', 'Content-Length', length, ...headers], body }
}

/**
 * Writes the response, unless one has already been written, for example when a deadline passed.
 *
 * If much of the request's body is still to come, the connection is closed after this response. Closing it immediately
 * would reset it and lose the response, so the rest of the body is read and dropped first, within limits.
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

/** Ends the response once the request's body is complete, is too long, or stops arriving. */
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

/** Returns the response as HTTP/1.1 text that closes the connection. For use when no request awaits a response. */
function lastResponseText({ status, headers, body }: RawResponse): string {
  const lines = [...headers, 'Connection', 'close'].map((part, at) => (at % 2 === 0 ? `${part}: ` : `${part}\r\n`))
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`
}

/**
 * Returns the response that is next to be sent on the connection. Reads the internal property in which Node stores it.
 */
export function responseInFlight(socket: Duplex): ServerResponse | undefined {
  return (socket as Duplex & { _httpMessage?: ServerResponse | null })._httpMessage ?? undefined
}

/**
 * Sends `raw` and ends the connection, because the parser rejected the input or timed out waiting for it.
 *
 * Responses to earlier complete requests are sent first. The events in those requests may already be stored, and a
 * sender that gets no response would send them again.
 *
 * @param detached writes to the socket instead of the response in flight, for a framework, which would write to it again.
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
  // Closing a socket with unread bytes resets it, which loses the response. So incoming bytes are read and dropped for
  // a short time.
  const cut = setTimeout(() => socket.destroy(), limits.refusedBodyIdleMs)
  socket.once('close', () => clearTimeout(cut))
}
