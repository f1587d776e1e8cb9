import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Returns the tables, columns and schema version of a SQLite file. */
export function schemaOf(path: string): unknown {
  using db = new DatabaseSync(path, { readOnly: true })
  return {
    version: db.prepare('PRAGMA user_version').get(),
    names: db.prepare("SELECT type, name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY name").all(),
    columns: db
      .prepare(
        `SELECT t.name AS of, c.* FROM sqlite_schema t, pragma_table_xinfo(t.name) c
         WHERE t.type = 'table' ORDER BY t.name, c.cid`,
      )
      .all(),
  }
}

/** Returns the number of rows in each table of a SQLite file. */
export function rowsOf(path: string): Record<string, number> {
  using db = new DatabaseSync(path, { readOnly: true })
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").all()
  const count = (name: string) => Number(db.prepare(`SELECT count(*) AS rows FROM ${name}`).get()?.rows)
  return Object.fromEntries(tables.map(({ name }) => [String(name), count(String(name))]))
}

/** Returns the number of rows in each table of a data directory. */
export function rowsIn(dataDir: string): Record<string, number> {
  return Object.assign({}, ...['identity', 'queue'].map((name) => rowsOf(join(dataDir, `${name}.sqlite`))))
}
