import type { Database } from './database.ts'

/**
 * Stores when rows were last used, by their numbers. Rows are locked in the order of their numbers: nodes that store the
 * uses of the same rows at once wait for each other, and never in a circle.
 *
 * @param sql an update of one row, with the number as `?1` and the time as `?2`.
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
