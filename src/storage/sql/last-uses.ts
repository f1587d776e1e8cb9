import type { Database } from './database.ts'

/**
 * Stores when rows were last used. Rows are locked in ascending order of their numbers, so that nodes updating the same
 * rows at the same time never deadlock.
 *
 * @param sql updates one row. `?1` is its number and `?2` the time.
 * @param lastUsedAtMs last-use times by row number.
 */
export function storeLastUses(
  database: Database,
  sql: string,
  lastUsedAtMs: ReadonlyMap<number, number>,
): Promise<void> {
  return database.writeEach(
    sql,
    [...lastUsedAtMs].sort(([one], [other]) => one - other),
  )
}
