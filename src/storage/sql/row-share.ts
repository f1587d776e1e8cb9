import type { RowShare } from '../../domain/limits/row-share.ts'
import { changes, type SqlValue, type Work } from './database.ts'

/**
 * Deletes the holder's rows other than its `share.atMost` newest, in the same transaction that added a row. Deletes at
 * most 1,000 rows per call, so a holder far beyond its share needs several.
 *
 * @param added key of the row just added, which is always kept, even if other rows have the same timestamp.
 */
export function* keepShare(
  { table, key, age }: { table: string; key: string; age: string },
  share: RowShare,
  added: SqlValue,
): Work<void> {
  yield* changes(
    `DELETE FROM ${table} WHERE ${key} IN
       (SELECT ${key} FROM ${table} WHERE holder = ? AND ${key} <> ? ORDER BY ${age} DESC, ${key} LIMIT 1000 OFFSET ?)`,
    share.holder,
    added,
    share.atMost - 1,
  )
}
