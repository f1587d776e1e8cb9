import type { Mount } from '../../http/new-app.ts'
import { liveness } from './liveness.ts'
import type { MeasuredServices } from './metrics.ts'
import { metricsRoute } from './metrics-route.ts'

/**
 * `/livez` returns 200 as long as the process responds. `/readyz` returns 200 if the node can serve requests, otherwise
 * 503, the failed checks and the reason. `/metrics` exports Prometheus metrics.
 */
export function telemetrySurface(services: MeasuredServices): Mount {
  return (app) => {
    liveness(app, services.build)

    app.get('/readyz', async (_request, reply) => {
      const { ready, checks, reason } = await services.readiness.check()
      return reply
        .code(ready ? 200 : 503)
        .header('cache-control', 'no-store')
        .send({ status: ready ? 'ok' : 'unavailable', ...services.build, checks, ...(ready ? {} : { reason }) })
    })

    metricsRoute(app, async () => (await import('./metrics.ts')).serviceMetrics(services))
  }
}
