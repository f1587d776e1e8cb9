import { keptFormStoreContract } from '../contract/kept-form-store.contract.ts'
import { identityEngines } from '../support/adapters/identity-engines.ts'

for (const { name, open } of identityEngines) keptFormStoreContract(name, open)
