import { sessionStoreContract } from '../contract/session-store.contract.ts'
import { identityEngines } from '../support/adapters/identity-engines.ts'

for (const { name, open } of identityEngines) {
  sessionStoreContract(name, async (t) => {
    const { users, sessions, again } = await open(t)
    return { users, sessions, again: () => again().sessions }
  })
}
