import { listenerStoreContract } from '../contract/listener-store.contract.ts'
import { identityEngines } from '../support/adapters/identity-engines.ts'
import { withAdaAndAcme } from '../support/adapters/open-identity.ts'

for (const { name, open } of identityEngines) {
  listenerStoreContract(name, async (t) => {
    const stores = await open(t)
    await withAdaAndAcme(stores.database)
    return stores
  })
}
