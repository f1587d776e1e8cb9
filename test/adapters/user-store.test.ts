import { userStoreContract } from '../contract/user-store.contract.ts'
import { userCredentialsContract } from '../contract/user-store-credentials.contract.ts'
import { identityEngines } from '../support/adapters/identity-engines.ts'

for (const { name, open } of identityEngines) {
  userStoreContract(name, open)
  userCredentialsContract(name, open)
}
