import type { Bot, ListedBot, Role, StatusNotice, StoredPublicBot } from '../../../domain/bots/bot.ts'
import type { RuntimeLogEntry } from '../../../domain/bots/runtimes/runtime-logs.ts'
import type { GatewaySnapshot } from '../../../domain/bots/status/snapshots.ts'
import type { BotId } from '../../../domain/ids-and-secrets.ts'
import * as limits from '../../../domain/limits/limits.ts'
import type { ProfileReading } from '../../../domain/profile/profile.ts'
import type { WithoutFlags } from '../rows.ts'
import { raw, type Sql, sql, type Work } from '../sql.ts'

/** The snapshot columns of a bot's row. All are null if the bot has no snapshot. */
export type SnapshotRow = {
  [Name in keyof Omit<GatewaySnapshot, 'botId'>]: WithoutFlags<GatewaySnapshot>[Name] | null
}

export const snapshotColumns = sql`reported_at_ms, ready, presence, uptime_ms, guild_count, shard_count, has_left`

/** How a heartbeat replaces the bot's last one, unless that is newer, but not after `latestMs`. */
export const replaceSnapshot = (latestMs: number | Sql) => sql`ON CONFLICT (bot_id) DO UPDATE
  SET reported_at_ms = excluded.reported_at_ms, ready = excluded.ready, presence = excluded.presence,
    uptime_ms = excluded.uptime_ms, guild_count = excluded.guild_count, shard_count = excluded.shard_count,
    has_left = excluded.has_left
  WHERE excluded.reported_at_ms >= snapshots.reported_at_ms OR snapshots.reported_at_ms > ${latestMs}`

export function asSnapshot(botId: BotId, row: SnapshotRow): GatewaySnapshot | undefined {
  if (row.reportedAtMs === null) return undefined
  return {
    botId,
    reportedAtMs: row.reportedAtMs,
    ready: row.ready === 1,
    presence: row.presence,
    uptimeMs: row.uptimeMs,
    guildCount: row.guildCount,
    shardCount: row.shardCount,
    hasLeft: row.hasLeft === 1,
  }
}

/** The notice columns of a bot's row. Both are null if the bot has no notice. */
export interface NoticeRow {
  notice: string | null
  setAtMs: number | null
}

export const noticeColumns = sql`notice, set_at_ms`

export function asNotice({ notice, setAtMs }: NoticeRow): StatusNotice | undefined {
  return notice === null || setAtMs === null ? undefined : { text: notice, setAtMs }
}

export type BotRow = WithoutFlags<Bot>
export type BotWithStatusRow = BotRow & SnapshotRow & NoticeRow

export interface ListedBotRow extends BotRow, SnapshotRow {
  role: Role
}

const botColumns = sql`bots.id, owner_id, bots.name, bots.chat_platform_id, avatar, plan, hosting_enabled,
  hosting_location, public_status, bots.created_at_ms`
/** Selects existing bots with everything needed to compute their status. */
export const botsWithStatus = sql`SELECT ${botColumns}, ${snapshotColumns}, ${noticeColumns} FROM bots
  LEFT JOIN snapshots ON snapshots.bot_id = bots.id LEFT JOIN status_notices ON status_notices.bot_id = bots.id
  WHERE deleted_at_ms IS NULL`

/** Selects the bots in which the user has a role, oldest first. `user` is the ID, or a column with it. */
export const botsOfUser = (user: string | Sql, most: number | Sql): Sql => sql`
  SELECT id, 'owner' AS role, created_at_ms FROM bots WHERE owner_id = ${user} AND deleted_at_ms IS NULL
  UNION ALL
  SELECT id, role, created_at_ms FROM coworkers JOIN bots ON id = bot_id
  WHERE user_id = ${user} AND owner_id <> ${user} AND deleted_at_ms IS NULL
  ORDER BY created_at_ms, id LIMIT ${most}`

const listedBotColumns = sql`${botColumns}, role, ${snapshotColumns}`

/** Selects the user's bots as {@link ListedBotRow} rows. */
export const listedBotsOfUser = (user: string | Sql, most: number | Sql) => sql`
  SELECT ${listedBotColumns}
  FROM (${botsOfUser(user, most)}) AS mine JOIN bots ON bots.id = mine.id LEFT JOIN snapshots ON bot_id = bots.id
  ORDER BY bots.created_at_ms, bots.id`

/** Returns the bot, unless it is deleted. */
export function* findBot(id: BotId): Work<Bot | undefined> {
  const row = yield* sql`SELECT ${botColumns} FROM bots WHERE id = ${id} AND deleted_at_ms IS NULL`.first<BotRow>()
  return row && asBot(row)
}

export function asBotWithStatus(row: BotWithStatusRow): StoredPublicBot {
  return { bot: asBot(row), snapshot: asSnapshot(row.id, row), notice: asNotice(row) }
}

export function asListedBot(row: ListedBotRow): ListedBot {
  return { bot: asBot(row), role: row.role, snapshot: asSnapshot(row.id, row) }
}

function asBot(row: BotRow): Bot {
  return {
    id: row.id,
    ownerId: row.ownerId,
    name: row.name,
    chatPlatformId: row.chatPlatformId,
    avatar: row.avatar,
    plan: row.plan,
    hostingEnabled: row.hostingEnabled === 1,
    hostingLocation: row.hostingLocation,
    publicStatus: row.publicStatus === 1,
    createdAtMs: row.createdAtMs,
  }
}

/** The row of a profile, without its lists, which are {@link ListRows}. {@link profileColumns} must name each column. */
export interface ProfileRow extends Omit<WithoutFlags<ProfileReading>, keyof ListRows | 'hasCodeHosting'> {
  codeHostingId: string | null
}

/** The columns of {@link ProfileRow} in `users`, except for the number of bots. */
export const profileColumns = `name, email, email_verified_at_ms IS NOT NULL AS email_verified, chat_platform_id,
  code_hosting_id, EXISTS (SELECT 1 FROM passkeys WHERE user_id = users.id) AS has_passkey`

/** Uses an index per role. Nothing counts twice: an owner is never a collaborator, and deleted bots have no collaborators. */
export const botCountOfUser = `(SELECT count(*) FROM bots WHERE owner_id = users.id AND deleted_at_ms IS NULL)
  + (SELECT count(*) FROM coworkers WHERE user_id = users.id)`

/** Returns a query for each list in a profile, except logs. `user` is a parameter or column with the user's ID. */
export function profileLists(user: string) {
  const most = raw(limits.userinfoListMax)
  const ownBots = botsOfUser(raw(user), most).text
  return {
    ownBots,
    bots: listedBotsOfUser(raw(user), most).text,
    flows: `SELECT bot_id, kind, name, public_code FROM (${ownBots}) AS mine JOIN flows ON bot_id = mine.id
      ORDER BY mine.created_at_ms, bot_id, flows.id LIMIT ${most.text}`,
    guilds: `SELECT mine.id AS bot_id, coalesce(guild_ids, '[]') AS guild_ids
      FROM (${ownBots}) AS mine LEFT JOIN guilds ON bot_id = mine.id ORDER BY mine.created_at_ms, mine.id`,
    coworkers: `SELECT bot_id, user_id, users.name AS name, role, capabilities
      FROM bots JOIN coworkers ON bot_id = bots.id JOIN users ON users.id = user_id
      WHERE owner_id = ${user} AND deleted_at_ms IS NULL
      ORDER BY bots.created_at_ms, bots.id, users.name, users.id LIMIT ${most.text}`,
  }
}

interface GuildsRow {
  botId: BotId
  guildIds: string
}

/** The rows of a profile's lists. A list that is not wanted has none. */
export interface ListRows {
  bots: readonly ListedBotRow[]
  flows: ProfileReading['flows']
  guilds: Iterable<GuildsRow>
  logs: RuntimeLogEntry[]
  coworkers: readonly (Omit<ProfileReading['coworkers'][number], 'capabilities'> & { capabilities: string })[]
}

export const noLists: ListRows = { bots: [], flows: [], guilds: [], logs: [], coworkers: [] }

export function readingOf(row: ProfileRow, lists: ListRows): ProfileReading {
  return {
    name: row.name,
    email: row.email,
    emailVerified: row.emailVerified === 1,
    chatPlatformId: row.chatPlatformId,
    hasCodeHosting: row.codeHostingId !== null,
    hasPasskey: row.hasPasskey === 1,
    botCount: row.botCount,
    bots: lists.bots.map(asListedBot),
    flows: lists.flows.map(({ botId, kind, name, publicCode }) => ({ botId, kind, name, publicCode })),
    guilds: guildsOf(lists.guilds),
    logs: lists.logs.map(({ botId, atMs, level, message }) => ({ botId, atMs, level, message })),
    coworkers: lists.coworkers.map(({ botId, userId, name, role, capabilities }) => {
      return { botId, userId, name, role, capabilities: JSON.parse(capabilities) }
    }),
  }
}

/** Returns the guild IDs of each bot, at most `userinfoGuildIdsMax` across all bots. */
function guildsOf(rows: Iterable<GuildsRow>): ProfileReading['guilds'] {
  const guilds: ProfileReading['guilds'] = []
  let room = limits.userinfoGuildIdsMax
  for (const row of rows) {
    const guildIds = (JSON.parse(row.guildIds) as string[]).slice(0, room)
    room -= guildIds.length
    guilds.push({ botId: row.botId, guildIds })
  }
  return guilds
}
