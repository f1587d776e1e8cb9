import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { FastifyBaseLogger } from 'fastify'
import { newId } from '../domain/ids.ts'
import { clientAddress, type TrustProxy } from './client-address.ts'
import { givenRequestId, requestIdHeader } from './request-id.ts'

/**
 * One line for each request, where the operator has switched that on (`ACCESS_LOG`), and an id on each answer by which
 * its line is found. Addresses are told by their pattern, since they may carry a code or a state.
 *
 * It listens beside the surfaces, which know nothing of it: where it is off, no request pays for it.
 */
export class AccessLog {
  readonly #log: FastifyBaseLogger
  readonly #trust: TrustProxy
  readonly #routes = new WeakMap<IncomingMessage, string>()

  constructor({ log, trust }: { log: FastifyBaseLogger; trust: TrustProxy }) {
    this.#log = log
    this.#trust = trust
  }

  /** @param routeOf the pattern of an address that no framework routes. */
  watch(server: Server, surface: string, routeOf: (path: string) => string | undefined): void {
    const note = (request: IncomingMessage, response: ServerResponse) => this.#note(request, response, surface, routeOf)
    server.prependListener('request', note)
    // Where nobody listens to this event, Node answers by itself and then emits `request`.
    if (server.listenerCount('checkContinue') > 0) server.prependListener('checkContinue', note)
  }

  /** The framework has found the pattern. */
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
