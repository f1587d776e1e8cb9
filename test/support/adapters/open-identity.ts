import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type Database, sql } from '../../../src/storage/sql/sql.ts'
import { Checkpointer, identityFile } from '../../../src/storage/sqlite/database-files.ts'
import { SqliteFile } from '../../../src/storage/sqlite/sqlite-file.ts'
import { sqliteIdentity } from '../../../src/storage/sqlite/sqlite-identity.ts'
import { withPeople } from '../../contract/bot-stores.ts'

/** Opens a fresh identity file on disk. Closes and removes it when the test ends. */
export function openIdentityFile(t: TestContext): SqliteFile {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-store-'))
  const file = new SqliteFile({
    ...identityFile,
    path: join(folder, 'identity.sqlite'),
    checkpointer: new Checkpointer(),
  })
  t.after(async () => {
    await file.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return file
}

/** Adds the rows that most stores reference: the user `ada` and her application `acme`. Returns the stores. */
export async function withAdaAndAcme<Stores extends { database: Database }>(stores: Stores): Promise<Stores> {
  await stores.database.write({}, function* () {
    yield* sql`INSERT INTO users (id, name, created_at_ms, updated_at_ms) VALUES ('ada', 'Ada', 0, 0)`.changes()
    yield* sql`INSERT INTO applications (id, client_id, owner_id, name, website_url, environment, redirect_uris,
      created_at_ms,
      updated_at_ms) VALUES ('acme', 'svc_ci_acme', 'ada', 'Acme', 'https://a.example', 'production', '[]',
      0, 0)`.changes()
  })
  return stores
}

/** Opens the stores on a fresh SQLite file, with the users `ada`, `bob` and `cleo`. */
export function openBotStores(t: TestContext) {
  return withPeople(sqliteIdentity(openIdentityFile(t)))
}
