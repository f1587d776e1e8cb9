import type { TestContext } from 'node:test'
import { migrateOn } from '../../../src/storage/postgres/migrate.ts'
import { PostgresDatabase } from '../../../src/storage/postgres/postgres-database.ts'
import { Primary } from '../../../src/storage/postgres/primary.ts'
import { emptyDatabase, schemas } from './test-database.ts'

let url: Promise<string> | undefined

/**
 * An identity database on PostgreSQL without a row, closed when the test ends. The tests of a file, which run one
 * after the other, share one: to empty it is ten times faster than to make it.
 */
export async function openIdentityDatabase(t: TestContext): Promise<PostgresDatabase> {
  const database = await openIdentityNode(t)
  await database.alone(
    `DO $$ BEGIN EXECUTE (
       SELECT 'TRUNCATE ' || string_agg(quote_ident(relname), ', ') || ' RESTART IDENTITY' FROM pg_class
       WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> 'schema_parts'); END $$`,
  )
  return database
}

/** A further node on the database of {@link openIdentityDatabase}, with whatever is in it. */
export async function openIdentityNode(t: TestContext): Promise<PostgresDatabase> {
  url ??= migrated()
  const database = new PostgresDatabase({ primary: new Primary([await url]), connections: 10 })
  t.after(() => database.close())
  return database
}

/** The address of the database of {@link openIdentityDatabase}, for clients that are no nodes. */
export function identityUrl(): Promise<string> {
  url ??= migrated()
  return url
}

/** Ends the connections that nodes keep for themselves; they make new ones. */
export async function cutNodes(database: PostgresDatabase): Promise<void> {
  await database.alone(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'gatehouse node' AND datname = current_database()",
  )
}

async function migrated(): Promise<string> {
  const url = await emptyDatabase()
  await migrateOn(new Primary([url]), 'identity', schemas.identity)
  return url
}
