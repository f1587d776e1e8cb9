import type { TestContext } from 'node:test'
import { PostgresDatabase } from '../../../src/storage/postgres/postgres-database.ts'
import { Primary } from '../../../src/storage/postgres/primary.ts'
import { raw, sql } from '../../../src/storage/sql/sql.ts'
import { emptying, migratedDatabase } from './test-database.ts'

let url: Promise<string> | undefined

/**
 * Opens an empty identity database on PostgreSQL and closes it when the test ends. The tests in a file run sequentially
 * and share one database, because emptying it is far cheaper than creating one.
 */
export async function openIdentityDatabase(t: TestContext): Promise<PostgresDatabase> {
  const database = await openIdentityNode(t)
  await database.queryOnce(raw(emptying("relname NOT LIKE 'queue\\_%' AND relname <> 'schema_parts'")))
  return database
}

/** Opens another node on the database of {@link openIdentityDatabase}, without emptying it. */
export async function openIdentityNode(t: TestContext, connections = 10): Promise<PostgresDatabase> {
  url ??= migratedDatabase()
  const database = new PostgresDatabase({ primary: new Primary([await url]), connections })
  t.after(() => database.close())
  return database
}

export function identityUrl(): Promise<string> {
  url ??= migratedDatabase()
  return url
}

/** Closes the connections on which nodes listen for notifications. The nodes then open new ones. */
export async function cutNodes(database: PostgresDatabase): Promise<void> {
  await database.queryOnce(sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'gatehouse node' AND datname = current_database()`)
}
