import { withPeople } from '../contract/bot-stores.ts'
import { invitationStoreContract } from '../contract/invitation-store.contract.ts'
import { identityEngines } from '../support/adapters/identity-engines.ts'

for (const { name, open } of identityEngines) invitationStoreContract(name, async (t) => withPeople(await open(t)))
