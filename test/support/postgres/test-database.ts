import { randomBytes } from 'node:crypto'
import type { TestContext } from 'node:test'
import { migratePrimary } from '../../../src/storage/postgres/migrate.ts'
import { Primary } from '../../../src/storage/postgres/primary.ts'
import { queuePool } from '../../../src/storage/postgres/queue/queue-parts.ts'
import { Retention } from '../../../src/storage/postgres/queue/retention.ts'
import { citusServers, distributedDatabase } from './distributed-database.ts'
import { PostgresServer } from './server.ts'
import { closeKeptClients, withClient, withKeptClient } from './with-client.ts'

/** Set by `npm test`: the URL of the server that all test files share. */
export const sharedServerVariable = 'GATEHOUSE_TEST_POSTGRES'

/** The time at which the clocks of test worlds start. */
export const worldStartMs = Date.UTC(2026, 0, 5, 12)

const template = 'gatehouse_migrated'

let server: Promise<string> | undefined
let migrated: Promise<void> | undefined

/**
 * Creates an empty database on a real PostgreSQL and returns its URL. Drops it when the test ends, or without a test with
 * the server. `npm run test:citus` creates a database whose queue is distributed, here and below.
 */
export async function emptyDatabase(t?: TestContext): Promise<string> {
  if (citusServers.length === 0) server ??= serverUrl()
  const url = await (server === undefined ? distributedDatabase(freshName()) : create(await server, freshName()))
  t?.after(() => dropDatabase(url))
  return url
}

/**
 * Like {@link emptyDatabase}, but with this release's tables and the partitions for the first days of a world. Copying
 * a template takes a tenth as long as migrating.
 */
export async function migratedDatabase(): Promise<string> {
  if (citusServers.length > 0) return distributedDatabase(freshName())
  server ??= serverUrl()
  const url = await server
  migrated ??= prepareTemplate(url)
  await migrated
  return create(url, freshName(), `TEMPLATE ${template} STRATEGY file_copy`)
}

/**
 * Returns a statement that deletes the rows of these tables and restarts their sequences, without running triggers.
 * `which` is a condition on `pg_class`. Truncating would give each table and each of its indexes a new file, which
 * takes ten times as long for tables as small as those of tests.
 */
export function emptying(which: string): string {
  return `DO $$ DECLARE name text; BEGIN
    SET LOCAL session_replication_role = replica;
    FOR name IN SELECT oid::regclass FROM pg_class
      WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = 'public'::regnamespace AND ${which}
    LOOP EXECUTE 'DELETE FROM ' || name; END LOOP;
    PERFORM setval(oid::regclass, 1, false) FROM pg_class
      WHERE relkind = 'S' AND relnamespace = 'public'::regnamespace AND ${which};
  END $$`
}

/** Creates the template. If several processes share a server, the first one creates it and the others wait. */
async function prepareTemplate(url: string): Promise<void> {
  // The lock ends with the connection.
  await withClient(url, async (client) => {
    await client.query('SELECT pg_advisory_lock(1)')
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [template])
    if (rowCount === 1) return
    const unfinished = freshName()
    const primary = new Primary([await create(url, unfinished)])
    await migratePrimary(primary)
    const pool = queuePool(primary, 1)
    await new Retention(pool).makePartitionsAhead(worldStartMs)
    await pool.close()
    await client.query(`ALTER DATABASE ${unfinished} RENAME TO ${template}`)
  })
}

async function create(url: string, name: string, how = ''): Promise<string> {
  await administer(url, `CREATE DATABASE ${name} ${how}`)
  return url.replace(/[^/]*$/, name)
}

function freshName(): string {
  return `test_${randomBytes(6).toString('hex')}`
}

export async function dropDatabase(url: string): Promise<void> {
  const name = url.replace(/^.*\//, '')
  await closeKeptClients(url)
  const servers = citusServers.length > 0 ? citusServers : [url]
  await Promise.all(servers.map((server) => administer(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)))
}

/** Runs a statement on the server that holds the database at `url`. */
async function administer(url: string, sql: string): Promise<void> {
  await withKeptClient(url.replace(/[^/]*$/, 'postgres'), (client) => client.query(sql))
}

/** Returns the URL of the shared server, or of a new server if the test file runs alone. */
async function serverUrl(): Promise<string> {
  const shared = process.env[sharedServerVariable]
  if (shared !== undefined && shared !== '') return shared
  const own = await PostgresServer.fresh()
  own.leaveWithProcess()
  return own.url()
}
