import { sqliteGrants } from '../../src/store/sqlite/grants.ts'
import { grantStoreContract } from '../contract/grant-store.contract.ts'
import { openIdentityFile, withAdaAndAcme } from './open-identity.ts'

grantStoreContract(
  'sqlite',
  async (t) => sqliteGrants(await withAdaAndAcme(openIdentityFile(t))),
  async (t) => {
    const file = await withAdaAndAcme(openIdentityFile(t))
    return { grants: sqliteGrants(file), again: () => sqliteGrants(file) }
  },
)
