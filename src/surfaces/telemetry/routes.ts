import type { Build } from '../../domain/build.ts'
import type { Readiness } from '../../domain/readiness.ts'
import type { Mount } from '../../http/new-app.ts'
import { buildMetric } from './build-metric.ts'
import { liveness } from './liveness.ts'
import { type MeasuredServices, metricsOf } from './metrics.ts'
import { readyMetric } from './ready-metric.ts'
import { addGauge } from './register-metric.ts'

/**
 * `/livez` returns 200 as long as the process responds. `/readyz` returns 200 if the node can serve requests, otherwise
 * 503, the failed checks and the reason. `/metrics` exports Prometheus metrics.
 */
export function telemetrySurface(
  services: MeasuredServices & {
    readiness: Readiness
    build: Build
  },
): Mount {
  return (app) => {
    const metrics = metricsOf(services)
    addGauge(
      metrics,
      readyMetric(async () => (await services.readiness.check()).reason),
    )
    addGauge(metrics, buildMetric(services.build))
    liveness(app, services.build)

    app.get('/readyz', async (_request, reply) => {
      const { ready, checks, reason } = await services.readiness.check()
      return reply
        .code(ready ? 200 : 503)
        .header('cache-control', 'no-store')
        .send({ status: ready ? 'ok' : 'unavailable', ...services.build, checks, ...(ready ? {} : { reason }) })
    })

    app.get('/metrics', async (_request, reply) =>
      reply
        .header('cache-control', 'no-store')
        .type(metrics.contentType)
        .send(await metrics.metrics()),
    )
  }
}
