import { sqlKeptForms } from '../sql/accounts/kept-forms.ts'
import { sqlLinkedAccounts } from '../sql/accounts/linked-accounts.ts'
import { sqlOneTimeLinks } from '../sql/accounts/one-time-links.ts'
import { sqlOutgoingMail } from '../sql/accounts/outgoing-mail.ts'
import { sqlPasskeys } from '../sql/accounts/passkeys.ts'
import { sqlPersonalTokens } from '../sql/accounts/personal-tokens.ts'
import { sqlSessions } from '../sql/accounts/sessions.ts'
import { sqlUsers } from '../sql/accounts/users.ts'
import { sqlRequestLog } from '../sql/applications/request-log.ts'
import { sqlAttempts } from '../sql/authorization/attempts.ts'
import { sqlScopes } from '../sql/authorization/scopes.ts'
import { sqlBots } from '../sql/bots/bots.ts'
import { sqlFlows } from '../sql/bots/flows.ts'
import { sqlInvitations } from '../sql/bots/invitations.ts'
import { sqlListeners } from '../sql/bots/listeners.ts'
import { sqlRuntimeConnections } from '../sql/bots/runtime-connections.ts'
import { sqlRuntimeLogs } from '../sql/bots/runtime-logs.ts'
import { sqlRuntimes } from '../sql/bots/runtimes.ts'
import { sqlStatusChanges } from '../sql/bots/status-changes.ts'
import { sqlStatusHistory } from '../sql/bots/status-history.ts'
import { sqlStatusMail } from '../sql/bots/status-mail.ts'
import { sqlStatusNotices } from '../sql/bots/status-notices.ts'
import type { IdentityStores } from '../sql/identity-stores.ts'
import { sqlOperatorKeys } from '../sql/operators/operator-keys.ts'
import { sqlPeople } from '../sql/people/people.ts'
import { sqlAnnouncements } from '../sql/subscriptions/announcements.ts'
import { sqlSubscriptions } from '../sql/subscriptions/subscriptions.ts'
import { sqlRefusedWebhooks } from '../sql/webhooks/refused-webhooks.ts'
import { sqliteApplications } from './applications.ts'
import { sqliteAudit } from './audit.ts'
import { CountedNumbers } from './counted-numbers.ts'
import { sqliteGrants } from './grants.ts'
import { sqliteProfiles } from './profile.ts'
import { sqliteSnapshots } from './snapshots.ts'
import { SqliteDatabase } from './sqlite-database.ts'
import type { SqliteFile } from './sqlite-file.ts'

/** Returns the identity stores for a migrated SQLite file. */
export function sqliteIdentity(file: SqliteFile): IdentityStores {
  const database = new SqliteDatabase(file)
  const sessionNumbers = new CountedNumbers(file, 'SELECT max(number) AS last FROM sessions')
  return {
    users: sqlUsers(database),
    sessions: sqlSessions(database, sessionNumbers),
    keptForms: sqlKeptForms(database),
    links: sqlOneTimeLinks(database),
    personalTokens: sqlPersonalTokens(database),
    mail: sqlOutgoingMail(database),
    passkeys: sqlPasskeys(database),
    linkedAccounts: sqlLinkedAccounts(database),
    audit: sqliteAudit(database),
    operatorKeys: sqlOperatorKeys(database),
    applications: sqliteApplications(file),
    requests: sqlRequestLog(database),
    grants: sqliteGrants(file),
    attempts: sqlAttempts(database),
    scopes: sqlScopes(database),
    bots: sqlBots(database),
    flows: sqlFlows(database),
    invitations: sqlInvitations(database),
    runtimes: sqlRuntimes(database),
    runtimeConnections: sqlRuntimeConnections(database),
    runtimeLogs: sqlRuntimeLogs(database),
    snapshots: sqliteSnapshots(file),
    statusChanges: sqlStatusChanges(database),
    statusHistory: sqlStatusHistory(database),
    statusNotices: sqlStatusNotices(database),
    statusMail: sqlStatusMail(database),
    profiles: sqliteProfiles(file),
    people: sqlPeople(database),
    listeners: sqlListeners(database),
    subscriptions: sqlSubscriptions(database),
    announcements: sqlAnnouncements(database),
    refusedWebhooks: sqlRefusedWebhooks(database),
  }
}
