import { SqliteOneTimeLinks } from '../../src/store/sqlite/one-time-links.ts'
import { sqliteOutgoingMail } from '../../src/store/sqlite/outgoing-mail.ts'
import { SqliteSessions } from '../../src/store/sqlite/sessions.ts'
import { SqliteUsers } from '../../src/store/sqlite/users.ts'
import { oneTimeLinkStoreContract } from '../contract/one-time-link-store.contract.ts'
import { openIdentityFile } from './open-identity.ts'

oneTimeLinkStoreContract('sqlite', async (t) => {
  const file = openIdentityFile(t)
  return {
    users: new SqliteUsers(file),
    sessions: new SqliteSessions(file),
    links: new SqliteOneTimeLinks(file),
    mail: sqliteOutgoingMail(file),
  }
})
