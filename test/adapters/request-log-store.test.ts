import { parseUserId } from '../../src/domain/ids.ts'
import { changes } from '../../src/storage/sql/database.ts'
import { requestLogStoreContract } from '../contract/request-log-store.contract.ts'
import { identityEngines } from '../support/adapters/identity-engines.ts'
import { withAdaAndAcme } from '../support/adapters/open-identity.ts'

for (const { name, open } of identityEngines) {
  requestLogStoreContract(name, async (t) => {
    const { users, requests, database } = await open(t)
    await withAdaAndAcme(database)
    await users.putUser(parseUserId('bob')!, { name: 'Bob' }, 1_000)
    await database.write({}, function* () {
      for (const user of ['ada', 'bob']) {
        yield* changes(
          "INSERT INTO consents (user_id, application_id, scopes, first_granted_at_ms, last_granted_at_ms) VALUES (?, 'acme', '[]', 1000, 1000)",
          user,
        )
      }
    })
    return requests
  })
}
