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
  /** Undefined while it is switched off. */
  access: AccessLog | undefined
  trustProxy: TrustProxy
  timeouts: SenderTimeouts
  /** Whether responses already end their connection, because the service is about to close. */
  leaving: () => boolean
  /** Handles requests before the framework does. */
  first?: RawHandler
}

/**
 * Handles the request if it is for one of its routes, and returns whether it is. While `ending` returns true, a response
 * is the last of its connection.
 */
export type RawHandler = (request: IncomingMessage, response: ServerResponse, ending: () => boolean) => boolean

/** Adds the routes of a surface to an app. A surface with hooks, parsers or error handlers of its own is a plugin instead. */
export type Mount = (app: FastifyInstance) => void

/** Returns a Fastify app with cookies, without request lines at info, and with limits against slow senders. */
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
    // A logger per request would cost a tenth of a hot request, and would add nothing to a line.
    childLoggerFactory: (logger) => logger,
    trustProxy,
    bodyLimit: requestBodyMaxBytes,
    return503OnClosing: true,
    forceCloseConnections: 'idle',
    serverFactory: (framework) => newServer({ framework: framework as RequestListener, timeouts, first, closing }),
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: 200 },
    // A malformed or overlong path has no route. It is routed again as a path without one, so that the surface responds
    // in its own form.
    frameworkErrors: (_error, { raw }, reply) => {
      raw.url = addressOfNothing
      app.routing(raw, reply.raw)
    },
  })
  app.addHook('preClose', (done) => {
    closed = true
    done()
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    // A connection that is kept alive would delay the closing, so responses in flight are the last of theirs.
    if (closing()) reply.header('connection', 'close')
    // Responses are not cached unless they say otherwise: redirects between pages set and carry credentials.
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
    done(null, payload)
  })
  await app.register(fastifyCookie)
  return app
}

const addressOfNothing = '/nothing'

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
