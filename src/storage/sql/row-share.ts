import { levelAfter } from '../../domain/limits/level.ts'
import type { RowShare } from '../../domain/limits/row-share.ts'
import { raw, type SqlValue, sql, type Work } from './sql.ts'

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
  yield* sql`DELETE FROM ${raw(table)} WHERE ${raw(key)} IN
    (SELECT ${raw(key)} FROM ${raw(table)} WHERE holder = ${share.holder} AND ${raw(key)} <> ${added}
    ORDER BY ${raw(age)} DESC, ${raw(key)} LIMIT 1000 OFFSET ${share.atMost - 1})`.changes()
}

/**
 * Deletes rows until the table has at most `total`, or `limit` are deleted. Takes them from the holders with the most
 * rows, each holder's oldest first, so that a holder with few rows loses none to one with many. Returns the number
 * deleted.
 */
export function* keepTotal({ table, key, age }: HeldRows, total: number, limit: number): Work<number> {
  const counted = yield* sql`SELECT count(*) AS count FROM ${raw(table)}`.first<{ count: number }>()
  const excess = Math.min(limit, (counted?.count ?? 0) - total)
  if (excess <= 0) return 0
  const holders = yield* sql`SELECT holder, count(*) AS count FROM ${raw(table)} WHERE holder IS NOT NULL
    GROUP BY holder ORDER BY count(*) DESC, min(${raw(age)})
    LIMIT ${excess + 1}`.rows<{ holder: Uint8Array; count: number }>()
  const level = levelAfter(
    holders.map(({ count }) => count),
    excess,
  )
  const most = Math.floor(level)
  let deleted = 0
  for (const { holder } of holders.filter(({ count }) => count > most)) {
    deleted += yield* sql`DELETE FROM ${raw(table)} WHERE ${raw(key)} IN (SELECT ${raw(key)} FROM ${raw(table)}
         WHERE holder = ${holder} ORDER BY ${raw(age)} DESC, ${raw(key)} LIMIT ${excess - deleted} OFFSET ${most})`.changes()
    if (deleted >= excess) break
  }
  return deleted
}
