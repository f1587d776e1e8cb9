import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import * as limits from '../domain/limits/limits.ts'
import { StoreUnavailable } from '../domain/store-unavailable.ts'
import type { GatewayHealth } from '../domain/webhooks/gateway-health.ts'
import { type Listening, listen } from '../http/listen.ts'
import { isValid, type MalformedRequest, refuseMalformed, rejectInvalid } from '../http/new-app.ts'
import { endAfterResponses, jsonResponse, type RawResponse } from '../http/raw-exchange.ts'
import { RawRoutes } from '../http/raw-routes.ts'
import type { Refusals } from '../http/request-metrics.ts'
import { targetPath } from '../http/request-origin.ts'
import type { Service } from '../service.ts'
import { consentOperation } from '../surfaces/consent/operation.ts'
import { healthEndpoint } from '../surfaces/health/health.ts'
import { introspectOperation } from '../surfaces/oauth/introspect.ts'
import { pushedRequestOperation } from '../surfaces/oauth/pushed-request.ts'
import { revokeOperation } from '../surfaces/oauth/revoke.ts'
import { tokenOperation } from '../surfaces/oauth/token.ts'
import { userinfoOperation } from '../surfaces/oauth/userinfo.ts'
import type { RuntimeLink } from '../surfaces/runtime-link/runtime-link.ts'
import { webhookRoutes } from '../surfaces/webhook-gateway/webhook-gateway.ts'
import * as wire from '../surfaces/webhook-gateway/wire-errors.ts'
import type { Host, ListenerParts } from './app-host.ts'

interface ApiParts extends ListenerParts, Pick<Service, 'webhooks' | 'refusalLog' | 'log' | 'clock'> {
  address: { host: string; port: number }
  health: GatewayHealth
  runtimeLink: RuntimeLink
  /** Returns the OpenAPI description of the OAuth endpoints, as JSON. */
  openapiDocument: () => Promise<string>
  refusals: Readonly<Record<'webhooks' | 'runtimes', Refusals>>
}

/** Serves webhooks, health, the OpenAPI description and the runtime link, without a framework (decision 0005). */
export function apiHost(parts: ApiParts): Host {
  const { address, timeouts, connections, turns, health, runtimeLink, refusals, access } = parts
  const webhooks = webhookRoutes({ ...parts, refusals: refusals.webhooks })
  const others = otherRoutes(parts)
  const server = createServer({
    ...timeouts,
    requireHostHeader: false,
    // Clients that offer a protocol upgrade (such as h2c) with a webhook get an HTTP/1.1 response.
    shouldUpgradeCallback: (request) => targetPath(request) === '/runtime' && isWebSocket(request) && isValid(request),
  })
  // A client that half-closes its connection still expects the response. Without one, it would send a stored webhook
  // again.
  Object.assign(server, { httpAllowHalfOpen: true })
  const ending = () => health.closing
  const rejected = rejectInvalid(responseToMalformed)
  const handle = (request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean) => {
    turns.readInTurn(request)
    if (rejected(request, response)) return
    const received = { request, response, path: targetPath(request), ending, awaitsContinue }
    turns.take(
      request,
      () => {
        if (!webhooks.handle(received)) others.handle(received)
      },
      response,
    )
  }
  server.on('request', (request, response) => handle(request, response, false))
  server.on('checkContinue', (request, response) => handle(request, response, true))
  server.on('upgrade', (request, socket, head) => runtimeLink.upgrade(request, socket, head))
  server.on('connect', (_request, socket: Duplex) => refuseTunnel(socket))
  server.on('clientError', refuseMalformed(responseToMalformed))
  access?.watch(server, 'gateway', (path) => others.patternOf(path) ?? wire.webhookPattern)
  let listening: Listening | undefined
  return {
    name: 'api',
    async listen() {
      listening = await listen(server, address, timeouts, connections)
      return listening.port
    },
    async close(grace) {
      health.close()
      const closed = listening?.close(grace)
      await runtimeLink.drain()
      // Closes connections that have become idle since closing started, which Node doesn't do. A response that began
      // before `health.close()` kept its connection alive.
      server.closeIdleConnections()
      await closed
      webhooks.close()
      refusals.webhooks.close()
      refusals.runtimes.close()
    },
  }
}

/** Routes for health, the OpenAPI description, and 404 for every other path. */
function otherRoutes({ health, openapiDocument, log, clock, trust, turns }: ApiParts): RawRoutes {
  const pages = {
    '/health': healthEndpoint(health),
    '/openapi.json': () => openapiDocument().then((body) => jsonResponse(200, body)),
  }
  const nothing = () => wire.notFound
  return new RawRoutes({
    routes: [
      ...Object.entries(pages).map(([pattern, respond]) => ({
        pattern,
        methods: { GET: respond, HEAD: respond },
        otherMethod: nothing,
      })),
      { pattern: wire.webhookPattern, path: /^/, methods: {}, otherMethod: nothing },
    ],
    clock,
    trust,
    turns,
    counts: undefined,
    bodyMaxBytes: limits.webhookBodyMaxBytes,
    refuse(error) {
      log.error({ err: error }, 'OpenAPI document failed')
      return error instanceof StoreUnavailable ? wire.wireErrors['gateway-unavailable'] : wire.internalError
    },
  })
}

function isWebSocket({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket'
}

/** Rejects CONNECT. Node has detached the socket, so nothing else reads from it or handles its errors. */
function refuseTunnel(socket: Duplex): void {
  socket.on('error', () => {})
  socket.resume()
  endAfterResponses(socket, wire.methodNotAllowed)
}

/** Answers unknown methods like wrong ones, and paths with forbidden characters like unknown ones. */
function responseToMalformed({ code }: MalformedRequest): RawResponse {
  switch (code) {
    case 'HPE_INVALID_METHOD':
      return wire.methodNotAllowed
    case 'HPE_INVALID_URL':
      return wire.notFound
    case 'HPE_HEADER_OVERFLOW':
      return wire.headersTooLarge
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return wire.requestTimeout
    default:
      return wire.badRequest
  }
}

/** The OAuth operations, as shown in the OpenAPI description and in the portal's reference. */
export const describedOperations = [
  consentOperation,
  tokenOperation,
  userinfoOperation,
  revokeOperation,
  introspectOperation,
  pushedRequestOperation,
]
