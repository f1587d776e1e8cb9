import type { Build } from '../../domain/build.ts'
import type { HostFailure } from '../../domain/store-unavailable.ts'
import type { Mount } from '../../http/new-app.ts'
import { liveness } from './liveness.ts'
import { metricsRoute } from './metrics-route.ts'

/**
 * Returns the control surface for a node that is waiting for its database. The node is live but not ready. `/readyz`
 * returns why each database host is unavailable. All other URLs return 503.
 *
 * @param failures returns the failures from the last attempt; empty during the first.
 */
export function waitingSurface(build: Build, failures: () => readonly HostFailure[]): Mount {
  return (app) => {
    liveness(app, build)

    app.get('/readyz', (_request, reply) =>
      reply
        .code(503)
        .header('cache-control', 'no-store')
        .send({
          status: 'unavailable',
          ...build,
          checks: { identity: 'failing', gateway: 'not-ready' },
          reason: 'starting',
          database: failures().map(({ host, reason }) => ({ host, reason })),
        }),
    )

    metricsRoute(app, async () => (await import('./node-metrics.ts')).waitingMetrics(build))

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
