import { botStoreContract } from '../contract/bot-store.contract.ts'
import { withPeople } from '../contract/bot-stores.ts'
import { identityEngines } from '../support/adapters/identity-engines.ts'

for (const { name, open } of identityEngines) botStoreContract(name, async (t) => withPeople(await open(t)))
