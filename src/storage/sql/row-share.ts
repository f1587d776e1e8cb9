import { levelAfter } from '../../domain/limits/level.ts'
import type { RowShare } from '../../domain/limits/row-share.ts'
import { changes, firstRow, rows, type SqlValue, type Work } from './database.ts'

/** A table whose rows have a `holder`, with the columns of a row's key and of its age. */
interface HeldRows {
  table: string
  key: string
  age: string
}

/**
 * Deletes the holder's rows other than its `share.atMost` newest, in the same transaction that added a row. Deletes at
 * most 1,000 rows per call, so a holder far beyond its share needs several.
 *
 * @param added key of the row just added, which is always kept, even if other rows have the same timestamp.
 */
export function* keepShare({ table, key, age }: HeldRows, share: RowShare, added: SqlValue): Work<void> {
  yield* changes(
    `DELETE FROM ${table} WHERE ${key} IN
       (SELECT ${key} FROM ${table} WHERE holder = ? AND ${key} <> ? ORDER BY ${age} DESC, ${key} LIMIT 1000 OFFSET ?)`,
    share.holder,
    added,
    share.atMost - 1,
  )
}

/**
 * Deletes rows until the table has at most `total`, or `limit` are deleted. Takes them from the holders with the most
 * rows, each holder's oldest first, so that a holder with few rows loses none to one with many. Returns the number
 * deleted.
 */
export function* keepTotal({ table, key, age }: HeldRows, total: number, limit: number): Work<number> {
  const counted = yield* firstRow<{ count: number }>(`SELECT count(*) AS count FROM ${table}`)
  const excess = Math.min(limit, (counted?.count ?? 0) - total)
  if (excess <= 0) return 0
  const holders = yield* rows<{ holder: Uint8Array; count: number }>(
    `SELECT holder, count(*) AS count FROM ${table} WHERE holder IS NOT NULL
       GROUP BY holder ORDER BY count(*) DESC, min(${age}) LIMIT ?`,
    excess + 1,
  )
  const level = levelAfter(
    holders.map(({ count }) => count),
    excess,
  )
  const most = Math.floor(level)
  let deleted = 0
  for (const { holder } of holders.filter(({ count }) => count > most)) {
    deleted += yield* changes(
      `DELETE FROM ${table} WHERE ${key} IN (SELECT ${key} FROM ${table}
         WHERE holder = ? ORDER BY ${age} DESC, ${key} LIMIT ? OFFSET ?)`,
      holder,
      excess - deleted,
      most,
    )
    if (deleted >= excess) break
  }
  return deleted
}
