import type { DatabaseSync } from 'node:sqlite'

/** The number of the last migration that the data has seen, 0 before the first. */
export function schemaOf(db: DatabaseSync): number {
  return (db.prepare('PRAGMA user_version').get() as { user_version: number }).user_version
}
