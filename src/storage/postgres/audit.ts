import { setTimeout as sleep } from 'node:timers/promises'
import type { AuditEvent } from '../../domain/audit/audit-event.ts'
import type { AuditStore } from '../../domain/audit/audit-store.ts'
import { eventsAfter, sqlAudit } from '../sql/audit.ts'
import type { PostgresDatabase } from './postgres-database.ts'

/** How long an export waits for transactions that may hold a number before those it has read. */
const appendersMs = 1_000
const askAgainMs = 10

/** Whoever appends holds this lock from before an event gets its number until the event is seen by all. */
const appenders = `SELECT virtualtransaction AS transaction FROM pg_locks
  WHERE relation = CAST('audit_events' AS regclass) AND mode = 'RowExclusiveLock' AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

/** The audit's events on PostgreSQL. */
export function postgresAudit(database: PostgresDatabase): AuditStore {
  return { ...sqlAudit(database), listAfter }

  /**
   * PostgreSQL numbers events when they are inserted, and shows them when they are committed: a lower number can
   * appear after a higher one, and an exporter would go on beyond it. So where a number is missing, those are waited
   * for that were appending meanwhile; what is missing then was rolled back or pruned. Nobody waits for an export,
   * and while somebody appends without end, it is given what lies before the gap.
   */
  async function listAfter(number: number, atMost: number): Promise<AuditEvent[]> {
    const seen = await database.read(() => eventsAfter(number, atMost))
    const gap = seen.findIndex((event, index) => event.number !== number + 1 + index)
    if (gap === -1) return seen
    if (!(await appendersAreDone())) return seen.slice(0, gap)
    const last = seen.at(-1)?.number ?? number
    return (await database.read(() => eventsAfter(number, atMost))).filter((event) => event.number <= last)
  }

  /** Whether all who append now are done within the time that an export waits. */
  async function appendersAreDone(): Promise<boolean> {
    let left = (await database.alone<{ transaction: string }>(appenders)).map(({ transaction }) => transaction)
    for (let waitedMs = 0; left.length > 0; waitedMs += askAgainMs) {
      if (waitedMs >= appendersMs) return false
      await sleep(askAgainMs)
      const now = await database.alone<{ transaction: string }>(appenders)
      left = left.filter((transaction) => now.some((held) => held.transaction === transaction))
    }
    return true
  }
}
