import type { IdentityStores } from '../identity-stores.ts'
import { SqlLinkedAccounts } from '../linked-accounts.ts'
import { SqlOneTimeLinks } from '../one-time-links.ts'
import { sqlOutgoingMail } from '../outgoing-mail.ts'
import { SqlPasskeys } from '../passkeys.ts'
import { SqlSessions } from '../sessions.ts'
import { SqlUsers } from '../users.ts'
import { SqliteApplications } from './applications.ts'
import { sqliteAttempts } from './attempts.ts'
import { sqliteAudit } from './audit.ts'
import { SqliteBots } from './bots.ts'
import { CountedNumbers } from './counted-numbers.ts'
import { SqliteFlows } from './flows.ts'
import { sqliteGrants } from './grants.ts'
import { sqliteListeners } from './listeners.ts'
import { SqliteProfiles } from './profile.ts'
import { sqliteRequestLog } from './request-log.ts'
import { sqliteRuntimeLogs } from './runtime-logs.ts'
import { SqliteRuntimes } from './runtimes.ts'
import { sqliteScopes } from './scopes.ts'
import { sqliteSnapshots } from './snapshots.ts'
import { SqliteDatabase } from './sqlite-database.ts'
import type { SqliteFile } from './sqlite-file.ts'
import { sqliteStatusHistory } from './status-history.ts'
import { sqliteStatusNotices } from './status-notices.ts'

/** The stores on a SQLite file whose schema is `migrations/`. */
export function sqliteIdentity(file: SqliteFile): IdentityStores {
  const database = new SqliteDatabase(file)
  const sessionNumbers = new CountedNumbers(file, 'SELECT max(number) AS last FROM sessions')
  return {
    users: new SqlUsers(database),
    sessions: new SqlSessions(database, sessionNumbers),
    links: new SqlOneTimeLinks(database),
    mail: sqlOutgoingMail(database),
    passkeys: new SqlPasskeys(database),
    linkedAccounts: new SqlLinkedAccounts(database),
    audit: sqliteAudit(file),
    applications: new SqliteApplications(file),
    requests: sqliteRequestLog(file),
    grants: sqliteGrants(file),
    attempts: sqliteAttempts(file),
    scopes: sqliteScopes(file),
    bots: new SqliteBots(file),
    flows: new SqliteFlows(file),
    runtimes: new SqliteRuntimes(file),
    runtimeLogs: sqliteRuntimeLogs(file),
    snapshots: sqliteSnapshots(file),
    statusHistory: sqliteStatusHistory(file),
    statusNotices: sqliteStatusNotices(file),
    profiles: new SqliteProfiles(file),
    listeners: sqliteListeners(file),
  }
}
