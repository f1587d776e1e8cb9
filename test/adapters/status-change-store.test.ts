import { withPeople } from '../contract/bot-stores.ts'
import { statusChangeStoreContract } from '../contract/status-change-store.contract.ts'
import { identityEngines } from '../support/adapters/identity-engines.ts'

for (const { name, open } of identityEngines) statusChangeStoreContract(name, async (t) => withPeople(await open(t)))
