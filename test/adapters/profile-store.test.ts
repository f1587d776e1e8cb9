import { withPeople } from '../contract/bot-stores.ts'
import { profileStoreContract } from '../contract/profile-store.contract.ts'
import { identityEngines } from '../support/adapters/identity-engines.ts'

for (const { name, open } of identityEngines) profileStoreContract(name, async (t) => withPeople(await open(t)))
