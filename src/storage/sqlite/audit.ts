import type { AuditStore } from '../../domain/audit/audit-store.ts'
import { eventsAfter, sqlAudit } from '../sql/audit.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

/** The audit's events in SQLite, which numbers them in the order in which they are committed. */
export function sqliteAudit(database: SqliteDatabase): AuditStore {
  return {
    ...sqlAudit(database),

    // Read as a write is, so that it resolves after the sync of all it has read: what an exporter has seen
    // keeps its number, whatever happens to the power.
    listAfter: (number, atMost) => database.write({}, () => eventsAfter(number, atMost)),
  }
}
