import type { IncomingMessage, ServerResponse } from 'node:http'

/** Matches the IDs that proxies use. Excludes anything that could be mistaken for another log line. */
const wellFormed = /^[A-Za-z0-9._:-]{1,128}$/

export const requestIdHeader = 'x-request-id'

/** Returns the ID sent by the client or a proxy, if it is usable. */
export function givenRequestId({ headers }: IncomingMessage): string | undefined {
  const given = headers[requestIdHeader]
  return typeof given === 'string' && wellFormed.test(given) ? given : undefined
}

/** Returns the ID for log lines about this request: the one in its response, or else the one in the request. */
export function requestIdOf(request: IncomingMessage, response: ServerResponse): string | undefined {
  const answered = response.getHeader(requestIdHeader)
  return typeof answered === 'string' ? answered : givenRequestId(request)
}
