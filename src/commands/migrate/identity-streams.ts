import type { DatabaseSync } from 'node:sqlite'
import { storable } from '../../storage/postgres/postgres-database.ts'
import type { Stream, TargetTable, Value } from './stream.ts'

/**
 * Returns a stream for each table in the identity database. Referenced tables come before the tables that refer to
 * them.
 */
export function identityStreams(db: DatabaseSync): Stream[] {
  const names = (
    db
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid")
      .all() as { name: string }[]
  ).map(({ name }) => name)
  return referencedFirst(db, names).map((name) => tableStream(db, name))
}

export function countOf(db: DatabaseSync, table: string): number {
  return (db.prepare(`SELECT count(*) AS rows FROM ${table}`).get() as { rows: number }).rows
}

function referencedFirst(db: DatabaseSync, names: readonly string[]): string[] {
  const sorted: string[] = []
  const add = (name: string) => {
    if (sorted.includes(name)) return
    const references = db.prepare(`SELECT DISTINCT "table" AS name FROM pragma_foreign_key_list('${name}')`).all()
    for (const reference of references as { name: string }[]) if (reference.name !== name) add(reference.name)
    sorted.push(name)
  }
  for (const name of names) add(name)
  return sorted
}

function tableStream(db: DatabaseSync, name: string): Stream {
  const found = db.prepare(`SELECT name, pk FROM pragma_table_info('${name}') ORDER BY cid`).all()
  const columns = found as { name: string; pk: number }[]
  const table: TargetTable = { name, columns: columns.map((column) => column.name) }
  const order = columns.filter(({ pk }) => pk > 0).sort((one, other) => one.pk - other.pk)
  const key = order.map((column) => column.name)
  return {
    name,
    tables: [table],
    order: key,
    count: () => countOf(db, name),
    *rows(after) {
      const place = after === undefined ? '' : `WHERE (${key.join()}) > (${key.map(() => '?').join()})`
      const statement = db.prepare(`SELECT ${table.columns.join()} FROM ${name} ${place} ORDER BY ${key.join()}`)
      for (const row of statement.iterate(...(after ?? []))) {
        yield { table, values: table.columns.map((column) => storable(row[column] as Value)) }
      }
    },
  }
}
