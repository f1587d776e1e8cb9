import type { DatabaseSync } from 'node:sqlite'
import { numberBlocks } from '../../storage/postgres/block-numbers.ts'
import type { Value } from './stream.ts'

/**
 * Returns statements that make PostgreSQL continue SQLite's row numbering. The numbers of deleted rows are not reused
 * either.
 */
export function continueNumbers(db: DatabaseSync): { sql: string; values: readonly Value[] }[] {
  const blocks = Object.entries(numberBlocks).map(([sequence, { table, size }]) => ({
    sql: 'SELECT setval($1::regclass, $2::bigint, false)',
    values: [sequence, Math.floor(lastNumber(db, table) / size) + 1],
  }))
  const blockTables: string[] = Object.values(numberBlocks).map(({ table }) => table)
  const identities = numberedTables(db)
    .filter((table) => !blockTables.includes(table))
    .map((table) => ({
      sql: 'SELECT setval(pg_get_serial_sequence($1, $2)::regclass, $3::bigint, false)',
      values: [table, 'number', lastNumber(db, table) + 1],
    }))
  return [...blocks, ...identities]
}

/** Returns the tables with autoincrement keys. */
function numberedTables(db: DatabaseSync): string[] {
  const found = db
    .prepare(
      `SELECT s.name FROM sqlite_schema s JOIN pragma_table_info(s.name) c ON c.name = 'number' AND c.type = 'INTEGER' AND c.pk = 1
         WHERE s.type = 'table' AND s.name NOT LIKE 'sqlite_%'
           AND (SELECT count(*) FROM pragma_table_info(s.name) WHERE pk > 0) = 1`,
    )
    .all()
  return (found as { name: string }[]).map(({ name }) => name)
}

function lastNumber(db: DatabaseSync, table: string): number {
  const row = db
    .prepare(
      `SELECT max(coalesce((SELECT max(number) FROM ${table}), 0),
         coalesce((SELECT seq FROM sqlite_sequence WHERE name = ?), 0)) AS last`,
    )
    .get(table)
  return Number(row?.last)
}
