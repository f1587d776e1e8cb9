import { Readable } from 'node:stream'
import type { Audit } from '../../../domain/audit/audit.ts'
import type { AuditEvent } from '../../../domain/audit/audit-event.ts'
import { auditExportDefault, auditExportMax } from '../../../domain/limits/limits.ts'
import { ok, type Route, route } from '../operation.ts'
import { Problem } from '../problem.ts'
import { exportAudit } from './contract.ts'

/** Batch size. Small enough to limit memory use and keep each query short. */
const eventsPerRead = 500

export function auditRoutes({ audit }: { audit: Audit }): Route[] {
  return [
    route(exportAudit, async ({ query: { after, limit, ...unknown } }) => {
      const [name] = Object.keys(unknown)
      if (name !== undefined) throw new Problem(400, `Unknown parameter ${name}. Known parameters: after, limit.`)
      const from = integerParameter('after', after, { least: 0, most: Number.MAX_SAFE_INTEGER, otherwise: 0 })
      const atMost = integerParameter('limit', limit, { least: 1, most: auditExportMax, otherwise: auditExportDefault })
      // Read the first batch before the response starts. If the store is unavailable, the client then gets a problem
      // document instead of a broken stream.
      const first = await audit.after(from, Math.min(atMost, eventsPerRead))
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

/** Parses an integer from the query. @throws Problem 400 if it is malformed or out of range. */
function integerParameter(
  name: string,
  sent: unknown,
  { least, most, otherwise }: { least: number; most: number; otherwise: number },
): number {
  if (sent === undefined) return otherwise
  const number = typeof sent === 'string' && /^\d{1,16}$/.test(sent) ? Number(sent) : Number.NaN
  if (number >= least && number <= most) return number
  throw new Problem(400, `The parameter ${name} is malformed. Expected: one integer from ${least} to ${most}.`)
}
