import { describe, type TestContext } from 'node:test'
import { postgresIdentity } from '../../../src/storage/postgres/postgres-identity.ts'
import { sqliteIdentity } from '../../../src/storage/sqlite/sqlite-identity.ts'
import { openIdentityDatabase } from '../postgres/identity.ts'
import { openIdentityFile } from './open-identity.ts'

/**
 * The databases that the stores support. `open` opens all stores on an empty database and also returns the database.
 * `again` opens another set of stores on the same data.
 */
export const identityEngines = [
  {
    name: 'sqlite',
    async open(t: TestContext) {
      const file = openIdentityFile(t)
      return { ...sqliteIdentity(file), database: file, again: () => sqliteIdentity(file) }
    },
  },
  {
    name: 'postgres',
    async open(t: TestContext) {
      const database = await openIdentityDatabase(t)
      return { ...postgresIdentity(database), database, again: () => postgresIdentity(database) }
    },
  },
]

type OpenedStores = Awaited<ReturnType<(typeof identityEngines)[number]['open']>>

/**
 * Runs a store's tests on each database. `open` opens all stores on an empty database and prepares them.
 * `--test-name-pattern 'postgres: FlowStore'` runs one store on one database.
 */
export function onEachDatabase<Stores>(
  title: string,
  prepare: (stores: OpenedStores) => Stores | Promise<Stores>,
  tests: (open: (t: TestContext) => Promise<Stores>) => void,
): void {
  for (const { name, open } of identityEngines) {
    describe(`${name}: ${title}`, () => tests(async (t) => prepare(await open(t))))
  }
}

/** Leaves the database empty. */
export const empty = (stores: OpenedStores) => stores
