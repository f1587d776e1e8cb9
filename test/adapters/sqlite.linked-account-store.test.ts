import { SqliteLinkedAccounts } from '../../src/store/sqlite/linked-accounts.ts'
import { SqliteDatabase } from '../../src/store/sqlite/sqlite-database.ts'
import { SqlUsers } from '../../src/store/users.ts'
import { linkedAccountStoreContract } from '../contract/linked-account-store.contract.ts'
import { openIdentityFile } from './open-identity.ts'

linkedAccountStoreContract('sqlite', async (t) => {
  const file = openIdentityFile(t)
  return { linked: new SqliteLinkedAccounts(file), users: new SqlUsers(new SqliteDatabase(file)) }
})
