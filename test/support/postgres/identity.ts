import type { TestContext } from 'node:test'
import { PostgresDatabase } from '../../../src/storage/postgres/postgres-database.ts'
import { postgresIdentity } from '../../../src/storage/postgres/postgres-identity.ts'
import { Primary } from '../../../src/storage/postgres/primary.ts'
import { raw } from '../../../src/storage/sql/sql.ts'
import { withAdaAndAcme } from '../../contract/scene.ts'
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
  const database = new PostgresDatabase({ primary: new Primary([await identityUrl()]), connections })
  t.after(() => database.close())
  return database
}

export function identityUrl(): Promise<string> {
  url ??= migratedDatabase()
  return url
}

export async function openIdentityNodes(t: TestContext, count: number) {
  const databases = [await openIdentityDatabase(t)]
  while (databases.length < count) databases.push(await openIdentityNode(t))
  const nodes = databases.map(postgresIdentity)
  await withAdaAndAcme(nodes[0]!)
  return { databases, nodes }
}
