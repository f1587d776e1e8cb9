import { sqlKeptForms } from '../sql/accounts/kept-forms.ts'
import { SqlLinkedAccounts } from '../sql/accounts/linked-accounts.ts'
import { SqlOneTimeLinks } from '../sql/accounts/one-time-links.ts'
import { sqlOutgoingMail } from '../sql/accounts/outgoing-mail.ts'
import { SqlPasskeys } from '../sql/accounts/passkeys.ts'
import { SqlSessions } from '../sql/accounts/sessions.ts'
import { SqlUsers } from '../sql/accounts/users.ts'
import { sqlRequestLog } from '../sql/applications/request-log.ts'
import { sqlAttempts } from '../sql/authorization/attempts.ts'
import { sqlScopes } from '../sql/authorization/scopes.ts'
import { SqlBots } from '../sql/bots/bots.ts'
import { SqlFlows } from '../sql/bots/flows.ts'
import { sqlInvitations } from '../sql/bots/invitations.ts'
import { sqlListeners } from '../sql/bots/listeners.ts'
import { sqlRuntimeLogs } from '../sql/bots/runtime-logs.ts'
import { SqlRuntimes } from '../sql/bots/runtimes.ts'
import { sqlStatusHistory } from '../sql/bots/status-history.ts'
import { sqlStatusNotices } from '../sql/bots/status-notices.ts'
import type { IdentityStores } from '../sql/identity-stores.ts'
import { SqliteApplications } from './applications.ts'
import { sqliteAudit } from './audit.ts'
import { CountedNumbers } from './counted-numbers.ts'
import { sqliteGrants } from './grants.ts'
import { sqliteProfiles } from './profile.ts'
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
    profiles: sqliteProfiles(file),
    listeners: sqlListeners(database),
  }
}
