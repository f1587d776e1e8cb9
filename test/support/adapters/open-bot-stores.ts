import type { TestContext } from 'node:test'
import { sqliteIdentity } from '../../../src/storage/sqlite/sqlite-identity.ts'
import { withPeople } from '../../contract/bot-stores.ts'
import { openIdentityFile } from './open-identity.ts'

/** Opens the stores on a fresh SQLite file, with the users `ada`, `bob` and `cleo`. */
export function openBotStores(t: TestContext) {
  return withPeople(sqliteIdentity(openIdentityFile(t)))
}
