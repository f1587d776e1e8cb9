import type { AuditStore } from '../../domain/audit/audit.ts'
import { eventsAfter, sqlAudit } from '../sql/audit.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

/** Audit events in SQLite. Their numbers are in commit order. */
export function sqliteAudit(database: SqliteDatabase): AuditStore {
  return {
    ...sqlAudit(database),

    // Runs as a write, so that it resolves only after everything it read is on disk. An event that has been exported
    // therefore keeps its number even after a power failure.
    listAfter: (number, atMost) => database.write({}, () => eventsAfter(number, atMost)),
  }
}
