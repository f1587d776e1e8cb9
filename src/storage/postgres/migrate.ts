import type { ClientBase } from 'pg'
import { readMigrations } from '../sql/migrations.ts'
import { advisoryLocks } from './advisory-locks.ts'
import type { Primary } from './primary.ts'

export interface SchemaPart {
  name: string
  migrations: URL
}

export const schemaParts: readonly SchemaPart[] = [
  { name: 'identity', migrations: new URL('./migrations/', import.meta.url) },
  { name: 'dispatch', migrations: new URL('./queue/migrations/', import.meta.url) },
]

/** Name of a table that exists only while `gatehouse migrate` fills the database. */
export const unfinishedMigration = 'unfinished_migration'

/** Finds the primary and migrates its schema. Throws DatabaseUnreachable; otherwise like {@link migrate}. */
export async function migratePrimary(primary: Primary): Promise<void> {
  const client = await primary.connect('gatehouse migration')
  try {
    await migrate(client)
  } finally {
    await client.end()
  }
}

/**
 * Brings the schema up to this release. Migrations only run forward, each in its own transaction. Nodes running the
 * previous release keep working in the meantime (expand, then contract).
 *
 * @param fills accepts incomplete data: an earlier release may have begun to fill the database.
 * @throws Error if a newer release wrote the data, or if the data is incomplete.
 */
export async function migrate(
  client: ClientBase,
  parts: readonly SchemaPart[] = schemaParts,
  { fills = false } = {},
): Promise<void> {
  await client.query('SELECT pg_advisory_lock($1)', [advisoryLocks.migration])
  try {
    const unfinished = await client.query('SELECT 1 WHERE to_regclass($1) IS NOT NULL', [unfinishedMigration])
    if (unfinished.rowCount !== 0 && !fills) {
      throw new Error('the database is half filled: run the same gatehouse migrate again until it has finished')
    }
    await client.query('CREATE TABLE IF NOT EXISTS schema_parts (part text PRIMARY KEY, version integer NOT NULL)')
    const { rows } = await client.query<{ part: string; version: number }>('SELECT part, version FROM schema_parts')
    const versions = new Map(rows.map(({ part, version }) => [part, version]))
    for (const { name, migrations } of parts) {
      const known = readMigrations(migrations)
      const stored = versions.get(name) ?? 0
      if (stored > known.length) {
        throw new Error(
          `the data was written by a newer release (${name}: schema ${stored}, this one knows ${known.length})`,
        )
      }
      for (let version = stored + 1; version <= known.length; version += 1) {
        await apply(client, name, version, known[version - 1] as string)
      }
    }
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [advisoryLocks.migration])
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
