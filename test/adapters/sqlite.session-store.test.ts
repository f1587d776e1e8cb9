import { SqliteSessions } from '../../src/store/sqlite/sessions.ts'
import { SqliteUsers } from '../../src/store/sqlite/users.ts'
import { sessionStoreContract } from '../contract/session-store.contract.ts'
import { openIdentityFile } from './open-identity.ts'

sessionStoreContract('sqlite', async (t) => {
  const file = openIdentityFile(t)
  const again = () => new SqliteSessions(file)
  return { users: new SqliteUsers(file), sessions: again(), again }
})
