import { leaseMs } from '../../../domain/limits/limits.ts'
import type { Backlog } from './backlog.ts'
import { type EventRows, leaseOf } from './event-rows.ts'
import type { Leases } from './leases.ts'
import type { Retention } from './retention.ts'

/**
 * Loads the queue's in-memory state from the file at startup. Leases get their full duration from `nowMs`. All
 * connections were lost, so the dispatcher ends the leases of runtimes that don't reconnect in time.
 *
 * @returns the highest event number in use, or 0 if there is none.
 */
export function loadEvents(
  rows: EventRows,
  { backlog, leases, retention }: { backlog: Backlog; leases: Leases; retention: Retention },
  nowMs: number,
): number {
  let highest = 0
  for (const row of rows.all()) {
    highest = row.number
    if (row.state === 'done' || row.state === 'dead') {
      retention.add(row.state, row.bot_id, row.kept_bytes)
      continue
    }
    const lease = leaseOf(row)
    if (row.state === 'ready') {
      backlog.restore(lease, { number: row.number, dueAtMs: row.due_at_ms, first: row.attempts === 0 })
      continue
    }
    backlog.restore(lease, undefined)
    leases.add({ ...lease, holder: row.holder ?? '', untilMs: nowMs + leaseMs })
  }
  return highest
}
