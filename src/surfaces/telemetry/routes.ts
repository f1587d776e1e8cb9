import type { Build } from '../../domain/build.ts'
import type { Readiness } from '../../domain/readiness.ts'
import type { Mount } from '../../http/new-app.ts'
import { buildFigure } from './build-figure.ts'
import { addGauge } from './figures.ts'
import { liveness } from './liveness.ts'
import { type MeasuredServices, metricsOf } from './metrics.ts'
import { readyFigure } from './readiness-figure.ts'

/**
 * `/livez`: the process answers, so there is no reason to restart it. `/readyz`: it can do its work, so there is
 * reason to send it some; 503 says what it can't. `/metrics`: figures for Prometheus.
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
      readyFigure(async () => (await services.readiness.check()).reason),
    )
    addGauge(metrics, buildFigure(services.build))
    liveness(app, services.build)

    app.get('/readyz', async (_request, reply) => {
      const { ready, checks } = await services.readiness.check()
      return reply
        .code(ready ? 200 : 503)
        .header('cache-control', 'no-store')
        .send({ status: ready ? 'ok' : 'unavailable', ...services.build, checks })
    })

    app.get('/metrics', async (_request, reply) =>
      reply
        .header('cache-control', 'no-store')
        .type(metrics.contentType)
        .send(await metrics.metrics()),
    )
  }
}
