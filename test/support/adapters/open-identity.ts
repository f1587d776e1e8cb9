import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { Checkpointer, identityFile } from '../../../src/storage/sqlite/database-files.ts'
import { SqliteFile } from '../../../src/storage/sqlite/sqlite-file.ts'
import { sqliteIdentity } from '../../../src/storage/sqlite/sqlite-identity.ts'
import { withPeople } from '../../contract/scene.ts'
import { temporaryFolder } from '../temporary-folder.ts'

/** Opens a fresh identity file on disk. Closes and removes it when the test ends. */
export function openIdentityFile(t: TestContext): SqliteFile {
  const folder = temporaryFolder(t, { close: () => file.close() })
  const file = new SqliteFile({
    ...identityFile,
    path: join(folder, 'identity.sqlite'),
    checkpointer: new Checkpointer(),
  })
  return file
}

/** Opens the stores on a fresh SQLite file, with the users `ada`, `bob` and `cleo`. */
export function openBotStores(t: TestContext) {
  return withPeople(sqliteIdentity(openIdentityFile(t)))
}
