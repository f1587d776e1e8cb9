import { withPeople } from '../contract/bot-stores.ts'
import { statusHistoryStoreContract } from '../contract/status-history-store.contract.ts'
import { identityEngines } from '../support/adapters/identity-engines.ts'

for (const { name, open } of identityEngines) statusHistoryStoreContract(name, async (t) => withPeople(await open(t)))
