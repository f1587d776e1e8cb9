import type { IncomingMessage, ServerResponse } from 'node:http'

/** What proxies give as ids, and nothing that could look like another line of a log. */
const wellFormed = /^[A-Za-z0-9._:-]{1,128}$/

export const requestIdHeader = 'x-request-id'

/** The id that the sender, or a proxy, gave the request; undefined when it gave none that is usable. */
export function givenRequestId({ headers }: IncomingMessage): string | undefined {
  const given = headers[requestIdHeader]
  return typeof given === 'string' && wellFormed.test(given) ? given : undefined
}

/** By what lines of the log about this request are found: the id that its answer carries, or the one it came with. */
export function requestIdOf(request: IncomingMessage, response: ServerResponse): string | undefined {
  const answered = response.getHeader(requestIdHeader)
  return typeof answered === 'string' ? answered : givenRequestId(request)
}
