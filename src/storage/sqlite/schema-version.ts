import type { DatabaseSync } from 'node:sqlite'

/** Returns the number of the last migration applied to the database, or 0 if none was. */
export function schemaOf(db: DatabaseSync): number {
  return (db.prepare('PRAGMA user_version').get() as { user_version: number }).user_version
}
