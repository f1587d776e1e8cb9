import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { FastifyBaseLogger } from 'fastify'
import { newId } from '../domain/ids.ts'
import { clientAddress, type TrustProxy } from './request-origin.ts'

/**
 * Logs one line per request if the operator has set `ACCESS_LOG`, and adds a request ID to each response. Lines contain
 * the path's pattern, because the path itself may contain a code or a state.
 *
 * Attaches directly to the server, so the surfaces don't know about it. When it is off, it costs nothing.
 */
export class AccessLog {
  readonly #log: FastifyBaseLogger
  readonly #trust: TrustProxy
  readonly #routes = new WeakMap<IncomingMessage, string>()

  constructor({ log, trust }: { log: FastifyBaseLogger; trust: TrustProxy }) {
    this.#log = log
    this.#trust = trust
  }

  /** @param routeOf returns the pattern of a path that isn't routed by the framework. */
  watch(server: Server, surface: string, routeOf: (path: string) => string | undefined): void {
    const note = (request: IncomingMessage, response: ServerResponse) => this.#note(request, response, surface, routeOf)
    server.prependListener('request', note)
    // If nothing listens for `checkContinue`, Node sends `100 Continue` itself and then emits `request`.
    if (server.listenerCount('checkContinue') > 0) server.prependListener('checkContinue', note)
  }

  noteRoute(request: IncomingMessage, route: string): void {
    this.#routes.set(request, route)
  }

  #note(
    request: IncomingMessage,
    response: ServerResponse,
    surface: string,
    routeOf: (path: string) => string | undefined,
  ): void {
    const begunMs = performance.now()
    const requestId = givenRequestId(request) ?? newId()
    const client = clientAddress(request, this.#trust)
    response.setHeader(requestIdHeader, requestId)
    response.once('close', () => {
      const route = this.#routes.get(request) ?? routeOf((request.url ?? '').split('?')[0] ?? '') ?? 'none'
      const status = response.headersSent ? response.statusCode : 'cut'
      const ms = Math.round((performance.now() - begunMs) * 10) / 10
      this.#log.info({ requestId, surface, method: request.method, route, status, ms, client }, 'access')
    })
  }
}

/** Excludes anything that could be mistaken for another log line. */
const wellFormed = /^[A-Za-z0-9._:-]{1,128}$/

const requestIdHeader = 'x-request-id'

/** Returns the ID sent by the client or a proxy, if it is usable. */
function givenRequestId({ headers }: IncomingMessage): string | undefined {
  const given = headers[requestIdHeader]
  return typeof given === 'string' && wellFormed.test(given) ? given : undefined
}

/** Returns the ID for log lines about this request: the one in its response, or else the one in the request. */
export function requestIdOf(request: IncomingMessage, response: ServerResponse): string | undefined {
  const answered = response.getHeader(requestIdHeader)
  return typeof answered === 'string' ? answered : givenRequestId(request)
}
