import type { AuditStore } from '../../domain/audit/audit-store.ts'
import { eventsAfter, sqlAudit } from '../sql/audit.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

/** Audit events in SQLite. Their numbers follow the order of commits. */
export function sqliteAudit(database: SqliteDatabase): AuditStore {
  return {
    ...sqlAudit(database),

    // Runs as a write, so that it resolves after the sync of everything it read. An event that an exporter has seen
    // then keeps its number even after a power failure.
    listAfter: (number, atMost) => database.write({}, () => eventsAfter(number, atMost)),
  }
}
