import type { Client } from 'pg'
import { dropDatabase, migratedDatabase } from './test-database.ts'
import { withClient, withKeptClient } from './with-client.ts'

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
 * another one. Drops it if its tables, triggers or functions have changed.
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
  shape: Shape
  /** Statements that restore the rows and sequences of a migrated database. */
  restoring: string
}

let template: Promise<Template> | undefined

async function readTemplate(): Promise<Template> {
  const url = await migratedDatabase()
  const restoring: string[] = []
  const shape = await withClient(url, async (client) => {
    const shape = await shapeOf(client)
    for (const table of shape.tables) {
      const { rows } = await client.query(`SELECT json_agg(t)::text AS json FROM ONLY ${table} AS t`)
      const json: string | null = rows[0].json
      if (json === null) continue
      const quoted = json.replaceAll("'", "''")
      restoring.push(`INSERT INTO ${table} SELECT * FROM json_populate_recordset(NULL::${table}, '${quoted}')`)
    }
    const { rows } = await client.query(
      "SELECT sequencename AS name, last_value FROM pg_sequences WHERE schemaname = 'public'",
    )
    const sequences = rows.map(({ name, last_value: last }) => `setval('${name}', ${last ?? 1}, ${last !== null})`)
    restoring.push(`SELECT ${sequences.join()}`)
    return shape
  })
  await dropDatabase(url)
  return { shape, restoring: restoring.join(';') }
}

/** Returns false, and changes nothing, if more than rows and partitions differs from the template. */
function restore(url: string, { shape, restoring }: Template): Promise<boolean> {
  return withKeptClient(url, async (client) => {
    const found = await shapeOf(client)
    const added = found.partitions.filter((partition) => !shape.tables.includes(partition))
    const kept = found.tables.filter((table) => !added.includes(table))
    if (kept.join() !== shape.tables.join() || found.code.join() !== shape.code.join()) return false
    const dropping = added.map((partition) => `DROP TABLE ${partition};`).join('')
    const deleting = shape.tables.map((table) => `DELETE FROM ONLY ${table}`).join(';')
    // Deletes without triggers and foreign keys. Drops with triggers, because Citus has one that drops the workers' tables.
    await client.query(
      `BEGIN; ${dropping} SET LOCAL session_replication_role = replica; ${deleting}; ${restoring}; COMMIT`,
    )
    return true
  })
}

/** The names of what a database consists of. */
interface Shape {
  tables: string[]
  partitions: string[]
  /** Triggers and functions. */
  code: string[]
}

async function shapeOf(client: Client): Promise<Shape> {
  const { rows } = await client.query<Shape>(
    `SELECT ARRAY(SELECT relname::text FROM pg_class
       WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace ORDER BY relname) AS tables,
     ARRAY(SELECT relname::text FROM pg_class
       WHERE relkind = 'r' AND relispartition AND relnamespace = 'public'::regnamespace) AS partitions,
     ARRAY(SELECT tgname::text FROM pg_trigger WHERE NOT tgisinternal
       UNION ALL SELECT proname::text FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY 1) AS code`,
  )
  return rows[0] as Shape
}
