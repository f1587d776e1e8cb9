import type { TestContext } from 'node:test'
import { sqliteAudit } from '../../src/store/sqlite/audit.ts'
import { SqliteBots } from '../../src/store/sqlite/bots.ts'
import { SqliteFlows } from '../../src/store/sqlite/flows.ts'
import { sqliteListeners } from '../../src/store/sqlite/listeners.ts'
import { SqliteProfiles } from '../../src/store/sqlite/profile.ts'
import { sqliteRuntimeLogs } from '../../src/store/sqlite/runtime-logs.ts'
import { SqliteRuntimes } from '../../src/store/sqlite/runtimes.ts'
import { sqliteSnapshots } from '../../src/store/sqlite/snapshots.ts'
import { SqliteDatabase } from '../../src/store/sqlite/sqlite-database.ts'
import { sqliteStatusHistory } from '../../src/store/sqlite/status-history.ts'
import { sqliteStatusNotices } from '../../src/store/sqlite/status-notices.ts'
import { SqlUsers } from '../../src/store/users.ts'
import { type BotStores, withPeople } from '../contract/bot-stores.ts'
import { openIdentityFile } from './open-identity.ts'

/** The stores about bots on a fresh SQLite file. */
export function openBotStores(t: TestContext): Promise<BotStores> {
  const file = openIdentityFile(t)
  return withPeople({
    users: new SqlUsers(new SqliteDatabase(file)),
    bots: new SqliteBots(file),
    flows: new SqliteFlows(file),
    runtimes: new SqliteRuntimes(file),
    runtimeLogs: sqliteRuntimeLogs(file),
    snapshots: sqliteSnapshots(file),
    statusHistory: sqliteStatusHistory(file),
    statusNotices: sqliteStatusNotices(file),
    profiles: new SqliteProfiles(file),
    auditEvents: sqliteAudit(file),
    listeners: sqliteListeners(file),
  })
}
