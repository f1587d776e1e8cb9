import type { TestContext } from 'node:test'
import { grantStoreContract } from '../contract/grant-store.contract.ts'
import { consentContract } from '../contract/grant-store-consents.contract.ts'
import { identityEngines } from '../support/adapters/identity-engines.ts'
import { withAdaAndAcme } from '../support/adapters/open-identity.ts'

for (const { name, open } of identityEngines) {
  const withGrants = async (t: TestContext) => {
    const { grants, database, again } = await open(t)
    await withAdaAndAcme(database)
    return { grants, again: () => again().grants }
  }
  const grantsOf = async (t: TestContext) => (await withGrants(t)).grants
  grantStoreContract(name, grantsOf, withGrants)
  consentContract(name, grantsOf)
}
