import { withPeople } from '../contract/bot-stores.ts'
import { runtimeStoreContract } from '../contract/runtime-store.contract.ts'
import { identityEngines } from '../support/adapters/identity-engines.ts'

for (const { name, open } of identityEngines) runtimeStoreContract(name, async (t) => withPeople(await open(t)))
