import type { FastifyPluginAsync } from 'fastify'
import type { GatewayHealth } from '../../domain/webhooks/gateway-health.ts'
import { type MeasuredRooms, metricsOf } from './metrics.ts'

/**
 * `/livez`: the process answers, so there is no reason to restart it. `/readyz`: it can do its work, so there is
 * reason to send it some; 503 says what it can't. `/metrics`: figures for Prometheus.
 */
export function telemetrySurface(
  rooms: MeasuredRooms & {
    /** Resolves once the identity database has taken a write. */
    probeIdentity(): Promise<void>
    gatewayHealth: GatewayHealth
  },
): FastifyPluginAsync {
  const identityCheck = () =>
    rooms.probeIdentity().then(
      () => 'ok',
      () => 'failing',
    )

  return async (app) => {
    const metrics = metricsOf(rooms)

    app.get('/livez', (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'ok' }))

    app.get('/readyz', async (_request, reply) => {
      const [identity, gateway] = await Promise.all([identityCheck(), rooms.gatewayHealth.check()])
      const checks = { identity, gateway: gateway.kind === 'healthy' ? 'ok' : gateway.reason }
      const ready = checks.identity === 'ok' && checks.gateway === 'ok'
      return reply
        .code(ready ? 200 : 503)
        .header('cache-control', 'no-store')
        .send({ status: ready ? 'ok' : 'unavailable', checks })
    })

    app.get('/metrics', async (_request, reply) =>
      reply
        .header('cache-control', 'no-store')
        .type(metrics.contentType)
        .send(await metrics.metrics()),
    )
  }
}
