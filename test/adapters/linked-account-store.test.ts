import { linkedAccountStoreContract } from '../contract/linked-account-store.contract.ts'
import { identityEngines } from '../support/adapters/identity-engines.ts'

for (const { name, open } of identityEngines) {
  linkedAccountStoreContract(name, async (t) => {
    const { linkedAccounts: linked, users } = await open(t)
    return { linked, users }
  })
}
