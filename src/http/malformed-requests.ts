import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { endAfterResponses, jsonResponse, type RawResponse } from './raw-exchange.ts'

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
