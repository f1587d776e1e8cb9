import { withPeople } from '../contract/bot-stores.ts'
import { statusNoticeStoreContract } from '../contract/status-notice-store.contract.ts'
import { identityEngines } from '../support/adapters/identity-engines.ts'

for (const { name, open } of identityEngines) statusNoticeStoreContract(name, async (t) => withPeople(await open(t)))
