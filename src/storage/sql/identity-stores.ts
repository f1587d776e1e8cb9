import type { SessionStore } from '../../domain/accounts/sessions/sessions.ts'
import type { ApplicationStore } from '../../domain/applications/application-store.ts'
import type { AuditStore } from '../../domain/audit/audit.ts'
import type { GrantStore } from '../../domain/authorization/grant-store.ts'
import type { BotStore } from '../../domain/bots/bot.ts'
import type { SnapshotStore } from '../../domain/bots/status/snapshots.ts'
import type { ProfileStore } from '../../domain/profile/profile.ts'
import { sqlOneTimeLinks } from './accounts/one-time-links.ts'
import { sqlOutgoingMail } from './accounts/outgoing-mail.ts'
import { sqlLinkedAccounts, sqlPasskeys } from './accounts/passkeys-and-linked-accounts.ts'
import { sqlOperatorKeys, sqlPersonalTokens } from './accounts/personal-tokens-and-operator-keys.ts'
import { sqlSessions } from './accounts/sessions.ts'
import { sqlUsers } from './accounts/users.ts'
import { sqlTryOutResults } from './applications/applications.ts'
import { sqlRequestLog } from './applications/request-log.ts'
import { sqlAttempts, sqlScopes } from './authorization/grants.ts'
import { sqlFlows } from './bots/flows.ts'
import { sqlInvitations } from './bots/invitations.ts'
import { sqlRuntimeConnections, sqlRuntimeLogs, sqlRuntimes } from './bots/runtimes.ts'
import { sqlStatusHistory } from './bots/status-history.ts'
import { sqlListeners, sqlRefusedWebhooks } from './bots/webhooks.ts'
import { sqlPeople } from './people/people.ts'
import { type HeldTable, keepTotal } from './rows.ts'
import { type Database, prune, raw, sql } from './sql.ts'
import { sqlAnnouncements, sqlSubscriptions } from './subscriptions/subscriptions.ts'

/** The stores that each database implements with its own SQL. */
interface OwnStores {
  audit: AuditStore
  applications: ApplicationStore
  grants: GrantStore
  bots: BotStore
  snapshots: SnapshotStore
  profiles: ProfileStore
}

/** All stores except the webhook queue. They share one database. */
export type IdentityStores = ReturnType<typeof identityStores>

export function identityStores(database: Database, allotSession: SessionStore['allotNumber'], own: OwnStores) {
  return {
    ...own,
    users: sqlUsers(database),
    sessions: sqlSessions(database, allotSession),
    tryOutResults: sqlTryOutResults(database),
    links: sqlOneTimeLinks(database),
    personalTokens: sqlPersonalTokens(database),
    mail: sqlOutgoingMail(database),
    passkeys: sqlPasskeys(database),
    linkedAccounts: sqlLinkedAccounts(database),
    operatorKeys: sqlOperatorKeys(database),
    requests: sqlRequestLog(database),
    attempts: sqlAttempts(database),
    scopes: sqlScopes(database),
    flows: sqlFlows(database),
    invitations: sqlInvitations(database),
    runtimes: sqlRuntimes(database),
    runtimeConnections: sqlRuntimeConnections(database),
    runtimeLogs: sqlRuntimeLogs(database),
    statusHistory: sqlStatusHistory(database),
    people: sqlPeople(database),
    listeners: sqlListeners(database),
    subscriptions: sqlSubscriptions(database),
    announcements: sqlAnnouncements(database),
    refusedWebhooks: sqlRefusedWebhooks(database),

    /** Deletes up to `atMost` rows that expired at `atMs` or earlier, oldest first. Resolves with the number deleted. */
    pruneExpired(table: keyof typeof expiringTables, atMs: number, atMost: number): Promise<number> {
      const [key, time] = expiringTables[table]
      return prune(database, table, key, sql`${raw(time)} <= ${atMs} ORDER BY ${raw(time)}`, atMost)
    },

    /** Deletes up to `atMost` rows beyond `total`, from the holders with the most. Resolves with the number deleted. */
    trim(table: HeldTable, total: number, atMost: number): Promise<number> {
      return database.write({}, () => keepTotal(table, total, atMost))
    },
  }
}

/** With the columns of a row's key and of the time when it expires. */
const expiringTables = {
  authorization_attempts: ['id', 'expires_at_ms'],
  invitations: ['number', 'expires_at_ms'],
  one_time_links: ['digest', 'expires_at_ms'],
  passkey_challenges: ['number', 'expires_at_ms'],
  personal_tokens: ['number', 'expires_at_ms'],
  provider_visits: ['state_digest', 'expires_at_ms'],
  refused_webhooks: ['number', 'last_at_ms'],
  sessions: ['number', 'expires_at_ms'],
  status_changes: ['(bot_id, at_ms)', 'at_ms'],
  try_out_results: ['id', 'expires_at_ms'],
} as const
