import { attemptStoreContract } from '../contract/attempt-store.contract.ts'
import { identityEngines } from '../support/adapters/identity-engines.ts'

for (const { name, open } of identityEngines) attemptStoreContract(name, open)
