import { parseUserId } from '../../src/domain/ids.ts'
import { SqliteApplications } from '../../src/store/sqlite/applications.ts'
import { SqliteDatabase } from '../../src/store/sqlite/sqlite-database.ts'
import { SqlUsers } from '../../src/store/users.ts'
import { applicationStoreContract } from '../contract/application-store.contract.ts'
import { openIdentityFile } from './open-identity.ts'

applicationStoreContract('sqlite', async (t) => {
  const file = openIdentityFile(t)
  const users = new SqlUsers(new SqliteDatabase(file))
  for (const name of ['ada', 'bob']) await users.putUser(parseUserId(name)!, { name }, 1_000)
  return new SqliteApplications(file)
})
