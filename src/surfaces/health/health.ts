import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyBaseLogger } from 'fastify'
import type { GatewayHealth, GatewayHealthReport, UnhealthyReason } from '../../domain/webhooks/gateway-health.ts'

/** The `reason` of the specification for each of the domain's. */
const wireReasons: Record<UnhealthyReason, string> = {
  'not-configured': 'gateway_not_configured',
  'not-ready': 'backend_not_ready',
  failing: 'backend_error',
}

/** `GET {api_url}/health`, without authentication. */
export function healthSurface({ health, log }: { health: GatewayHealth; log: FastifyBaseLogger }) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    health.check().then(
      (report) => reply(request, response, report),
      (error) => {
        log.error({ err: error }, 'the health check failed')
        reply(request, response, { kind: 'unhealthy', reason: 'failing' })
      },
    )
  }
}

/** The webhook health record and its status. */
export function healthRecord(report: GatewayHealthReport): { status: number; record: object } {
  const service = 'webhooks'
  if (report.kind === 'unhealthy') {
    return { status: 503, record: { status: 'unavailable', service, reason: wireReasons[report.reason] } }
  }
  const timestamp = new Date(report.checkedAtMs).toISOString()
  return { status: 200, record: { status: 'ok', service, backend: { latencyMs: report.latencyMs }, timestamp } }
}

function reply(request: IncomingMessage, response: ServerResponse, report: GatewayHealthReport): void {
  // What followed the request could not be read, or did not come, and was answered meanwhile.
  if (response.headersSent) return
  const { status, record } = healthRecord(report)
  const body = JSON.stringify(record)
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
  })
  response.end(request.method === 'HEAD' ? undefined : body)
}
