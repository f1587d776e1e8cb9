import type { Client } from 'pg'
import { dropDatabase, migratedDatabase } from './test-database.ts'
import { withClient } from './with-client.ts'

/** Databases of this process without a user, each with the rows of a migrated database. */
const emptied: string[] = []
const usesOf = new Map<string, number>()
/** Vacuuming is off, so deleted rows accumulate. */
const usesMax = 25

/** Returns a migrated database: one that {@link recycleDatabase} has emptied, or else a new one. */
export async function reusedDatabase(): Promise<string> {
  return emptied.pop() ?? migratedDatabase()
}

/**
 * Empties a migrated database for {@link reusedDatabase}. This takes a quarter of the time of dropping it and creating
 * another one. Drops it if its tables have changed, for example because partitions were added.
 */
export async function recycleDatabase(url: string): Promise<void> {
  const uses = (usesOf.get(url) ?? 0) + 1
  usesOf.set(url, uses)
  template ??= readTemplate()
  const recycled = uses < usesMax && (await restore(url, await template))
  if (recycled) emptied.push(url)
  else await dropDatabase(url)
}

interface Template {
  tables: string[]
  /** Statements that restore the rows and sequences of a migrated database. */
  restoring: string
}

let template: Promise<Template> | undefined

async function readTemplate(): Promise<Template> {
  const url = await migratedDatabase()
  const restoring: string[] = []
  const tables = await withClient(url, async (client) => {
    const tables = await tablesIn(client)
    for (const table of tables) {
      const { rows } = await client.query(`SELECT json_agg(t)::text AS json FROM ONLY ${table} AS t`)
      const json: string | null = rows[0].json
      if (json === null) continue
      const quoted = json.replaceAll("'", "''")
      restoring.push(`INSERT INTO ${table} SELECT * FROM json_populate_recordset(NULL::${table}, '${quoted}')`)
    }
    const { rows } = await client.query(
      "SELECT sequencename AS name, last_value FROM pg_sequences WHERE schemaname = 'public'",
    )
    for (const { name, last_value: last } of rows) {
      restoring.push(`SELECT setval('${name}', ${last ?? 1}, ${last !== null})`)
    }
    return tables
  })
  await dropDatabase(url)
  return { tables, restoring: restoring.join(';') }
}

/** Returns false, and changes nothing, if the database doesn't have the template's tables. */
function restore(url: string, { tables, restoring }: Template): Promise<boolean> {
  return withClient(url, async (client) => {
    if ((await tablesIn(client)).join() !== tables.join()) return false
    const deleting = tables.map((table) => `DELETE FROM ${table}`).join(';')
    // Without triggers and foreign keys.
    await client.query(`BEGIN; SET LOCAL session_replication_role = replica; ${deleting}; ${restoring}; COMMIT`)
    return true
  })
}

async function tablesIn(client: Client): Promise<string[]> {
  const { rows } = await client.query(
    `SELECT relname AS name FROM pg_class
     WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace ORDER BY relname`,
  )
  return rows.map(({ name }) => name)
}
