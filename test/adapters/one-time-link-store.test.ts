import { oneTimeLinkStoreContract } from '../contract/one-time-link-store.contract.ts'
import { identityEngines } from '../support/adapters/identity-engines.ts'

for (const { name, open } of identityEngines) oneTimeLinkStoreContract(name, open)
