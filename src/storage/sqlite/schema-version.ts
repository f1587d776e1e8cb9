import type { DatabaseSync } from 'node:sqlite'

/** Returns the number of the last migration applied to the database, 0 before the first. */
export function schemaOf(db: DatabaseSync): number {
  return (db.prepare('PRAGMA user_version').get() as { user_version: number }).user_version
}
