import type { ApplicationId, BotId, RuntimeId, SubscriptionId, UserId } from '../../../domain/ids.ts'
import type { PersonalRecords, PersonStore, RemovePersonOutcome } from '../../../domain/people/people.ts'
import { tablesOfBot } from '../bots/bots.ts'
import { changes, type Database, rows, type SqlValue, type Work } from '../database.ts'
import { userExists } from '../existence.ts'

/** Everything kept about a person, across the tables of all other stores. */
export function sqlPeople(database: Database): PersonStore {
  return {
    remove: (userId, owned, nowMs) =>
      database.write({ row: `user ${userId}` }, () => removePerson(userId, owned, nowMs)),

    read: (userId) => database.read(() => personalRecords(userId)),
  }
}

const applicationsOf = 'SELECT id FROM applications WHERE owner_id = ?'
const botsOf = 'SELECT id FROM bots WHERE owner_id = ?'

/**
 * Statements that delete data without a cascading foreign key to the user. Access tokens need no statement: without
 * their family they are rejected, and they are pruned once they have expired.
 */
const removals = [
  'DELETE FROM token_families WHERE user_id = ?',
  'DELETE FROM coworkers WHERE user_id = ?',
  'DELETE FROM runtimes WHERE owner_id = ?',
  'DELETE FROM outgoing_mail WHERE user_id = ?',
  'DELETE FROM outgoing_mail WHERE address IN (SELECT email FROM users WHERE id = ?)',
  ...['client_secrets', 'failed_requests', 'application_days'].map(
    (table) => `DELETE FROM ${table} WHERE application_id IN (${applicationsOf})`,
  ),
  ...tablesOfBot.map((table) => `DELETE FROM ${table} WHERE bot_id IN (${botsOf})`),
]

/** See {@link PersonStore.remove}. */
function* removePerson(userId: UserId, owned: 'delete' | 'refuse', nowMs: number): Work<RemovePersonOutcome> {
  if (!(yield* userExists(userId))) return { kind: 'unknown' }
  const live = 'AND deleted_at_ms IS NULL ORDER BY id'
  const applicationIds = (yield* rows<{ id: ApplicationId }>(`${applicationsOf} ${live}`, userId)).map(({ id }) => id)
  const botIds = (yield* rows<{ id: BotId }>(`${botsOf} ${live}`, userId)).map(({ id }) => id)
  if (owned === 'refuse' && applicationIds.length + botIds.length > 0) return { kind: 'owner', applicationIds, botIds }
  const runtimes = yield* rows<{ id: RuntimeId }>('SELECT id FROM runtimes WHERE owner_id = ?', userId)
  const subscriptions = yield* rows<{ id: SubscriptionId }>('SELECT id FROM subscriptions WHERE owner_id = ?', userId)

  for (const sql of removals) yield* changes(sql, userId)
  // Empties the rows of applications instead of deleting them, because tokens of other users refer to them (decision
  // 0103).
  yield* changes(
    `UPDATE applications SET owner_id = NULL, name = '', website_url = '', redirect_uris = '[]',
       deleted_at_ms = coalesce(deleted_at_ms, ?1), updated_at_ms = ?1 WHERE owner_id = ?2`,
    nowMs,
    userId,
  )
  yield* changes(
    'INSERT INTO deleted_bots (id, deleted_at_ms) SELECT id, CAST(? AS BIGINT) FROM bots WHERE owner_id = ?',
    nowMs,
    userId,
  )
  yield* changes('DELETE FROM bots WHERE owner_id = ?', userId)
  yield* changes('DELETE FROM users WHERE id = ?', userId)
  return {
    kind: 'removed',
    botIds,
    runtimeIds: runtimes.map(({ id }) => id),
    subscriptionIds: subscriptions.map(({ id }) => id),
  }
}

/** A list of records in the export of a person's data. Its query must not select secrets, hashes or digests. */
interface Section {
  /** Reads the records of user `?1`. */
  sql: string
  /** Columns to convert from 0 or 1 to a boolean. */
  flags?: readonly string[]
  /** Columns to parse as JSON. */
  json?: readonly string[]
  /** Columns to split at spaces into a list. */
  lists?: readonly string[]
}

const ofApplication = 'JOIN applications ON applications.id = application_id WHERE owner_id = ?1'
const ofBot = 'JOIN bots ON bots.id = bot_id WHERE owner_id = ?1'

const sections = {
  user: {
    sql: `SELECT id, name, email, email_verified_at_ms AS "emailVerifiedAtMs", pending_email AS "pendingEmail",
        chat_platform_id AS "chatPlatformId", code_hosting_id AS "codeHostingId",
        password_hash IS NOT NULL AS "hasPassword", pin_hash IS NOT NULL AS "hasPin",
        pin_locked_until_ms AS "pinLockedUntilMs", disabled_at_ms AS "disabledAtMs", created_at_ms AS "createdAtMs", updated_at_ms AS "changedAtMs"
      FROM users WHERE id = ?1`,
    flags: ['hasPassword', 'hasPin'],
  },
  sessions: {
    sql: `SELECT surface, user_agent AS "userAgent", address, created_at_ms AS "createdAtMs",
        coalesce(last_seen_at_ms, created_at_ms) AS "lastSeenAtMs", expires_at_ms AS "expiresAtMs"
      FROM sessions WHERE user_id = ?1 ORDER BY number`,
  },
  passkeys: {
    sql: `SELECT name, backed_up AS "backedUp", created_at_ms AS "createdAtMs", last_used_at_ms AS "lastUsedAtMs"
      FROM passkeys WHERE user_id = ?1 ORDER BY number`,
    flags: ['backedUp'],
  },
  personalTokens: {
    sql: `SELECT id, name, scopes, created_at_ms AS "createdAtMs", expires_at_ms AS "expiresAtMs",
        last_used_at_ms AS "lastUsedAtMs"
      FROM personal_tokens WHERE user_id = ?1 ORDER BY number`,
    lists: ['scopes'],
  },
  linkedAccounts: {
    sql: `SELECT issuer, subject, name, linked_at_ms AS "linkedAtMs"
      FROM linked_accounts WHERE user_id = ?1 ORDER BY issuer`,
  },
  oneTimeLinks: {
    sql: `SELECT purpose, email_key AS email, expires_at_ms AS "expiresAtMs"
      FROM one_time_links WHERE user_id = ?1 ORDER BY purpose`,
  },
  outgoingMail: {
    sql: `SELECT kind, address, language, created_at_ms AS "createdAtMs" FROM outgoing_mail
      WHERE user_id = ?1 OR address = (SELECT email FROM users WHERE id = ?1) ORDER BY number`,
  },
  tryOutResults: {
    sql: 'SELECT expires_at_ms AS "expiresAtMs" FROM try_out_results WHERE user_id = ?1 ORDER BY expires_at_ms',
  },
  consents: {
    sql: `SELECT application_id AS "applicationId", name AS "applicationName", scopes, implied_scopes AS "impliedScopes",
        first_granted_at_ms AS "firstGrantedAtMs", last_granted_at_ms AS "lastGrantedAtMs",
        last_used_at_ms AS "lastUsedAtMs"
      FROM consents JOIN applications ON applications.id = application_id WHERE user_id = ?1 ORDER BY application_id`,
    lists: ['scopes', 'impliedScopes'],
  },
  authorizations: {
    sql: `SELECT application_id AS "applicationId", scopes, redirect_uri AS "redirectUri",
        created_at_ms AS "createdAtMs", redeemed_at_ms AS "redeemedAtMs", rotated_at_ms AS "refreshedAtMs",
        revoked_at_ms AS "revokedAtMs", ends_at_ms AS "endsAtMs"
      FROM token_families WHERE user_id = ?1 ORDER BY number`,
    lists: ['scopes'],
  },
  roles: {
    sql: `SELECT bot_id AS "botId", role, capabilities FROM coworkers WHERE user_id = ?1 ORDER BY bot_id`,
    json: ['capabilities'],
  },
  acceptedInvitations: {
    sql: `SELECT bot_id AS "botId", label, role, capabilities, expires_at_ms AS "expiresAtMs"
      FROM invitations WHERE accepted_by = ?1 ORDER BY number`,
    json: ['capabilities'],
  },
  applications: {
    sql: `SELECT id, client_id AS "clientId", name, website_url AS "websiteUrl", redirect_uris AS "redirectUris",
        environment, first_party AS "firstParty", verified, require_pkce AS "requirePkce",
        created_at_ms AS "createdAtMs", updated_at_ms AS "changedAtMs", disabled_at_ms AS "disabledAtMs",
        deleted_at_ms AS "deletedAtMs"
      FROM applications WHERE owner_id = ?1 ORDER BY id`,
    flags: ['firstParty', 'verified', 'requirePkce'],
    json: ['redirectUris'],
  },
  clientSecrets: {
    sql: `SELECT application_id AS "applicationId", label, client_secrets.created_at_ms AS "createdAtMs",
        last_used_at_ms AS "lastUsedAtMs"
      FROM client_secrets ${ofApplication} ORDER BY number`,
  },
  bots: {
    sql: `SELECT id, name, chat_platform_id AS "chatPlatformId", avatar, plan, hosting_enabled AS "hostingEnabled",
        hosting_location AS "hostingLocation", public_status AS "publicStatus", created_at_ms AS "createdAtMs",
        updated_at_ms AS "changedAtMs", deleted_at_ms AS "deletedAtMs"
      FROM bots WHERE owner_id = ?1 ORDER BY id`,
    flags: ['hostingEnabled', 'publicStatus'],
  },
  flows: {
    sql: `SELECT bot_id AS "botId", flows.id, kind, flows.name, public_code AS "publicCode",
        webhook_path AS "webhookPath", flows.created_at_ms AS "createdAtMs", flows.updated_at_ms AS "changedAtMs"
      FROM flows ${ofBot} ORDER BY bot_id, flows.id`,
  },
  guilds: {
    sql: `SELECT bot_id AS "botId", guild_ids AS "guildIds" FROM guilds ${ofBot} ORDER BY bot_id`,
    json: ['guildIds'],
  },
  statusNotices: {
    sql: `SELECT bot_id AS "botId", notice, set_at_ms AS "setAtMs" FROM status_notices ${ofBot} ORDER BY bot_id`,
  },
  collaborators: {
    sql: `SELECT bot_id AS "botId", user_id AS "userId", role, capabilities
      FROM coworkers ${ofBot} ORDER BY bot_id, user_id`,
    json: ['capabilities'],
  },
  invitations: {
    sql: `SELECT bot_id AS "botId", label, role, capabilities, expires_at_ms AS "expiresAtMs"
      FROM invitations ${ofBot} ORDER BY number`,
    json: ['capabilities'],
  },
  runtimes: {
    sql: `SELECT id, name, bot_ids AS "botIds", created_at_ms AS "createdAtMs"
      FROM runtimes WHERE owner_id = ?1 ORDER BY id`,
    json: ['botIds'],
  },
  runtimeConnections: {
    sql: `SELECT runtime_id AS "runtimeId", instance, agent, connected_at_ms AS "connectedAtMs",
        heard_at_ms AS "lastHeardAtMs", ended_at_ms AS "endedAtMs"
      FROM runtime_connections JOIN runtimes ON runtimes.id = runtime_id
      WHERE owner_id = ?1 ORDER BY runtime_id, connected_at_ms, instance`,
  },
  refusedWebhooks: {
    sql: `SELECT bot_id AS "botId", nullif(flow_id, '') AS "flowId", cause, count, first_at_ms AS "firstAtMs",
        last_at_ms AS "lastAtMs" FROM refused_webhooks ${ofBot} ORDER BY bot_id, number`,
  },
  subscriptions: {
    sql: `SELECT id, url, types, disabled_because AS "disabledBecause", created_at_ms AS "createdAtMs"
      FROM subscriptions WHERE owner_id = ?1 ORDER BY id`,
    json: ['types'],
  },
} as const satisfies Record<keyof PersonalRecords, Section>

/** See {@link PersonStore.read}. */
function* personalRecords(userId: UserId): Work<PersonalRecords | undefined> {
  const records: Record<string, Record<string, unknown>[]> = {}
  for (const [name, section] of Object.entries<Section>(sections)) {
    const found = yield* rows<Record<string, SqlValue>>(section.sql, userId)
    records[name] = found.map((row) => recordOf(row, section))
  }
  return records.user?.length === 0 ? undefined : (records as unknown as PersonalRecords)
}

function recordOf(row: Record<string, SqlValue>, { flags = [], json = [], lists = [] }: Section) {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      if (value === null) return [name, null]
      if (flags.includes(name)) return [name, value === 1]
      if (json.includes(name)) return [name, JSON.parse(String(value))]
      return [name, lists.includes(name) ? String(value).split(' ').filter(Boolean) : value]
    }),
  )
}
