import { withPeople } from '../contract/bot-stores.ts'
import { runtimeLogStoreContract } from '../contract/runtime-log-store.contract.ts'
import { identityEngines } from '../support/adapters/identity-engines.ts'

for (const { name, open } of identityEngines) runtimeLogStoreContract(name, async (t) => withPeople(await open(t)))
