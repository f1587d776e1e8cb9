import { parseUserId } from '../../src/domain/ids.ts'
import { sqliteRequestLog } from '../../src/store/sqlite/request-log.ts'
import { SqliteDatabase } from '../../src/store/sqlite/sqlite-database.ts'
import { SqlUsers } from '../../src/store/users.ts'
import { requestLogStoreContract } from '../contract/request-log-store.contract.ts'
import { openIdentityFile, withAdaAndAcme } from './open-identity.ts'

requestLogStoreContract('sqlite', async (t) => {
  const file = await withAdaAndAcme(openIdentityFile(t))
  await new SqlUsers(new SqliteDatabase(file)).putUser(parseUserId('bob')!, { name: 'Bob' }, 1_000)
  const consent = file.statement("INSERT INTO consents VALUES (?, 'acme', '[]', 1000, 1000, NULL)")
  await file.write(() => {
    for (const user of ['ada', 'bob']) consent.run(user)
  })
  return sqliteRequestLog(file)
})
