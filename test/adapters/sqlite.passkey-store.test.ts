import { SqlitePasskeys } from '../../src/store/sqlite/passkeys.ts'
import { SqliteDatabase } from '../../src/store/sqlite/sqlite-database.ts'
import { SqlUsers } from '../../src/store/users.ts'
import { passkeyStoreContract } from '../contract/passkey-store.contract.ts'
import { openIdentityFile } from './open-identity.ts'

passkeyStoreContract('sqlite', async (t) => {
  const file = openIdentityFile(t)
  return { passkeys: new SqlitePasskeys(file), users: new SqlUsers(new SqliteDatabase(file)) }
})
