import { Client, type ClientBase } from 'pg'
import { readMigrations } from '../sql/migrations.ts'
import { advisoryLocks } from './advisory-locks.ts'
import type { Primary } from './primary.ts'

const connectMs = 5_000

/** A table that is there while `gatehouse migrate` fills the database. */
export const unfinishedMigration = 'unfinished_migration'

/**
 * Brings one part of the schema up to this release: `0001-….sql` and on in its folder, forward only, each in a
 * transaction of its own. Nodes of the release before go on working meanwhile (expand, then contract).
 *
 * @throws Error when the data was written by a newer release that this one can't read, or is there in part only.
 */
export async function migrate(client: ClientBase, part: string, folder: URL): Promise<void> {
  const migrations = readMigrations(folder)
  await client.query('SELECT pg_advisory_lock($1)', [advisoryLocks.migration])
  try {
    const unfinished = await client.query('SELECT 1 WHERE to_regclass($1) IS NOT NULL', [unfinishedMigration])
    if (unfinished.rowCount !== 0) {
      throw new Error('the database is half filled: run the same gatehouse migrate again until it has finished')
    }
    await client.query('CREATE TABLE IF NOT EXISTS schema_parts (part text PRIMARY KEY, version integer NOT NULL)')
    const { rows } = await client.query('SELECT version FROM schema_parts WHERE part = $1', [part])
    const version = Number(rows[0]?.version ?? 0)
    if (version > migrations.length) {
      throw new Error(
        `the data was written by a newer release (${part}: schema ${version}, this one knows ${migrations.length})`,
      )
    }
    for (const [index, sql] of migrations.entries()) {
      if (index >= version) await apply(client, part, index + 1, sql)
    }
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [advisoryLocks.migration])
  }
}

/** As {@link migrate}, over a connection of its own. Nodes that start at once wait for each other. */
export async function migrateOn({ url }: Primary, part: string, folder: URL): Promise<void> {
  // No statement timeout: other nodes may hold the migration lock, and a migration may take long.
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    application_name: 'gatehouse migration',
  })
  // When the connection breaks, the query in flight rejects.
  client.on('error', () => {})
  await client.connect()
  try {
    await migrate(client, part, folder)
  } finally {
    await client.end()
  }
}

async function apply(client: ClientBase, part: string, version: number, sql: string): Promise<void> {
  await client.query('BEGIN')
  try {
    await client.query(sql)
    await client.query(
      'INSERT INTO schema_parts (part, version) VALUES ($1, $2) ON CONFLICT (part) DO UPDATE SET version = $2',
      [part, version],
    )
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  }
}
