import { personalTokenStoreContract } from '../contract/personal-token-store.contract.ts'
import { identityEngines } from '../support/adapters/identity-engines.ts'

for (const { name, open } of identityEngines) personalTokenStoreContract(name, open)
