import { withPeople } from '../contract/bot-stores.ts'
import { flowStoreContract } from '../contract/flow-store.contract.ts'
import { identityEngines } from '../support/adapters/identity-engines.ts'

for (const { name, open } of identityEngines) flowStoreContract(name, async (t) => withPeople(await open(t)))
