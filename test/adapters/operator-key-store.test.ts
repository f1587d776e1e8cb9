import { operatorKeyStoreContract } from '../contract/operator-key-store.contract.ts'
import { identityEngines } from '../support/adapters/identity-engines.ts'

for (const { name, open } of identityEngines) operatorKeyStoreContract(name, open)
