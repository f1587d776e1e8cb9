import { collectDefaultMetrics, Registry } from 'prom-client'
import type { Build } from '../../domain/build.ts'
import type { HostFailure } from '../../domain/store-unavailable.ts'
import type { Mount } from '../../http/new-app.ts'
import { buildFigure } from './build-figure.ts'
import { addGauge } from './figures.ts'
import { liveness } from './liveness.ts'
import { readyFigure } from './readiness-figure.ts'

/**
 * Returns the control surface of a node that waits for its database. The node is live but not ready, and `/readyz` gives
 * the reason for each database host. Calls to the provisioning API get 503.
 *
 * @param failures returns the failures of the last attempt; empty during the first.
 */
export function waitingSurface(build: Build, failures: () => readonly HostFailure[]): Mount {
  return (app) => {
    const registry = new Registry()
    collectDefaultMetrics({ register: registry })
    addGauge(
      registry,
      readyFigure(() => 'starting'),
    )
    addGauge(registry, buildFigure(build))
    liveness(app, build)

    app.get('/readyz', (_request, reply) =>
      reply
        .code(503)
        .header('cache-control', 'no-store')
        .send({
          status: 'unavailable',
          ...build,
          checks: { identity: 'failing', gateway: 'not-ready' },
          database: failures().map(({ host, reason }) => ({ host, reason })),
        }),
    )

    app.get('/metrics', async (_request, reply) =>
      reply
        .header('cache-control', 'no-store')
        .type(registry.contentType)
        .send(await registry.metrics()),
    )

    app.setNotFoundHandler((_request, reply) =>
      reply
        .code(503)
        .header('retry-after', String(waitingRetryAfterSeconds))
        .type('application/problem+json')
        .send(JSON.stringify(waitingProblem)),
    )
  }
}

const waitingRetryAfterSeconds = 5

const waitingProblem = {
  type: 'about:blank',
  title: 'Service Unavailable',
  status: 503,
  detail: 'This node is waiting for its database. Try again later, or at another node.',
}
