import type { ApplicationId, BotId, UserId } from '../../../domain/ids-and-secrets.ts'
import type {
  PersonalRecord,
  PersonalRecords,
  PersonStore,
  RemovePersonOutcome,
} from '../../../domain/people/people.ts'
import { idsOfPrograms } from '../accounts/users.ts'
import { tablesOfBot } from '../bots/bots.ts'
import { fromColumns, userExists } from '../rows.ts'
import { type Database, raw, type Sql, sql, type Work } from '../sql.ts'

export function sqlPeople(database: Database): PersonStore {
  return {
    remove: (userId, owned, nowMs) =>
      database.write({ row: `user ${userId}` }, () => removePerson(userId, owned, nowMs)),

    read: (userId) => database.read(() => personalRecords(userId)),
  }
}

const applicationsOf = (userId: UserId) => sql`SELECT id FROM applications WHERE owner_id = ${userId}`
const botsOf = (userId: UserId) => sql`SELECT id FROM bots WHERE owner_id = ${userId}`

/** Statements for data without a cascading foreign key. Access tokens need none: they end with their family. */
const removals = (userId: UserId): readonly Sql[] => [
  sql`DELETE FROM token_families WHERE user_id = ${userId}`,
  sql`DELETE FROM coworkers WHERE user_id = ${userId}`,
  sql`DELETE FROM runtimes WHERE owner_id = ${userId}`,
  sql`DELETE FROM outgoing_mail WHERE user_id = ${userId}`,
  sql`DELETE FROM outgoing_mail WHERE address IN (SELECT email FROM users WHERE id = ${userId})`,
  ...['client_secrets', 'failed_requests', 'application_days'].map(
    (table) => sql`DELETE FROM ${raw(table)} WHERE application_id IN (${applicationsOf(userId)})`,
  ),
  ...tablesOfBot.map((table) => sql`DELETE FROM ${raw(table)} WHERE bot_id IN (${botsOf(userId)})`),
]

function* removePerson(userId: UserId, owned: 'delete' | 'refuse', nowMs: number): Work<RemovePersonOutcome> {
  if (!(yield* userExists(userId))) return { kind: 'unknown' }
  const live = sql`AND deleted_at_ms IS NULL ORDER BY id`
  const applications = yield* sql`${applicationsOf(userId)} ${live}`.rows<{ id: ApplicationId }>()
  const applicationIds = applications.map(({ id }) => id)
  const botIds = (yield* sql`${botsOf(userId)} ${live}`.rows<{ id: BotId }>()).map(({ id }) => id)
  if (owned === 'refuse' && applicationIds.length + botIds.length > 0) return { kind: 'owner', applicationIds, botIds }
  const programs = yield* idsOfPrograms(userId)

  for (const removal of removals(userId)) yield* removal.run()
  // Empties the rows of applications instead of deleting them, because tokens of other users refer to them (decision
  // 0103).
  yield* sql`UPDATE applications SET owner_id = NULL, name = '', website_url = '', redirect_uris = '[]',
       deleted_at_ms = coalesce(deleted_at_ms, ${nowMs}), updated_at_ms = ${nowMs} WHERE owner_id = ${userId}`.changes()
  yield* sql`INSERT INTO deleted_bots (id, deleted_at_ms) SELECT id, CAST(${nowMs} AS BIGINT) FROM bots
    WHERE owner_id = ${userId}`.changes()
  yield* sql`DELETE FROM bots WHERE owner_id = ${userId}`.changes()
  yield* sql`DELETE FROM users WHERE id = ${userId}`.changes()
  return { kind: 'removed', botIds, ...programs }
}

/** Columns of any section that don't hold their values as such. */
const held = {
  hasPassword: 'flag',
  hasPin: 'flag',
  backedUp: 'flag',
  firstParty: 'flag',
  verified: 'flag',
  requirePkce: 'flag',
  hostingEnabled: 'flag',
  publicStatus: 'flag',
  requiresKey: 'flag',
  ordered: 'flag',
  signature: 'json',
  dedupe: 'json',
  scopes: 'words',
  impliedScopes: 'words',
  capabilities: 'json',
  redirectUris: 'json',
  guildIds: 'json',
  botIds: 'json',
  types: 'json',
} as const

/** Returns a query for each list in the export of a person's data. None may select secrets, hashes or digests. */
function sections(userId: UserId): Record<string, Sql> {
  const ofApplication = sql`JOIN applications ON applications.id = application_id WHERE owner_id = ${userId}`
  const ofBot = sql`JOIN bots ON bots.id = bot_id WHERE owner_id = ${userId}`
  return {
    user: sql`SELECT id, name, email, email_verified_at_ms, pending_email, chat_platform_id, code_hosting_id,
        password_hash IS NOT NULL AS has_password, pin_hash IS NOT NULL AS has_pin, pin_locked_until_ms,
        disabled_at_ms, created_at_ms, updated_at_ms AS changed_at_ms
      FROM users WHERE id = ${userId}`,
    sessions: sql`SELECT surface, user_agent, address, created_at_ms,
        coalesce(last_seen_at_ms, created_at_ms) AS last_seen_at_ms, expires_at_ms
      FROM sessions WHERE user_id = ${userId} ORDER BY number`,
    passkeys: sql`SELECT name, backed_up, created_at_ms, last_used_at_ms
      FROM passkeys WHERE user_id = ${userId} ORDER BY number`,
    personalTokens: sql`SELECT id, name, scopes, created_at_ms, expires_at_ms, last_used_at_ms
      FROM personal_tokens WHERE user_id = ${userId} ORDER BY number`,
    linkedAccounts: sql`SELECT issuer, subject, name, linked_at_ms
      FROM linked_accounts WHERE user_id = ${userId} ORDER BY issuer`,
    oneTimeLinks: sql`SELECT purpose, email_key AS email, expires_at_ms
      FROM one_time_links WHERE user_id = ${userId} ORDER BY purpose`,
    outgoingMail: sql`SELECT kind, address, language, created_at_ms
      FROM outgoing_mail WHERE user_id = ${userId} OR address = (SELECT email FROM users WHERE id = ${userId})
      ORDER BY number`,
    tryOutResults: sql`SELECT expires_at_ms FROM try_out_results WHERE user_id = ${userId} ORDER BY expires_at_ms`,
    consents: sql`SELECT application_id, name AS application_name, scopes, implied_scopes, first_granted_at_ms,
        last_granted_at_ms, last_used_at_ms
      FROM consents JOIN applications ON applications.id = application_id
      WHERE user_id = ${userId} ORDER BY application_id`,
    authorizations: sql`SELECT application_id, scopes, redirect_uri, created_at_ms, redeemed_at_ms,
        rotated_at_ms AS refreshed_at_ms, revoked_at_ms, ends_at_ms
      FROM token_families WHERE user_id = ${userId} ORDER BY number`,
    roles: sql`SELECT bot_id, role, capabilities FROM coworkers WHERE user_id = ${userId} ORDER BY bot_id`,
    acceptedInvitations: sql`SELECT bot_id, label, role, capabilities, expires_at_ms
      FROM invitations WHERE accepted_by = ${userId} ORDER BY number`,
    applications: sql`SELECT id, client_id, name, website_url, redirect_uris, environment, first_party, verified,
        require_pkce, created_at_ms, updated_at_ms AS changed_at_ms, disabled_at_ms, deleted_at_ms
      FROM applications WHERE owner_id = ${userId} ORDER BY id`,
    clientSecrets: sql`SELECT application_id, label, client_secrets.created_at_ms, last_used_at_ms
      FROM client_secrets ${ofApplication} ORDER BY number`,
    failedRequests: sql`SELECT application_id, at_ms, place, error, description, redirect_uri
      FROM failed_requests ${ofApplication} ORDER BY number`,
    bots: sql`SELECT id, name, chat_platform_id, avatar, plan, hosting_enabled, hosting_location, public_status,
        created_at_ms, updated_at_ms AS changed_at_ms, deleted_at_ms
      FROM bots WHERE owner_id = ${userId} ORDER BY id`,
    flows: sql`SELECT bot_id, flows.id, kind, flows.name, public_code, webhook_path, requires_key,
        webhook_ordered AS ordered, signature, dedupe, flows.created_at_ms, flows.updated_at_ms AS changed_at_ms
      FROM flows ${ofBot} ORDER BY bot_id, flows.id`,
    flowKeys: sql`SELECT bot_id, flow_id, last_four, made_at_ms AS created_at_ms, last_used_at_ms, ends_at_ms
      FROM flow_keys ${ofBot} ORDER BY number`,
    guilds: sql`SELECT bot_id, guild_ids FROM guilds ${ofBot} ORDER BY bot_id`,
    statusNotices: sql`SELECT bot_id, notice, set_at_ms FROM status_notices ${ofBot} ORDER BY bot_id`,
    collaborators: sql`SELECT bot_id, user_id, role, capabilities FROM coworkers ${ofBot} ORDER BY bot_id, user_id`,
    invitations: sql`SELECT bot_id, label, role, capabilities, expires_at_ms FROM invitations ${ofBot} ORDER BY number`,
    runtimes: sql`SELECT id, name, bot_ids, created_at_ms FROM runtimes WHERE owner_id = ${userId} ORDER BY id`,
    runtimeKeys: sql`SELECT runtime_id, last_four, made_at_ms AS created_at_ms, last_used_at_ms, ends_at_ms
      FROM runtime_keys JOIN runtimes ON runtimes.id = runtime_id WHERE owner_id = ${userId} ORDER BY number`,
    runtimeConnections: sql`SELECT runtime_id, instance, agent, connected_at_ms, heard_at_ms AS last_heard_at_ms,
        ended_at_ms
      FROM runtime_connections JOIN runtimes ON runtimes.id = runtime_id
      WHERE owner_id = ${userId} ORDER BY runtime_id, connected_at_ms, instance`,
    refusedWebhooks: sql`SELECT bot_id, nullif(flow_id, '') AS flow_id, cause, count, first_at_ms, last_at_ms
      FROM refused_webhooks ${ofBot} ORDER BY bot_id, number`,
    subscriptions: sql`SELECT id, url, types, format, disabled_because, created_at_ms
      FROM subscriptions WHERE owner_id = ${userId} ORDER BY id`,
  }
}

function* personalRecords(userId: UserId): Work<PersonalRecords | undefined> {
  const records: Record<string, PersonalRecord[]> = {}
  for (const [name, section] of Object.entries(sections(userId))) {
    records[name] = (yield* section.rows()).map((row) => fromColumns(row, Object.entries(held)))
  }
  return records.user?.length === 0 ? undefined : records
}
