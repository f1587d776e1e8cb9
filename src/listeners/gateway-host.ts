import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyBaseLogger } from 'fastify'
import type { Clock } from '../domain/clock.ts'
import type { GatewayHealth } from '../domain/webhooks/gateway-health.ts'
import type { Webhooks } from '../domain/webhooks/webhooks.ts'
import type { AccessLog } from '../http/access-log.ts'
import type { AnswerCounts } from '../http/answer-counts.ts'
import { answerInHand } from '../http/answer-in-hand.ts'
import type { TrustProxy } from '../http/client-address.ts'
import { type ClosingGrace, type Listening, listen } from '../http/listen.ts'
import type { Refusals } from '../http/refusals.ts'
import type { SenderTimeouts } from '../http/sender-timeouts.ts'
import { healthSurface } from '../surfaces/health/health.ts'
import type { RuntimeLink } from '../surfaces/runtime-link/runtime-link.ts'
import { type Answer, endWith, refuse } from '../surfaces/webhook-gateway/answer.ts'
import { refuseUnknownAddress, WebhookGateway } from '../surfaces/webhook-gateway/webhook-gateway.ts'
import {
  badRequest,
  headersTooLarge,
  internalError,
  methodNotAllowed,
  notFound,
  requestTimeout,
} from '../surfaces/webhook-gateway/wire-errors.ts'

export interface GatewayHostParts {
  webhooks: Webhooks
  health: GatewayHealth
  runtimeLink: RuntimeLink
  /** The OpenAPI description of the OAuth endpoints, as JSON. */
  openapiDocument: () => Promise<string>
  trust: TrustProxy
  timeouts: SenderTimeouts
  log: FastifyBaseLogger
  clock: Clock
  answers: AnswerCounts
  /** Undefined while it is switched off. */
  access: AccessLog | undefined
}

type Serve = (request: IncomingMessage, response: ServerResponse) => void

/**
 * The listener on `{api_url}`: webhooks, health, the OpenAPI description and the runtime link. It stands on
 * `node:http` without a framework, since the webhooks are the hottest path of the service.
 */
export class GatewayHost {
  readonly #server: Server
  readonly #timeouts: SenderTimeouts
  readonly #health: GatewayHealth
  readonly #runtimeLink: RuntimeLink
  readonly #webhooks: WebhookGateway
  readonly #pages: ReadonlyMap<string, Serve>
  #listening: Listening | undefined

  constructor(parts: GatewayHostParts) {
    const { webhooks, health, runtimeLink, openapiDocument, trust, timeouts, log, clock, answers, access } = parts
    this.#timeouts = timeouts
    this.#health = health
    this.#runtimeLink = runtimeLink
    this.#webhooks = new WebhookGateway({ webhooks, trust, log, clock, answers, ending: () => health.closing })
    this.#pages = new Map([
      ['/health', healthSurface({ health, log })],
      ['/openapi.json', openapiPage({ openapiDocument, log })],
    ])
    this.#server = createServer({
      ...timeouts,
      // Clients that offer another protocol (h2c, say) with a webhook are answered in this one.
      shouldUpgradeCallback: (request) => pathOf(request) === '/runtime' && isWebSocket(request),
    })
    // Who says at once that nothing follows still wants the answer: what was stored without one is sent again.
    Object.assign(this.#server, { httpAllowHalfOpen: true })
    this.#server.on('request', (request, response) => this.#route(request, response, false))
    this.#server.on('checkContinue', (request, response) => this.#route(request, response, true))
    this.#server.on('checkExpectation', (request, response) => this.#route(request, response, false))
    this.#server.on('upgrade', (request, socket, head) => runtimeLink.upgrade(request, socket, head))
    this.#server.on('connect', (_request, socket: Duplex) => refuseTunnel(socket))
    this.#server.on('clientError', answerClientError)
    access?.watch(this.#server, 'gateway', (path) => (this.#pages.has(path) ? path : '/:botId/:path'))
  }

  /** Rejected webhooks. */
  get refusals(): Refusals {
    return this.#webhooks.refusals
  }

  /** Binds and resolves with the port in use. */
  async listen(address: { host: string; port: number }): Promise<number> {
    this.#listening = await listen(this.#server, address, this.#timeouts)
    return this.#listening.port
  }

  /** Takes no new connection, drains the runtimes, answers what was asked, and resolves when all connections are gone. */
  async close(grace: ClosingGrace): Promise<void> {
    this.#health.close()
    const closed = this.#listening?.close(grace)
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
    if (page === undefined) refuseUnknownAddress(request, response, this.#health.closing)
    else page(request, response)
  }
}

function openapiPage({ openapiDocument, log }: Pick<GatewayHostParts, 'openapiDocument' | 'log'>): Serve {
  return (request, response) => {
    openapiDocument().then(
      (body) => {
        // What followed the request could not be read, or did not come, and was answered meanwhile.
        if (response.headersSent) return
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

/** Node has let go of the connection: nobody else reads what still comes, nor hears that it failed. */
function refuseTunnel(socket: Duplex): void {
  socket.on('error', () => {})
  socket.resume()
  endAfterAnswers(socket, methodNotAllowed)
}

/** Connections that end with an answer to what could not be read. */
const spoilt = new WeakSet<Duplex>()

/**
 * What the parser refused, or waited for in vain. Answers in hand, to requests before this one, go first: their events
 * may be stored, and who hears nothing sends them again.
 */
function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  // The parser fails again at whatever follows.
  if (spoilt.has(socket)) return
  spoilt.add(socket)
  endAfterAnswers(socket, answerToClientError(error))
}

function endAfterAnswers(socket: Duplex, answer: Answer): void {
  if (!socket.writable) return
  const inHand = answerInHand(socket)
  if (inHand?.req.complete) {
    // Further bytes are not read: they would count as activity, and a client that reads no answers would never be cut.
    socket.pause()
    inHand.once('close', () => endAfterAnswers(socket, answer))
    return
  }
  socket.resume()
  endWith(socket, inHand, answer)
}

/**
 * A method that HTTP doesn't know is answered like any other that is not POST, and characters that no address may hold
 * like others that no path does.
 */
function answerToClientError({ code }: NodeJS.ErrnoException): Answer {
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
