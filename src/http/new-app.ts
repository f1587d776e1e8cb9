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
  /** Whether answers end their connection already, because the service is about to close. */
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

/**
 * A Fastify app as every surface here expects it: cookies read, no request lines at info,
 * requests refused while closing, and limits against slow senders.
 */
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
    // A logger for each request would cost a tenth of a hot answer, and nothing is told apart by it.
    childLoggerFactory: (logger) => logger,
    trustProxy,
    bodyLimit: requestBodyMaxBytes,
    return503OnClosing: true,
    forceCloseConnections: 'idle',
    serverFactory: (framework) => newServer({ framework: framework as RequestListener, timeouts, first, closing }),
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: 200 },
    // An address that can't be read, or is too long for any of ours, is one at which nothing is: asked again by one that
    // can be read, it is answered as such in the surface's own shape.
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
    // A connection that is kept alive would hold up the closing, so the answers in hand are the last on theirs.
    if (closing()) reply.header('connection', 'close')
    // What does not say how long it may be kept is kept by nobody: redirects between pages set and carry credentials.
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
