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
import { SqlFlows } from '../sql/bots/flows.ts'
import { sqlInvitations } from '../sql/bots/invitations.ts'
import { sqlListeners } from '../sql/bots/listeners.ts'
import { sqlRuntimeLogs } from '../sql/bots/runtime-logs.ts'
import { SqlRuntimes } from '../sql/bots/runtimes.ts'
import { sqlStatusHistory } from '../sql/bots/status-history.ts'
import { sqlStatusNotices } from '../sql/bots/status-notices.ts'
import type { IdentityStores } from '../sql/identity-stores.ts'
import { PostgresApplications } from './applications.ts'
import { postgresAudit } from './audit.ts'
import { BlockNumbers } from './block-numbers.ts'
import { PostgresBots } from './bots.ts'
import { postgresGrants } from './grants.ts'
import type { PostgresDatabase } from './postgres-database.ts'
import { postgresProfiles } from './profile.ts'
import { postgresSnapshots } from './snapshots.ts'

export function postgresIdentity(database: PostgresDatabase): IdentityStores {
  return {
    users: new SqlUsers(database),
    sessions: new SqlSessions(database, new BlockNumbers(database, 'session_blocks')),
    keptForms: sqlKeptForms(database),
    links: new SqlOneTimeLinks(database),
    mail: sqlOutgoingMail(database),
    passkeys: new SqlPasskeys(database),
    linkedAccounts: new SqlLinkedAccounts(database),
    grants: postgresGrants(database),
    bots: new PostgresBots(database),
    flows: new SqlFlows(database),
    invitations: sqlInvitations(database),
    runtimes: new SqlRuntimes(database),
    runtimeLogs: sqlRuntimeLogs(database),
    snapshots: postgresSnapshots(database),
    statusHistory: sqlStatusHistory(database),
    statusNotices: sqlStatusNotices(database),
    profiles: postgresProfiles(database),
    audit: postgresAudit(database),
    applications: new PostgresApplications(database),
    requests: sqlRequestLog(database),
    attempts: sqlAttempts(database),
    scopes: sqlScopes(database),
    listeners: sqlListeners(database),
  }
}
