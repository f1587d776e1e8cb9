import { withPeople } from '../contract/bot-stores.ts'
import { statusMailStoreContract } from '../contract/status-mail-store.contract.ts'
import { identityEngines } from '../support/adapters/identity-engines.ts'

for (const { name, open } of identityEngines) statusMailStoreContract(name, async (t) => withPeople(await open(t)))
