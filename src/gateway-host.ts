import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyBaseLogger } from 'fastify'
import type { Clock } from './domain/clock.ts'
import type { GatewayHealth } from './domain/webhooks/gateway-health.ts'
import type { Webhooks } from './domain/webhooks/webhooks.ts'
import type { TrustProxy } from './http/client-address.ts'
import { type Listening, listen } from './http/listen.ts'
import { healthSurface } from './surfaces/health/health.ts'
import type { RuntimeLink } from './surfaces/runtime-link/runtime-link.ts'
import { rawAnswer, refuse } from './surfaces/webhook-gateway/answer.ts'
import { refuseUnknownAddress, WebhookGateway } from './surfaces/webhook-gateway/webhook-gateway.ts'
import {
  badRequest,
  headersTooLarge,
  internalError,
  methodNotAllowed,
  notFound,
  requestTimeout,
} from './surfaces/webhook-gateway/wire-errors.ts'

export interface GatewayHostParts {
  webhooks: Webhooks
  health: GatewayHealth
  runtimeLink: RuntimeLink
  /** The OpenAPI description of the OAuth endpoints, as JSON. */
  openapiDocument: () => Promise<string>
  trust: TrustProxy
  log: FastifyBaseLogger
  clock: Clock
}

type Serve = (request: IncomingMessage, response: ServerResponse) => void

/**
 * The listener on `{api_url}`: webhooks, health, the OpenAPI description and the runtime link. It stands on
 * `node:http` without a framework, since the webhooks are the hottest path of the service.
 */
export class GatewayHost {
  readonly #server: Server
  readonly #health: GatewayHealth
  readonly #runtimeLink: RuntimeLink
  readonly #webhooks: WebhookGateway
  readonly #pages: ReadonlyMap<string, Serve>
  #listening: Listening | undefined
  #ending = false

  constructor(parts: GatewayHostParts) {
    const { webhooks, health, runtimeLink, openapiDocument, trust, log, clock } = parts
    this.#health = health
    this.#runtimeLink = runtimeLink
    this.#webhooks = new WebhookGateway({ webhooks, trust, log, clock, ending: () => this.#ending })
    this.#pages = new Map([
      ['/health', healthSurface({ health, log })],
      ['/openapi.json', openapiPage({ openapiDocument, log })],
    ])
    this.#server = createServer({
      headersTimeout: 15_000,
      requestTimeout: 30_000,
      connectionsCheckingInterval: 5_000,
      // Longer than proxies keep idle connections, so that it is they who close.
      keepAliveTimeout: 75_000,
      // Clients that offer another protocol (h2c, say) with a webhook are answered in this one.
      shouldUpgradeCallback: (request) => pathOf(request) === '/runtime' && isWebSocket(request),
    })
    this.#server.on('request', (request, response) => this.#route(request, response, false))
    this.#server.on('checkContinue', (request, response) => this.#route(request, response, true))
    this.#server.on('checkExpectation', (request, response) => this.#route(request, response, false))
    this.#server.on('upgrade', (request, socket, head) => runtimeLink.upgrade(request, socket, head))
    this.#server.on('connect', (_request, socket: Duplex) => socket.end(rawAnswer(methodNotAllowed)))
    this.#server.on('clientError', answerClientError)
  }

  /** Binds and resolves with the port in use. */
  async listen(address: { host: string; port: number }): Promise<number> {
    this.#listening = await listen(this.#server, address)
    return this.#listening.port
  }

  /** Takes no new connection, drains the runtimes, answers what was asked, and resolves when all connections are gone. */
  async close(): Promise<void> {
    this.#ending = true
    this.#health.close()
    const closed = this.#listening?.close()
    await this.#runtimeLink.drain()
    // What is idle by now had its last answer without being told that it is the last.
    this.#server.closeIdleConnections()
    await closed
    this.#webhooks.close()
  }

  #route(request: IncomingMessage, response: ServerResponse, waits: boolean): void {
    const path = pathOf(request)
    const slash = path.indexOf('/', 1)
    if (slash > 1) {
      this.#webhooks.handle({ request, response, botId: path.slice(1, slash), path: path.slice(slash + 1), waits })
      return
    }
    const page = request.method === 'GET' || request.method === 'HEAD' ? this.#pages.get(path) : undefined
    if (page === undefined) refuseUnknownAddress(request, response, this.#ending)
    else page(request, response)
  }
}

function openapiPage({ openapiDocument, log }: Pick<GatewayHostParts, 'openapiDocument' | 'log'>): Serve {
  return (request, response) => {
    openapiDocument().then(
      (body) => {
        response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) })
        response.end(request.method === 'HEAD' ? undefined : body)
      },
      (error) => {
        log.error({ err: error }, 'the OpenAPI document could not be made')
        refuse(request, response, internalError, true)
      },
    )
  }
}

/** The address without its query. Requests may name it in full (RFC 9112 section 3.2.2). */
function pathOf({ url = '/' }: IncomingMessage): string {
  const query = url.indexOf('?')
  const address = query < 0 ? url : url.slice(0, query)
  if (address.startsWith('/')) return address
  return address.replace(/^https?:\/\/[^/]*/i, '') || '/'
}

function isWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket'
}

/** The answer that the connection waits for. Node keeps it under this name and uses it for the same purpose. */
function underWay(socket: Duplex): ServerResponse | undefined {
  return (socket as Duplex & { _httpMessage?: ServerResponse | null })._httpMessage ?? undefined
}

/**
 * What the parser refused. A method that HTTP doesn't know is answered like any other that is not POST, and
 * characters that no address may hold like others that no path does.
 */
function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  // With an earlier request still being answered, these bytes would be read as its answer.
  if (!socket.writable || underWay(socket) !== undefined) {
    socket.destroy()
    return
  }
  switch (error.code) {
    case 'HPE_INVALID_METHOD':
      socket.end(rawAnswer(methodNotAllowed))
      return
    case 'HPE_INVALID_URL':
      socket.end(rawAnswer(notFound))
      return
    case 'HPE_HEADER_OVERFLOW':
      socket.end(rawAnswer(headersTooLarge))
      return
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      socket.end(rawAnswer(requestTimeout))
      return
    default:
      socket.end(rawAnswer(badRequest))
  }
}
