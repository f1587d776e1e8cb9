import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyBaseLogger } from 'fastify'
import type { Clock } from '../domain/clock.ts'
import { webhookBodyMaxBytes } from '../domain/limits/limits.ts'
import type { GatewayHealth } from '../domain/webhooks/gateway-health.ts'
import type { Webhooks } from '../domain/webhooks/webhooks.ts'
import { endAfterResponses } from '../http/connection-end.ts'
import { type Listening, listen } from '../http/listen.ts'
import { jsonResponse, type RawResponse } from '../http/raw-response.ts'
import { RawRoutes } from '../http/raw-routes.ts'
import type { Refusals } from '../http/refusals.ts'
import { healthEndpoint } from '../surfaces/health/health.ts'
import type { RuntimeLink } from '../surfaces/runtime-link/runtime-link.ts'
import { webhookRoutes } from '../surfaces/webhook-gateway/webhook-gateway.ts'
import {
  badRequest,
  headersTooLarge,
  internalError,
  methodNotAllowed,
  notFound,
  requestTimeout,
  webhookPattern,
} from '../surfaces/webhook-gateway/wire-errors.ts'
import type { Host, ListenerParts } from './app-host.ts'

export interface ApiParts extends ListenerParts {
  address: { host: string; port: number }
  webhooks: Webhooks
  health: GatewayHealth
  runtimeLink: RuntimeLink
  /** Returns the OpenAPI description of the OAuth endpoints, as JSON. */
  openapiDocument: () => Promise<string>
  log: FastifyBaseLogger
  clock: Clock
  refusals: Readonly<Record<'webhooks' | 'runtimes', Refusals>>
}

/**
 * Builds the listener on `{api_url}`: webhooks, health, the OpenAPI description and the runtime link. It has no framework,
 * because webhooks are the hottest path of the service (decision 0005).
 */
export function apiHost(parts: ApiParts): Host {
  const { address, timeouts, health, runtimeLink, refusals, access } = parts
  const webhooks = webhookRoutes({ ...parts, refusals: refusals.webhooks })
  const others = otherRoutes(parts)
  const server = createServer({
    ...timeouts,
    // Clients that offer another protocol (h2c, say) with a webhook get their response in this one.
    shouldUpgradeCallback: (request) => pathOf(request) === '/runtime' && isWebSocket(request),
  })
  // A client that half-closes its connection still wants the response: without one it repeats what was stored.
  Object.assign(server, { httpAllowHalfOpen: true })
  const ending = () => health.closing
  const handle = (request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean) => {
    const received = { request, response, path: pathOf(request), ending, awaitsContinue }
    if (!webhooks.handle(received)) others.handle(received)
  }
  server.on('request', (request, response) => handle(request, response, false))
  server.on('checkContinue', (request, response) => handle(request, response, true))
  server.on('checkExpectation', (request, response) => handle(request, response, false))
  server.on('upgrade', (request, socket, head) => runtimeLink.upgrade(request, socket, head))
  server.on('connect', (_request, socket: Duplex) => refuseTunnel(socket))
  server.on('clientError', refuseMalformed)
  access?.watch(server, 'gateway', (path) => others.patternOf(path) ?? webhookPattern)
  let listening: Listening | undefined
  return {
    name: 'api',
    async listen() {
      listening = await listen(server, address, timeouts)
      return listening.port
    },
    async close(grace) {
      health.close()
      const closed = listening?.close(grace)
      await runtimeLink.drain()
      // The last response of an idle connection did not tell its client that it is the last.
      server.closeIdleConnections()
      await closed
      webhooks.close()
      refusals.webhooks.close()
      refusals.runtimes.close()
    },
  }
}

/** Health, the OpenAPI description, and 404 for every other address. */
function otherRoutes({ health, openapiDocument, log, clock }: ApiParts): RawRoutes {
  const pages = {
    '/health': healthEndpoint({ health, log }),
    '/openapi.json': () => openapiDocument().then((body) => jsonResponse(200, body)),
  }
  const nothing = () => notFound
  return new RawRoutes({
    routes: [
      ...Object.entries(pages).map(([pattern, respond]) => ({
        pattern,
        methods: { GET: respond, HEAD: respond },
        otherMethod: nothing,
      })),
      { pattern: webhookPattern, path: /^/, methods: {}, otherMethod: nothing },
    ],
    clock,
    bodyMaxBytes: webhookBodyMaxBytes,
    refuse(error) {
      log.error({ err: error }, 'the OpenAPI document could not be made')
      return internalError
    },
  })
}

/** Returns the address without its query. Requests may give it in full (RFC 9112 section 3.2.2). */
function pathOf({ url = '/' }: IncomingMessage): string {
  const query = url.indexOf('?')
  const path = query < 0 ? url : url.slice(0, query)
  if (path.startsWith('/')) return path
  return path.replace(/^https?:\/\/[^/]*/i, '') || '/'
}

function isWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket'
}

/** Refuses CONNECT. Node has detached the socket, so nothing else reads from it or handles its errors. */
function refuseTunnel(socket: Duplex): void {
  socket.on('error', () => {})
  socket.resume()
  endAfterResponses(socket, methodNotAllowed)
}

/** Connections that end with a response to what the parser refused. */
const refused = new WeakSet<Duplex>()

/** Refuses what the parser could not read, or waited for in vain. */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  // The parser fails again at whatever follows.
  if (refused.has(socket)) return
  refused.add(socket)
  endAfterResponses(socket, responseToMalformed(error))
}

/**
 * A method unknown to HTTP is refused like any other that is not POST, and a path with forbidden characters like any other
 * without a route.
 */
function responseToMalformed({ code }: NodeJS.ErrnoException): RawResponse {
  switch (code) {
    case 'HPE_INVALID_METHOD':
      return methodNotAllowed
    case 'HPE_INVALID_URL':
      return notFound
    case 'HPE_HEADER_OVERFLOW':
      return headersTooLarge
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return requestTimeout
    default:
      return badRequest
  }
}
