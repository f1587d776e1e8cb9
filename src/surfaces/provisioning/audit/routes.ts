import { Readable } from 'node:stream'
import type { Audit, AuditEvent } from '../../../domain/audit/audit.ts'
import { auditExportDefault } from '../../../domain/limits/limits.ts'
import { ok, type Route, route } from '../../../rest/operation.ts'
import { readQuery } from '../../../rest/query.ts'
import { exportAudit } from './contract.ts'

/** Batch size. Small enough to limit memory use and keep each query short. */
const eventsPerRead = 500

export function auditRoutes({ audit }: { audit: Audit }): Route[] {
  return [
    route(exportAudit, async ({ query }) => {
      const { after = 0, limit: atMost = auditExportDefault } = readQuery(exportAudit.query, query)
      // Read the first batch before the response starts. If the store is unavailable, the client then gets a problem
      // document instead of a broken stream.
      const first = await audit.after(after, Math.min(atMost, eventsPerRead))
      return ok(Readable.from(lines(audit, first, atMost)))
    }),
  ]
}

/** Yields batches as fast as the client reads them. */
async function* lines(audit: Audit, first: readonly AuditEvent[], atMost: number): AsyncGenerator<string> {
  let left = atMost
  let events = first
  for (let last = events.at(-1); last !== undefined; last = events.at(-1)) {
    yield events.map((event) => `${JSON.stringify(record(event))}\n`).join('')
    left -= events.length
    events = left === 0 ? [] : await audit.after(last.number, Math.min(left, eventsPerRead))
  }
}

function record({ atMs, ...event }: AuditEvent) {
  const { number, ...others } = event
  return { number, at: new Date(atMs).toISOString(), ...others }
}
