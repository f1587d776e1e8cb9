import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { endAfterResponses, jsonResponse, type RawResponse, writeResponse } from './raw-exchange.ts'

/** Connections whose first request was HTTP, and connections that end with the response to a rejected request. */
const connections = new WeakMap<Socket, 'http' | 'ending'>()

/**
 * Returns a function that rejects what Node's parser accepts although it isn't a valid HTTP/1.0 or 1.1 request, and
 * returns whether it did. The connection ends with the response. Requests that follow on it are dropped.
 *
 * Servers need `requireHostHeader: false`, because Node's own check doesn't stop such requests.
 */
export function rejectInvalid(rejection: (error: MalformedRequest) => RawResponse) {
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    if (connections.get(request.socket) === 'ending') return true
    if (isValid(request)) return false
    connections.set(request.socket, 'ending')
    const error = Object.assign(new Error('invalid request'), { rawPacket: packetOf(request) })
    writeResponse(response, rejection(error), { last: true, bodyMaxBytes: 0 })
    return true
  }
}

/**
 * Checks what Node's parser leaves open: it also accepts other versions and protocols, any transfer coding that ends
 * with `chunked`, and several `Host` headers (RFC 9112, sections 2.3, 3.2 and 6.1).
 */
export function isValid(request: IncomingMessage): boolean {
  const { httpVersion, headers, rawHeaders, socket } = request
  const isCurrent = httpVersion === '1.1'
  if (!isCurrent && httpVersion !== '1.0') return false
  // Looking at the bytes takes a fifth of the time that Node takes for a request, so not every request is checked.
  if (!isCurrent || !connections.has(socket)) {
    if (isOtherProtocol(request)) return false
    connections.set(socket, 'http')
  }
  const coding = headers['transfer-encoding']
  if (coding !== undefined && !(isCurrent && coding.toLowerCase() === 'chunked')) return false
  const hosts = hostsIn(rawHeaders)
  return hosts === 1 || (hosts === 0 && !isCurrent)
}

function hostsIn(rawHeaders: readonly string[]): number {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  return hosts
}

/** The other protocols that Node's parser accepts. */
const otherProtocols = ['RTSP/', 'ICE/']

/** Returns whether the request line names one of them. Node doesn't report it. */
function isOtherProtocol(request: IncomingMessage): boolean {
  const { method = '', url = '' } = request
  const text = packetOf(request)?.toString('latin1') ?? ''
  return otherProtocols.some((protocol) => {
    for (let at = text.indexOf(protocol); at >= 0; at = text.indexOf(protocol, at + 1)) {
      const start = text.slice(0, at).trimEnd()
      if (start.endsWith(` ${url}`) && start.slice(0, -url.length).trimEnd().endsWith(method)) return true
    }
    return false
  })
}

/**
 * Returns the bytes that are being parsed, which only an internal method returns. If the request's head arrived in
 * parts, its beginning is missing.
 */
function packetOf({ socket }: IncomingMessage): Buffer | undefined {
  const { parser } = socket as Socket & { parser?: { getCurrentBuffer?(): Buffer | undefined } }
  return parser?.getCurrentBuffer?.()
}

/** An error of Node's parser, or a timeout. */
export interface MalformedRequest extends NodeJS.ErrnoException {
  /** The chunk at which the parser failed: a `Buffer`, which Fastify's types don't say. */
  rawPacket?: unknown
}

/** Connections that are closing after malformed input. */
const refused = new WeakSet<Duplex>()

/**
 * Returns a `clientError` listener, for input that the parser can't parse or that doesn't arrive in time.
 *
 * @param options.detached see `endAfterResponses`.
 */
export function refuseMalformed(
  respond: (error: MalformedRequest) => RawResponse,
  options: { detached?: boolean } = {},
) {
  return (error: MalformedRequest, socket: Duplex): void => {
    // The parser reports further input as another error, but the response is sent only once.
    if (refused.has(socket)) return
    refused.add(socket)
    endAfterResponses(socket, respond(error), options)
  }
}

export function malformedJson({ code }: MalformedRequest): RawResponse {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return plainJson(408, 'Client Timeout')
    case 'HPE_HEADER_OVERFLOW':
      return plainJson(431, 'Exceeded maximum allowed HTTP header size')
    default:
      return plainJson(400, 'Client Error')
  }
}

function plainJson(statusCode: number, message: string): RawResponse {
  return jsonResponse(statusCode, JSON.stringify({ error: STATUS_CODES[statusCode], message, statusCode }))
}
