import type { FastifyInstance } from 'fastify'
import type { Registry } from 'prom-client'

/**
 * `GET /metrics`.
 *
 * @param load imports the metrics and creates the registry. Called at the first request, because the metrics library is
 * a tenth of the modules that a start would load.
 */
export function metricsRoute(app: FastifyInstance, load: () => Promise<Registry>): void {
  let loading: Promise<Registry> | undefined
  app.get('/metrics', async (_request, reply) => {
    loading ??= load()
    const registry = await loading
    const text = await registry.metrics()
    return reply.header('cache-control', 'no-store').type(registry.contentType).send(text)
  })
}
