import { setTimeout as sleep } from 'node:timers/promises'
import type { AuditStore } from '../../domain/audit/audit.ts'
import type { AuditEvent } from '../../domain/audit/audit-event.ts'
import { eventsAfter, sqlAudit } from '../sql/audit.ts'
import type { PostgresDatabase } from './postgres-database.ts'

/** Maximum time that an export waits for open transactions that may still add events with lower numbers. */
const maxWaitMs = 1_000
const pollEveryMs = 10

/**
 * Selects the transactions that are appending an event, by their lock on the table. Each transaction acquires that lock
 * before its event gets a number, and holds it until it commits or rolls back.
 */
const appenders = `SELECT virtualtransaction AS transaction FROM pg_locks
  WHERE relation = CAST('audit_events' AS regclass) AND mode = 'RowExclusiveLock' AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

export function postgresAudit(database: PostgresDatabase): AuditStore {
  return { ...sqlAudit(database), listAfter }

  /**
   * Lists events without skipping those that are committed late.
   *
   * PostgreSQL assigns an event's number on insertion, but the event becomes visible on commit. A lower number can
   * therefore appear after a higher one. An exporter that continues after the highest number would miss it. If a number
   * is missing, this function waits for the open transactions that append events. A number that is still missing
   * afterwards was rolled back or pruned. If the transactions stay open for longer than `maxWaitMs`, returns only the
   * events before the first missing number. Writers never wait for an export.
   */
  async function listAfter(number: number, atMost: number): Promise<AuditEvent[]> {
    const seen = await database.read(() => eventsAfter(number, atMost))
    const gap = seen.findIndex((event, index) => event.number !== number + 1 + index)
    if (gap === -1) return seen
    if (!(await appendersHaveFinished())) return seen.slice(0, gap)
    const last = seen.at(-1)?.number ?? number
    return (await database.read(() => eventsAfter(number, atMost))).filter((event) => event.number <= last)
  }

  async function appendersHaveFinished(): Promise<boolean> {
    let open = (await database.queryOnce<{ transaction: string }>(appenders)).map(({ transaction }) => transaction)
    for (let waitedMs = 0; open.length > 0; waitedMs += pollEveryMs) {
      if (waitedMs >= maxWaitMs) return false
      await sleep(pollEveryMs)
      const now = await database.queryOnce<{ transaction: string }>(appenders)
      open = open.filter((transaction) => now.some((held) => held.transaction === transaction))
    }
    return true
  }
}
