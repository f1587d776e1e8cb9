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
  /** Whether responses already close their connection, because the service is about to stop. */
  leaving: () => boolean
  /** Handles requests before the framework does. */
  first?: RawHandler
}

/**
 * Handles the request if it matches one of its routes, and returns whether it does. While `ending` returns true, each
 * response is the last of its connection.
 */
export type RawHandler = (request: IncomingMessage, response: ServerResponse, ending: () => boolean) => boolean

/**
 * Adds the routes of a surface to an app. A surface with its own hooks, parsers or error handlers is a plugin instead.
 */
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
    // A logger per request would take a tenth of the time of a hot request, and would add nothing to the lines.
    childLoggerFactory: (logger) => logger,
    trustProxy,
    bodyLimit: requestBodyMaxBytes,
    return503OnClosing: true,
    forceCloseConnections: 'idle',
    serverFactory: (framework) => newServer({ framework: framework as RequestListener, timeouts, first, closing }),
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: 200 },
    // A malformed or too long path has no route. It is replaced by a path without one, so that the surface sends its
    // own 404.
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
    // A kept-alive connection would delay closing, so responses in flight close theirs.
    if (closing()) reply.header('connection', 'close')
    // Responses aren't cached by default, because redirects between pages carry and set credentials.
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
