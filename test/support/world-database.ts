import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { withClient, withKeptClient } from './postgres/with-client.ts'
import type { World } from './world.ts'

/** The two parts of the data. They are separate files on SQLite, and share one database on PostgreSQL. */
export type Part = 'identity' | 'queue'

/** SQL that works on both databases, or separate SQL for each. */
export type Sql = string | { sqlite: string; postgres: string }

type Row = Record<string, unknown>

/** Runs a statement on a separate connection while the service is running. Returns its rows. */
export async function inDatabase(world: World, part: Part, sql: Sql): Promise<Row[]> {
  if (world.databaseUrl !== undefined) {
    return withKeptClient(world.databaseUrl, async (client) => {
      const { rows } = await client.query<Row>(typeof sql === 'string' ? sql : sql.postgres)
      return rows
    })
  }
  using db = new DatabaseSync(join(world.dataDir, `${part}.sqlite`), { timeout: 5_000 })
  return db.prepare(typeof sql === 'string' ? sql : sql.sqlite).all()
}

/** Makes all later statements on the table fail. */
export async function hideTable(world: World, part: Part, table: string): Promise<void> {
  await rename(world, part, table, `${table}_lost`)
}

export async function restoreTable(world: World, part: Part, table: string): Promise<void> {
  await rename(world, part, `${table}_lost`, table)
}

async function rename(world: World, part: Part, from: string, to: string): Promise<void> {
  if (world.databaseUrl === undefined) {
    using db = new DatabaseSync(join(world.dataDir, `${part}.sqlite`))
    db.exec(`PRAGMA legacy_alter_table = ON; ALTER TABLE ${from} RENAME TO ${to}`)
  } else {
    await inDatabase(world, part, `ALTER TABLE ${from} RENAME TO ${to}`)
  }
}

interface Failing {
  table: Sql
  change: 'INSERT' | 'UPDATE' | 'DELETE'
  when: string
  /** PostgreSQL's SQLSTATE. */
  code?: string
}

let triggers = 0

/** Makes all later changes fail to rows that meet the condition `when`, in which the row is `NEW` or `OLD`. */
export async function failRows(
  world: World,
  part: Part,
  { table, change, when, code = 'P0001' }: Failing,
): Promise<void> {
  triggers += 1
  const name = `row_that_fails_${triggers}`
  const { sqlite, postgres } = typeof table === 'string' ? { sqlite: table, postgres: table } : table
  const trigger = `CREATE TRIGGER ${name} BEFORE ${change} ON`
  await inDatabase(world, part, {
    sqlite: `${trigger} ${sqlite} WHEN ${when} BEGIN SELECT RAISE(ABORT, 'this row fails'); END`,
    postgres: `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'this row fails' USING ERRCODE = '${code}'; END $$;
      ${trigger} ${postgres} FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION ${name}()`,
  })
}

/** Locks a PostgreSQL table while `work` runs, so that no other statement can read or write it. */
export async function whileLocked(world: World, table: string, work: () => Promise<void>): Promise<void> {
  await withClient(world.databaseUrl ?? '', async (client) => {
    await client.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`)
    await work()
  })
}

/** Returns how many statements are waiting for a lock of PostgreSQL. */
export async function waitingForLocks(world: World): Promise<number> {
  const sql = `SELECT count(*) AS waiting FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`
  return Number((await inDatabase(world, 'queue', sql))[0]?.waiting)
}

/**
 * Makes the database unavailable and returns a function that makes it available again. On SQLite, another connection
 * holds the write lock. On PostgreSQL, all connections are closed and new ones are rejected.
 */
export async function disconnectDatabase(world: World, part: Part): Promise<() => Promise<void>> {
  if (world.databaseUrl === undefined) {
    const db = new DatabaseSync(join(world.dataDir, `${part}.sqlite`))
    db.exec('BEGIN IMMEDIATE')
    return async () => db.close()
  }
  const url = world.databaseUrl
  const name = new URL(url).pathname.slice(1)
  const server = url.replace(/[^/]*$/, 'postgres')
  await withClient(server, async (client) => {
    await client.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`)
    // Repeats until no connection is left, because PostgreSQL only sends a signal to each.
    const terminate = 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1'
    let connections: number | null
    do connections = (await client.query(terminate, [name])).rowCount
    while (connections !== 0)
  })
  return () => withClient(server, (client) => client.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`)).then()
}

/** Returns all stored data by location: each file in the data directory, and each PostgreSQL table as text. */
export async function storedBytes(world: World): Promise<Record<string, Buffer>> {
  const stored: Record<string, Buffer> = {}
  if (world.databaseUrl !== undefined) {
    await withClient(world.databaseUrl, async (client) => {
      const tables = await client.query("SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'")
      for (const { name } of tables.rows) {
        const { rows } = await client.query(`SELECT string_agg(t::text, E'\n') AS text FROM ${name} AS t`)
        stored[`table ${name}`] = Buffer.from(rows[0].text ?? '')
      }
    })
  }
  for (const file of readdirSync(world.dataDir)) stored[`file ${file}`] = readFileSync(join(world.dataDir, file))
  return stored
}

/**
 * Returns whether the bytes contain the text, either plain or as hexadecimal digits. PostgreSQL prints bytes in that
 * form.
 */
export function containsText(bytes: Buffer, text: string): boolean {
  return bytes.includes(text) || bytes.includes(Buffer.from(text).toString('hex'))
}
