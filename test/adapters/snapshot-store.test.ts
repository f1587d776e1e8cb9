import { withPeople } from '../contract/bot-stores.ts'
import { snapshotStoreContract } from '../contract/snapshot-store.contract.ts'
import { identityEngines } from '../support/adapters/identity-engines.ts'

for (const { name, open } of identityEngines) snapshotStoreContract(name, async (t) => withPeople(await open(t)))
