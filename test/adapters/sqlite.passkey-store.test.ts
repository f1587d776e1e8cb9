import { SqlitePasskeys } from '../../src/store/sqlite/passkeys.ts'
import { SqliteUsers } from '../../src/store/sqlite/users.ts'
import { passkeyStoreContract } from '../contract/passkey-store.contract.ts'
import { openIdentityFile } from './open-identity.ts'

passkeyStoreContract('sqlite', async (t) => {
  const file = openIdentityFile(t)
  return { passkeys: new SqlitePasskeys(file), users: new SqliteUsers(file) }
})
