import { parseUserId } from '../../src/domain/ids.ts'
import { applicationStoreContract } from '../contract/application-store.contract.ts'
import { identityEngines } from '../support/adapters/identity-engines.ts'

for (const { name, open } of identityEngines) {
  applicationStoreContract(name, async (t) => {
    const { users, applications } = await open(t)
    for (const person of ['ada', 'bob']) await users.putUser(parseUserId(person)!, { name: person }, 1_000)
    return applications
  })
}
