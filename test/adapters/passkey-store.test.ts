import { passkeyStoreContract } from '../contract/passkey-store.contract.ts'
import { identityEngines } from '../support/adapters/identity-engines.ts'

for (const { name, open } of identityEngines) passkeyStoreContract(name, open)
