import type { FastifyInstance } from 'fastify'
import type { Registry } from 'prom-client'
import { Problem, sendProblem } from '../../api/engine/problem.ts'
import type { Build } from '../../domain/build.ts'
import type { HostFailure } from '../../domain/store-unavailable.ts'
import type { Mount } from '../../http/new-app.ts'
import type { MeasuredServices } from './metrics.ts'

export function telemetrySurface(services: MeasuredServices): Mount {
  const load = async () => (await import('./metrics.ts')).serviceMetrics(services)
  return (app) => telemetryRoutes(app, services.build, () => services.readiness.check(), load)
}

/**
 * Returns the control surface of a node that waits for its database: live but not ready, with the reasons at `/readyz`.
 * Other URLs return 503.
 * @param failures of the last attempt; empty during the first.
 */
export function waitingSurface(build: Build, failures: () => readonly HostFailure[]): Mount {
  const checks = { identity: 'failing', gateway: 'not-ready' }
  const check = async () => ({ ready: false, checks, reason: 'starting', database: failures() })
  const load = async () => (await import('./metrics.ts')).waitingMetrics(build)
  return (app) => {
    telemetryRoutes(app, build, check, load)
    app.setNotFoundHandler((_request, reply) => sendProblem(reply, waitingProblem))
  }
}

const waitingProblem = new Problem(503, 'This node is waiting for its database. Try again later, or at another node.', {
  headers: { 'retry-after': '5' },
})

/**
 * `/livez` returns 200 while the process responds, even without its database, and `/readyz` 200, or 503 with the failed
 * checks. `/metrics` exports Prometheus metrics.
 *
 * @param load imports the metrics library, a tenth of the modules that a start would load, at the first request.
 */
function telemetryRoutes(
  app: FastifyInstance,
  build: Build,
  check: () => Promise<{ ready: boolean; checks: object; reason: string; database?: readonly HostFailure[] }>,
  load: () => Promise<Registry>,
): void {
  let loading: Promise<Registry> | undefined

  app.get('/livez', (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'ok', ...build }))

  app.get('/readyz', async (_request, reply) => {
    const { ready, checks, reason, database } = await check()
    return reply
      .code(ready ? 200 : 503)
      .header('cache-control', 'no-store')
      .send({ status: ready ? 'ok' : 'unavailable', ...build, checks, ...(ready ? {} : { reason, database }) })
  })

  app.get('/metrics', async (_request, reply) => {
    loading ??= load()
    const registry = await loading
    const text = await registry.metrics()
    return reply.header('cache-control', 'no-store').type(registry.contentType).send(text)
  })
}
