import { sqlAttempts } from '../attempts.ts'
import { SqlBots } from '../bots.ts'
import { SqlFlows } from '../flows.ts'
import type { IdentityStores } from '../identity-stores.ts'
import { sqlInvitations } from '../invitations.ts'
import { sqlKeptForms } from '../kept-forms.ts'
import { SqlLinkedAccounts } from '../linked-accounts.ts'
import { sqlListeners } from '../listeners.ts'
import { SqlOneTimeLinks } from '../one-time-links.ts'
import { sqlOutgoingMail } from '../outgoing-mail.ts'
import { SqlPasskeys } from '../passkeys.ts'
import { sqlRequestLog } from '../request-log.ts'
import { sqlRuntimeLogs } from '../runtime-logs.ts'
import { SqlRuntimes } from '../runtimes.ts'
import { sqlScopes } from '../scopes.ts'
import { SqlSessions } from '../sessions.ts'
import { sqlStatusHistory } from '../status-history.ts'
import { sqlStatusNotices } from '../status-notices.ts'
import { SqlUsers } from '../users.ts'
import { SqliteApplications } from './applications.ts'
import { sqliteAudit } from './audit.ts'
import { CountedNumbers } from './counted-numbers.ts'
import { sqliteGrants } from './grants.ts'
import { SqliteProfiles } from './profile.ts'
import { sqliteSnapshots } from './snapshots.ts'
import { SqliteDatabase } from './sqlite-database.ts'
import type { SqliteFile } from './sqlite-file.ts'

/** The stores on a SQLite file whose schema is `migrations/`. */
export function sqliteIdentity(file: SqliteFile): IdentityStores {
  const database = new SqliteDatabase(file)
  const sessionNumbers = new CountedNumbers(file, 'SELECT max(number) AS last FROM sessions')
  return {
    users: new SqlUsers(database),
    sessions: new SqlSessions(database, sessionNumbers),
    keptForms: sqlKeptForms(database),
    links: new SqlOneTimeLinks(database),
    mail: sqlOutgoingMail(database),
    passkeys: new SqlPasskeys(database),
    linkedAccounts: new SqlLinkedAccounts(database),
    audit: sqliteAudit(database),
    applications: new SqliteApplications(file),
    requests: sqlRequestLog(database),
    grants: sqliteGrants(file),
    attempts: sqlAttempts(database),
    scopes: sqlScopes(database),
    bots: new SqlBots(database),
    flows: new SqlFlows(database),
    invitations: sqlInvitations(database),
    runtimes: new SqlRuntimes(database),
    runtimeLogs: sqlRuntimeLogs(database),
    snapshots: sqliteSnapshots(file),
    statusHistory: sqlStatusHistory(database),
    statusNotices: sqlStatusNotices(database),
    profiles: new SqliteProfiles(file),
    listeners: sqlListeners(database),
  }
}
