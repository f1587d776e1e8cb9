import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sqliteAudit } from '../../src/store/sqlite/audit.ts'
import { SqliteDatabase } from '../../src/store/sqlite/sqlite-database.ts'
import { SqlUsers } from '../../src/store/users.ts'
import { auditStoreContract } from '../contract/audit-store.contract.ts'
import { openIdentityFile, withAdaAndAcme } from './open-identity.ts'

auditStoreContract('sqlite', async (t) => {
  const file = await withAdaAndAcme(openIdentityFile(t))
  return { audit: sqliteAudit(file), users: new SqlUsers(new SqliteDatabase(file)), again: () => sqliteAudit(file) }
})

test('sqlite: rows of the audit can’t be changed, and none but the oldest deleted', async (t) => {
  const file = openIdentityFile(t)
  const run = (sql: string) => file.write(() => file.statement(sql).run())
  const insert = `INSERT INTO audit_events (at_ms, kind, actor, detail) VALUES (1, 'sign-in', 'user', '{}')`
  for (let row = 0; row < 3; row += 1) await run(insert)
  await assert.rejects(run(`UPDATE audit_events SET kind = 'grant' WHERE number = 3`), /are not changed/)
  await assert.rejects(run('DELETE FROM audit_events WHERE number = 2'), /only the oldest/)
  await run('DELETE FROM audit_events WHERE number = 1')
  assert.deepEqual(
    file
      .statement('SELECT number FROM audit_events')
      .all()
      .map((row) => row.number),
    [2, 3],
  )
})
