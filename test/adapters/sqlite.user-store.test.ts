import { SqliteSessions } from '../../src/store/sqlite/sessions.ts'
import { SqliteUsers } from '../../src/store/sqlite/users.ts'
import { userStoreContract } from '../contract/user-store.contract.ts'
import { openIdentityFile } from './open-identity.ts'

userStoreContract('sqlite', async (t) => {
  const file = openIdentityFile(t)
  return { users: new SqliteUsers(file), sessions: new SqliteSessions(file) }
})
