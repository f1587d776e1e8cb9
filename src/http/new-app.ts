import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import fastifyCookie from '@fastify/cookie'
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify'
import * as limits from '../domain/limits/limits.ts'
import { type AccessLog, requestIdOf } from './access-log.ts'
import type { SenderTimeouts } from './listen.ts'
import { type MalformedRequest, malformedJson, refuseMalformed, rejectInvalid } from './protocol-check.ts'
import type { RawResponse } from './raw-exchange.ts'
import { countArrivingBodies } from './request-body.ts'
import type { ResponseCounts } from './request-metrics.ts'
import type { TrustProxy } from './request-origin.ts'

interface AppOptions {
  log: FastifyBaseLogger
  counts: ResponseCounts
  access: AccessLog | undefined
  trustProxy: TrustProxy
  timeouts: SenderTimeouts
  /**
   * Returns whether the service is about to stop. Responses then close their connections, although the app still
   * accepts new ones.
   */
  leaving: () => boolean
  /** Returns the response to input that can't be parsed. `undefined`, or a missing function: the usual JSON. */
  malformed?: (error: MalformedRequest) => RawResponse | undefined
  /** Handles requests before Fastify does. */
  first?: RawHandler
}

/**
 * Handles the request if it matches one of its routes, and returns whether it did. While `ending` returns true, each
 * response is the last on its connection.
 */
export type RawHandler = (request: IncomingMessage, response: ServerResponse, ending: () => boolean) => boolean

/** Adds a surface's routes to an app. A surface with its own hooks, parsers or error handlers is a plugin instead. */
export type Mount = (app: FastifyInstance) => void

export async function newApp({
  log,
  counts,
  access,
  trustProxy,
  timeouts,
  leaving,
  malformed = () => undefined,
  first,
}: AppOptions): Promise<FastifyInstance> {
  let closed = false
  const closing = () => closed || leaving()
  const respondTo = (error: MalformedRequest) => malformed(error) ?? malformedJson(error)
  const app = fastify({
    loggerInstance: log,
    logController: new RequestLog(counts, access),
    // Creating a logger per request would take a tenth of a request's time on the hot path, and would add nothing to
    // the log.
    childLoggerFactory: (logger) => logger,
    trustProxy,
    bodyLimit: limits.requestBodyMaxBytes,
    // A connection that a browser opened in advance may send its first request only now.
    return503OnClosing: false,
    clientErrorHandler: refuseMalformed(respondTo, { detached: true }),
    forceCloseConnections: 'idle',
    serverFactory: (framework) =>
      newServer({ framework: framework as RequestListener, timeouts, first, closing, respondTo }),
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: 200 },
    // A path that is malformed or too long is replaced by a path without a route, so that the surface sends its own
    // 404.
    frameworkErrors: (_error, { raw }, reply) => {
      raw.url = pathWithoutRoute
      app.routing(raw, reply.raw)
    },
  })
  app.addHook('preClose', (done) => {
    closed = true
    done()
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    // A kept-alive connection would delay closing, so responses in flight close their connections.
    if (closing()) reply.header('connection', 'close')
    // Responses are not cached by default, because even redirects can contain codes and set session cookies.
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
    done(null, payload)
  })
  countArrivingBodies(app)
  await app.register(fastifyCookie)
  return app
}

const pathWithoutRoute = '/nothing'

interface ServerParts {
  framework: RequestListener
  timeouts: SenderTimeouts
  first: RawHandler | undefined
  closing: () => boolean
  respondTo: (error: MalformedRequest) => RawResponse
}

function newServer({ framework, timeouts, first, closing, respondTo }: ServerParts): Server {
  const rejected = rejectInvalid(respondTo)
  return createServer({ ...timeouts, requireHostHeader: false }, (request, response) => {
    if (rejected(request, response)) return
    if (first === undefined) return framework(request, response)
    if (closing()) response.shouldKeepAlive = false
    if (!first(request, response, closing)) framework(request, response)
  })
}

/**
 * Logs and counts Fastify requests: one line per request at debug level, and faults at error level. Uses the route's
 * pattern instead of the URL, which may contain a code or a state.
 */
class RequestLog extends LogController {
  readonly #counts: ResponseCounts
  readonly #access: AccessLog | undefined

  constructor(counts: ResponseCounts, access: AccessLog | undefined) {
    super()
    this.#counts = counts
    this.#access = access
  }

  override incomingRequest(): void {}

  override requestCompleted(error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply): void {
    const route = request.routeOptions.url ?? 'none'
    this.#counts.route(route).note(reply.statusCode)
    this.#access?.noteRoute(request.raw, route)
    const ms = Math.round(reply.elapsedTime)
    if (error)
      reply.log.error(
        { req: request, requestId: requestIdOf(request.raw, reply.raw), res: reply, ms, err: error },
        'response failed',
      )
    else reply.log.debug({ req: request, res: reply, ms }, 'request completed')
  }

  override defaultErrorLog(error: Error, request: FastifyRequest, reply: FastifyReply): void {
    if (reply.statusCode >= 500)
      reply.log.error({ req: request, requestId: requestIdOf(request.raw, reply.raw), err: error }, 'request failed')
    else reply.log.debug({ req: request, err: error }, 'request rejected')
  }

  override routeNotFound(): void {}
}

/** The headers by which browsers announce a prefetch; `X-Purpose: preview` is Safari's. */
const purposes = ['sec-purpose', 'purpose', 'x-moz', 'x-purpose'] as const

/**
 * Rejects prefetches of pages. The user has not opened the page yet, and opening a page can issue a code, redeem one, or
 * take a message that is shown once. Browsers drop the response and request the page again when the user opens it.
 */
export function rejectPrefetches(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ headers }, reply) => {
    if (purposes.some((name) => /prefetch|prerender|preview/i.test(String(headers[name] ?? '')))) {
      return reply.code(425).send()
    }
  })
}
