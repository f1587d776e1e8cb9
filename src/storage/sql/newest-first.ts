import type { NewestFirst } from '../../domain/list-page.ts'
import { inSnakeCase } from './column-names.ts'
import type { SqlValue } from './database.ts'

/**
 * Completes a query for records, newest first. The query reads only the records of the page, from an index on the
 * table's creation time and ID. Its text depends only on which conditions are given, so that few statements have to be
 * prepared.
 *
 * @param select a query that ends with a WHERE clause.
 * @param equal required values by column. `undefined` matches every record.
 */
export function newestFirst(
  select: string,
  table: string,
  equal: Readonly<Record<string, SqlValue | undefined>>,
  { after, createdSinceMs, most }: NewestFirst,
): { sql: string; values: SqlValue[] } {
  const conditions: string[] = []
  const values: SqlValue[] = []
  for (const [column, value] of Object.entries(equal)) {
    if (value === undefined) continue
    conditions.push(`${table}.${inSnakeCase(column)} = ?`)
    values.push(value)
  }
  if (after !== undefined) {
    conditions.push(`(${table}.created_at_ms, ${table}.id) < (?, ?)`)
    values.push(after.createdAtMs, after.id)
  }
  if (createdSinceMs !== undefined) {
    conditions.push(`${table}.created_at_ms >= ?`)
    values.push(createdSinceMs)
  }
  const where = conditions.map((condition) => ` AND ${condition}`).join('')
  return {
    sql: `${select}${where} ORDER BY ${table}.created_at_ms DESC, ${table}.id DESC LIMIT ?`,
    values: [...values, most],
  }
}
