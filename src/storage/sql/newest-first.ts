import type { NewestFirst } from '../../domain/list-page.ts'
import { inSnakeCase, joined, raw, type Sql, type SqlValue, sql } from './sql.ts'

/**
 * Completes a query for records, newest first. The query reads only the records of the page, from an index on the
 * table's creation time and ID. Its text depends only on which conditions are given, so that few statements have to be
 * prepared.
 *
 * @param select a query that ends with a WHERE clause.
 * @param equal required values by column. `undefined` matches every record.
 */
export function newestFirst(
  select: Sql,
  table: string,
  equal: Readonly<Record<string, SqlValue | undefined>>,
  { after, createdSinceMs, most }: NewestFirst,
): Sql {
  const [createdAtMs, id] = [raw(`${table}.created_at_ms`), raw(`${table}.id`)]
  const conditions = Object.entries(equal).flatMap(([column, value]) =>
    value === undefined ? [] : sql` AND ${raw(`${table}.${inSnakeCase(column)}`)} = ${value}`,
  )
  if (after !== undefined) conditions.push(sql` AND (${createdAtMs}, ${id}) < (${after.createdAtMs}, ${after.id})`)
  if (createdSinceMs !== undefined) conditions.push(sql` AND ${createdAtMs} >= ${createdSinceMs}`)
  return sql`${select}${joined(conditions, '')} ORDER BY ${createdAtMs} DESC, ${id} DESC LIMIT ${most}`
}
