import fastifyCookie from '@fastify/cookie'
import { type FastifyBaseLogger, type FastifyInstance, fastify } from 'fastify'
import type { TrustProxy } from './client-address.ts'
import { RequestLog } from './request-log.ts'

export interface AppOptions {
  log: FastifyBaseLogger
  trustProxy: TrustProxy
}

/**
 * A Fastify app as every surface here expects it: cookies read, no request lines at info,
 * requests refused while closing, and limits against slow senders.
 */
export async function newApp({ log, trustProxy }: AppOptions): Promise<FastifyInstance> {
  const app = fastify({
    loggerInstance: log,
    logController: new RequestLog(),
    trustProxy,
    bodyLimit: 65_536,
    requestTimeout: 30_000,
    keepAliveTimeout: 75_000,
    return503OnClosing: true,
    forceCloseConnections: 'idle',
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: 200 },
  })
  endConnectionsWhenClosing(app)
  await app.register(fastifyCookie)
  return app
}

/** A connection that is kept alive would hold up the closing, so the answers in hand are the last on theirs. */
function endConnectionsWhenClosing(app: FastifyInstance): void {
  let closing = false
  app.addHook('preClose', (done) => {
    closing = true
    done()
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (closing) reply.header('connection', 'close')
    done(null, payload)
  })
}
