import { sqlAttempts } from '../attempts.ts'
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
import { PostgresApplications } from './applications.ts'
import { postgresAudit } from './audit.ts'
import { BlockNumbers } from './block-numbers.ts'
import { PostgresBots } from './bots.ts'
import { postgresGrants } from './grants.ts'
import type { PostgresDatabase } from './postgres-database.ts'
import { postgresProfiles } from './profile.ts'
import { postgresSnapshots } from './snapshots.ts'

/** The stores on a PostgreSQL database whose schema is `migrations/`. */
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
