import type { TestContext } from 'node:test'
import { PostgresDatabase } from '../../../src/storage/postgres/postgres-database.ts'
import { Primary } from '../../../src/storage/postgres/primary.ts'
import { migratedDatabase } from './test-database.ts'

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
       WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname NOT LIKE 'queue\\_%' AND relname <> 'schema_parts'); END $$`,
  )
  return database
}

/** A further node on the database of {@link openIdentityDatabase}, with whatever is in it. */
export async function openIdentityNode(t: TestContext): Promise<PostgresDatabase> {
  url ??= migratedDatabase()
  const database = new PostgresDatabase({ primary: new Primary([await url]), connections: 10 })
  t.after(() => database.close())
  return database
}

/** The address of the database of {@link openIdentityDatabase}, for clients that are no nodes. */
export function identityUrl(): Promise<string> {
  url ??= migratedDatabase()
  return url
}

/** Ends the connections that nodes keep for themselves; they make new ones. */
export async function cutNodes(database: PostgresDatabase): Promise<void> {
  await database.alone(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'gatehouse node' AND datname = current_database()",
  )
}
