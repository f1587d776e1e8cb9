import type { TestContext } from 'node:test'
import { postgresIdentity } from '../../src/store/postgres/postgres-identity.ts'
import { sqliteIdentity } from '../../src/store/sqlite/sqlite-identity.ts'
import { changes } from '../../src/store/work.ts'
import { grantStoreContract } from '../contract/grant-store.contract.ts'
import { openIdentityDatabase } from '../postgres/identity.ts'
import { openIdentityFile, withAdaAndAcme } from './open-identity.ts'

const engines = [
  {
    name: 'sqlite',
    async open(t: TestContext) {
      const file = await withAdaAndAcme(openIdentityFile(t))
      return { grants: sqliteIdentity(file).grants, again: () => sqliteIdentity(file).grants }
    },
  },
  {
    name: 'postgres',
    async open(t: TestContext) {
      const database = await openIdentityDatabase(t)
      await database.write(function* () {
        yield* changes("INSERT INTO users (id, name, created_at_ms, updated_at_ms) VALUES ('ada', 'Ada', 0, 0)")
        yield* changes(
          `INSERT INTO applications (id, client_id, owner_id, name, website_url, environment, redirect_uris, created_at_ms,
             updated_at_ms) VALUES ('acme', 'svc_ci_acme', 'ada', 'Acme', 'https://a.example', 'production', '[]', 0, 0)`,
        )
      })
      return { grants: postgresIdentity(database).grants, again: () => postgresIdentity(database).grants }
    },
  },
]

for (const { name, open } of engines) grantStoreContract(name, async (t) => (await open(t)).grants, open)
