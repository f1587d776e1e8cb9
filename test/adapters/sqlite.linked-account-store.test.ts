import { SqliteLinkedAccounts } from '../../src/store/sqlite/linked-accounts.ts'
import { SqliteUsers } from '../../src/store/sqlite/users.ts'
import { linkedAccountStoreContract } from '../contract/linked-account-store.contract.ts'
import { openIdentityFile } from './open-identity.ts'

linkedAccountStoreContract('sqlite', async (t) => {
  const file = openIdentityFile(t)
  return { linked: new SqliteLinkedAccounts(file), users: new SqliteUsers(file) }
})
