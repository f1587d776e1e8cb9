import type { TestContext } from 'node:test'
import { sqliteIdentity } from '../../../src/storage/sqlite/sqlite-identity.ts'
import { withPeople } from '../../contract/bot-stores.ts'
import { openIdentityFile } from './open-identity.ts'

/** The stores on a fresh SQLite file, with the people of the bots. */
export function openBotStores(t: TestContext) {
  return withPeople(sqliteIdentity(openIdentityFile(t)))
}
