import { isDeepStrictEqual } from 'node:util'
import {
  type Bot,
  type BotStore,
  type Coworker,
  type CoworkerRole,
  type HostableBot,
  newBotDefaults,
  type PutCoworkerOutcome,
  type StoredPublicBot,
} from '../../../domain/bots/bot.ts'
import type { BotId, UserId } from '../../../domain/ids.ts'
import { changes, type Database, firstRow, rows, rowsOfEach, type Work } from '../database.ts'
import { userExists } from '../existence.ts'
import { newestFirst } from '../newest-first.ts'
import {
  asBotWithStatus,
  asListedBot,
  type BotRow,
  type BotWithStatusRow,
  botsWithStatus,
  findBot,
  type ListedBotRow,
  listedBotsOfUser,
} from './bot-rows.ts'

const byId = `${botsWithStatus} AND bots.id = ?`
const publicById = `${byId} AND public_status = 1`
const publicByChatPlatformId = `${botsWithStatus} AND public_status = 1 AND chat_platform_id = ?`

/** Tables that hold a bot's data, keyed by `bot_id`. */
export const tablesOfBot = [
  'coworkers',
  'guilds',
  'flows',
  'runtime_logs',
  'snapshots',
  'status_slots',
  'status_days',
  'status_changes',
  'status_notices',
  'invitations',
  'announced_states',
  'refused_webhooks',
]

export function sqlBots(database: Database): BotStore {
  async function findWhole(sql: string, id: string): Promise<StoredPublicBot | undefined> {
    const [row] = await database.queryOnce<BotWithStatusRow>(sql, id)
    return row && asBotWithStatus(row)
  }

  return {
    ...sqlCoworkers(database),
    ...sqlHosting(database),

    putBot: (id, change, nowMs) =>
      database.write({ row: `bot ${id}` }, function* () {
        if (!(yield* userExists(change.ownerId))) return { kind: 'owner-unknown' }
        const taken = yield* firstRow(
          'SELECT 1 FROM bots WHERE chat_platform_id = ? AND id <> ? AND deleted_at_ms IS NULL',
          change.chatPlatformId,
          id,
        )
        if (taken !== undefined) return { kind: 'chat-platform-id-taken' }
        const stored = yield* findBot(id)
        const bot: Bot = { ...newBotDefaults, createdAtMs: nowMs, ...stored, ...change, id }
        if (stored === undefined) yield* removeDataOfDeleted(id)
        else if (isDeepStrictEqual(bot, stored)) return { kind: 'unchanged', bot, before: stored }
        yield* changes(
          `INSERT INTO bots (id, owner_id, name, chat_platform_id, avatar, plan, hosting_enabled, hosting_location,
             public_status, created_at_ms, updated_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
           ON CONFLICT (id) DO UPDATE SET owner_id = excluded.owner_id, name = excluded.name,
             chat_platform_id = excluded.chat_platform_id, avatar = excluded.avatar, plan = excluded.plan,
             hosting_enabled = excluded.hosting_enabled, hosting_location = excluded.hosting_location,
             public_status = excluded.public_status, created_at_ms = excluded.created_at_ms,
             updated_at_ms = excluded.updated_at_ms, deleted_at_ms = NULL`,
          bot.id,
          bot.ownerId,
          bot.name,
          bot.chatPlatformId,
          bot.avatar,
          bot.plan,
          Number(bot.hostingEnabled),
          bot.hostingLocation,
          Number(bot.publicStatus),
          bot.createdAtMs,
          nowMs,
        )
        yield* changes('DELETE FROM coworkers WHERE bot_id = ? AND user_id = ?', id, bot.ownerId)
        return stored === undefined ? { kind: 'created', bot } : { kind: 'changed', bot, before: stored }
      }),

    findBot: (id) => database.read(() => findBot(id)),

    isDeleted: (id) =>
      database.read(function* () {
        const row = yield* firstRow(
          `SELECT 1 FROM bots WHERE id = ?1 AND deleted_at_ms IS NOT NULL
           UNION ALL SELECT 1 FROM deleted_bots WHERE id = ?1`,
          id,
        )
        return row !== undefined
      }),

    findWithStatus: (id) => findWhole(byId, id),

    findPublic: (ref) => findWhole(ref.kind === 'bot-id' ? publicById : publicByChatPlatformId, ref.id),

    changeSwitches: (id, switches, nowMs, recording) =>
      database.write({ row: `bot ${id}`, recording }, function* () {
        const stored = yield* findBot(id)
        if (stored === undefined) return undefined
        const bot = { ...stored, ...switches }
        if (isDeepStrictEqual(bot, stored)) return { kind: 'unchanged', bot, before: stored }
        yield* changes(
          'UPDATE bots SET hosting_enabled = ?, hosting_location = ?, public_status = ?, updated_at_ms = ? WHERE id = ?',
          Number(bot.hostingEnabled),
          bot.hostingLocation,
          Number(bot.publicStatus),
          nowMs,
          id,
        )
        return { kind: 'changed', bot, before: stored }
      }),

    async listBots({ ownerId, chatPlatformId }, request) {
      const equal = { ownerId, chatPlatformId }
      const { sql, values } = newestFirst(botsWithStatus, 'bots', equal, request)
      return (await database.queryOnce<BotWithStatusRow>(sql, ...values)).map(asBotWithStatus)
    },

    async listOfUser(userId, most) {
      const listed = await database.read(() => rows<ListedBotRow>(listedBotsOfUser, userId, most))
      return listed.map(asListedBot)
    },

    removeBot: (id, nowMs) =>
      database.write({ row: `bot ${id}` }, function* () {
        const removed = yield* changes(
          'UPDATE bots SET deleted_at_ms = ?, updated_at_ms = ? WHERE id = ? AND deleted_at_ms IS NULL',
          nowMs,
          nowMs,
          id,
        )
        // Userinfo counts a collaborator's bots from the index alone, so deleted bots must have no rows in it.
        if (removed === 1) yield* changes('DELETE FROM coworkers WHERE bot_id = ?', id)
        return removed === 1
      }),

    putGuilds: (botId, guildIds) =>
      database.write({ row: `bot ${botId}` }, function* () {
        if ((yield* findBot(botId)) === undefined) return 'bot-unknown'
        const changed = yield* changes(
          `INSERT INTO guilds (bot_id, guild_ids) VALUES (?, ?)
           ON CONFLICT (bot_id) DO UPDATE SET guild_ids = excluded.guild_ids
             WHERE guilds.guild_ids <> excluded.guild_ids`,
          botId,
          JSON.stringify(guildIds),
        )
        return changed === 1 ? 'changed' : 'unchanged'
      }),

    async findGuilds(botId) {
      const row = await database.read(() =>
        firstRow<{ guildIds: string }>(
          `SELECT coalesce(guild_ids, '[]') AS guild_ids FROM bots LEFT JOIN guilds ON bot_id = id
           WHERE id = ? AND deleted_at_ms IS NULL`,
          botId,
        ),
      )
      return row && JSON.parse(row.guildIds)
    },
  }
}

/** Deletes the data of a deleted bot whose ID is reused by a new bot. */
function* removeDataOfDeleted(id: BotId): Work<void> {
  yield* changes('DELETE FROM deleted_bots WHERE id = ?', id)
  if ((yield* firstRow('SELECT 1 FROM bots WHERE id = ?', id)) === undefined) return
  for (const table of tablesOfBot) yield* changes(`DELETE FROM ${table} WHERE bot_id = ?`, id)
}

type HostableRow = Pick<BotRow, 'id' | 'ownerId' | 'hostingEnabled'>

const hostable = 'SELECT id, owner_id, hosting_enabled FROM bots WHERE deleted_at_ms IS NULL'
/**
 * Maximum number of bots per statement. Running a separate statement for each of 10,000 bots would block the event loop
 * for a third of a second.
 */
const hostablePerStatement = 200
const hostableGroup = `${hostable} AND id IN (${Array.from({ length: hostablePerStatement }, () => '?').join(', ')})`

function sqlHosting(database: Database): Pick<BotStore, 'listForHosting' | 'listAllForHosting'> {
  return {
    async listForHosting(botIds) {
      const whole = botIds.length - (botIds.length % hostablePerStatement)
      const groups = Array.from({ length: whole / hostablePerStatement }, (_, n) =>
        botIds.slice(n * hostablePerStatement, (n + 1) * hostablePerStatement),
      )
      const found = await database.read(function* () {
        const inGroups = groups.length > 0 ? yield* rowsOfEach<HostableRow>(hostableGroup, groups) : []
        const rest = botIds.slice(whole).map((id) => [id])
        return [...inGroups, ...(yield* rowsOfEach<HostableRow>(`${hostable} AND id = ?`, rest))]
      })
      return found.flat().map(asHostable)
    },

    async listAllForHosting(ownerId) {
      const found = await database.read(() =>
        ownerId === null ? rows<HostableRow>(hostable) : rows<HostableRow>(`${hostable} AND owner_id = ?`, ownerId),
      )
      return found.map(asHostable)
    },
  }
}

function asHostable(row: HostableRow): HostableBot {
  return { id: row.id as BotId, ownerId: row.ownerId as UserId, hostingEnabled: row.hostingEnabled === 1 }
}

interface CoworkerRow {
  userId: string
  role: CoworkerRole
  capabilities: string
}

function sqlCoworkers(
  database: Database,
): Pick<BotStore, 'putCoworker' | 'findCoworker' | 'listCoworkers' | 'removeCoworker'> {
  return {
    putCoworker: (botId, coworker, recording) =>
      database.write({ row: `bot ${botId}`, recording }, () => putCoworker(botId, coworker)),

    async findCoworker(botId, userId) {
      const row = await database.read(() =>
        firstRow<CoworkerRow>(
          `SELECT user_id, role, capabilities FROM coworkers JOIN bots ON id = bot_id
           WHERE bot_id = ? AND user_id = ? AND deleted_at_ms IS NULL`,
          botId,
          userId,
        ),
      )
      return row && asCoworker(row)
    },

    async listCoworkers(botId) {
      const listed = await database.read(() =>
        rows<CoworkerRow & { name: string }>(
          `SELECT user_id, users.name AS name, role, capabilities
           FROM coworkers JOIN bots ON bots.id = bot_id JOIN users ON users.id = user_id
           WHERE bot_id = ? AND deleted_at_ms IS NULL ORDER BY users.name, user_id`,
          botId,
        ),
      )
      return listed.map((row) => ({ ...asCoworker(row), name: row.name }))
    },

    removeCoworker: (botId, userId, recording) =>
      database.write({ row: `bot ${botId}`, recording }, function* () {
        if ((yield* findBot(botId)) === undefined) return false
        return (yield* changes('DELETE FROM coworkers WHERE bot_id = ? AND user_id = ?', botId, userId)) === 1
      }),
  }
}

/** Adds the user to the bot as a collaborator, or replaces their current role and capabilities. */
export function* putCoworker(botId: BotId, { userId, role, capabilities }: Coworker): Work<PutCoworkerOutcome> {
  const bot = yield* findBot(botId)
  if (bot === undefined) return 'bot-unknown'
  if (!(yield* userExists(userId))) return 'user-unknown'
  if (bot.ownerId === userId) return 'user-is-owner'
  const before = yield* firstRow('SELECT 1 FROM coworkers WHERE bot_id = ? AND user_id = ?', botId, userId)
  const changed = yield* changes(
    `INSERT INTO coworkers (bot_id, user_id, role, capabilities) VALUES (?, ?, ?, ?)
     ON CONFLICT (bot_id, user_id) DO UPDATE SET role = excluded.role, capabilities = excluded.capabilities
       WHERE coworkers.role <> excluded.role OR coworkers.capabilities <> excluded.capabilities`,
    botId,
    userId,
    role,
    JSON.stringify(capabilities),
  )
  if (changed === 0) return 'unchanged'
  return before === undefined ? 'created' : 'changed'
}

function asCoworker({ userId, role, capabilities }: CoworkerRow): Coworker {
  return { userId: userId as UserId, role, capabilities: JSON.parse(capabilities) }
}
