import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import fastifyCookie from '@fastify/cookie'
import { type FastifyBaseLogger, type FastifyInstance, fastify } from 'fastify'
import { requestBodyMaxBytes } from '../domain/limits/limits.ts'
import type { AccessLog } from './access-log.ts'
import type { TrustProxy } from './client-address.ts'
import { RequestLog } from './request-log.ts'
import type { ResponseCounts } from './response-counts.ts'
import type { SenderTimeouts } from './sender-timeouts.ts'

export interface AppOptions {
  log: FastifyBaseLogger
  counts: ResponseCounts
  /** `undefined` if the access log is off. */
  access: AccessLog | undefined
  trustProxy: TrustProxy
  timeouts: SenderTimeouts
  /**
   * Returns whether the service is about to stop. Responses then close their connections, although the app still
   * accepts new ones.
   */
  leaving: () => boolean
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

/** Returns a Fastify app with cookies, request logging at debug level, and timeouts for slow senders. */
export async function newApp({
  log,
  counts,
  access,
  trustProxy,
  timeouts,
  leaving,
  first,
}: AppOptions): Promise<FastifyInstance> {
  let closed = false
  const closing = () => closed || leaving()
  const app = fastify({
    loggerInstance: log,
    logController: new RequestLog(counts, access),
    // Creating a logger per request would take a tenth of a request's time on the hot path, and would add nothing to
    // the log.
    childLoggerFactory: (logger) => logger,
    trustProxy,
    bodyLimit: requestBodyMaxBytes,
    return503OnClosing: true,
    forceCloseConnections: 'idle',
    serverFactory: (framework) => newServer({ framework: framework as RequestListener, timeouts, first, closing }),
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
  await app.register(fastifyCookie)
  return app
}

const pathWithoutRoute = '/nothing'

interface ServerParts {
  framework: RequestListener
  timeouts: SenderTimeouts
  first: RawHandler | undefined
  closing: () => boolean
}

function newServer({ framework, timeouts, first, closing }: ServerParts): Server {
  return createServer({ ...timeouts }, (request, response) => {
    if (first === undefined) return framework(request, response)
    if (closing()) response.shouldKeepAlive = false
    if (!first(request, response, closing)) framework(request, response)
  })
}
