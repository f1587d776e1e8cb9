import fastifyCookie from '@fastify/cookie'
import { type FastifyBaseLogger, type FastifyInstance, fastify, LogController } from 'fastify'
import type { TrustProxy } from './client-address.ts'

export interface AppOptions {
  log: FastifyBaseLogger
  trustProxy: TrustProxy
}

/**
 * A Fastify app as every surface here expects it: cookies read, no request lines at info (an address
 * may carry a code or a state), requests refused while closing, and limits against slow senders.
 */
export async function newApp({ log, trustProxy }: AppOptions): Promise<FastifyInstance> {
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy,
    bodyLimit: 65_536,
    requestTimeout: 30_000,
    keepAliveTimeout: 75_000,
    return503OnClosing: true,
    forceCloseConnections: 'idle',
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: 200 },
  })
  await app.register(fastifyCookie)
  return app
}
