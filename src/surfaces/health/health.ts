import type { GatewayHealth, GatewayHealthReport, UnhealthyReason } from '../../domain/webhooks/gateway-health.ts'
import { jsonResponse, type RawResponse } from '../../http/raw-exchange.ts'

/** The specification's reason codes, keyed by the domain's reasons. */
const wireReasons: Record<UnhealthyReason, string> = {
  'not-configured': 'gateway_not_configured',
  'not-ready': 'backend_not_ready',
  failing: 'backend_error',
}

export function healthEndpoint(health: GatewayHealth) {
  return async (): Promise<RawResponse> => {
    const { status, record } = healthRecord(await health.check())
    return jsonResponse(status, JSON.stringify(record), ['Cache-Control', 'no-store'])
  }
}

/** Returns the specification's health record with its HTTP status. */
export function healthRecord(report: GatewayHealthReport): { status: number; record: object } {
  const service = 'webhooks'
  if (report.kind === 'unhealthy') {
    return { status: 503, record: { status: 'unavailable', service, reason: wireReasons[report.reason] } }
  }
  const timestamp = new Date(report.checkedAtMs).toISOString()
  return { status: 200, record: { status: 'ok', service, backend: { latencyMs: report.latencyMs }, timestamp } }
}
