import { withPeople } from '../contract/bot-stores.ts'
import { runtimeConnectionStoreContract } from '../contract/runtime-connection-store.contract.ts'
import { identityEngines } from '../support/adapters/identity-engines.ts'

for (const { name, open } of identityEngines) {
  runtimeConnectionStoreContract(name, async (t) => withPeople(await open(t)))
}
