import type { Recording } from '../../../domain/audit/audit-event.ts'
import type { Bot, Coworker, CoworkerRole, HostingLocation, Role } from '../../../domain/bots/bot.ts'
import type { BotRef } from '../../../domain/bots/bot-ref.ts'
import {
  type BotStore,
  type BotSwitches,
  type ChangedBot,
  type HostableBot,
  type ListedBot,
  type NamedCoworker,
  newBotDefaults,
  type PutBotOutcome,
  type PutCoworkerOutcome,
  type StoredBotChange,
  type StoredPublicBot,
} from '../../../domain/bots/bot-store.ts'
import type { BotId, ChatPlatformId, UserId } from '../../../domain/ids.ts'
import type { Database } from '../database.ts'
import { changes, firstRow, rows, rowsOfEach, type Work } from '../work.ts'
import { asSnapshot, type SnapshotRow, snapshotColumns } from './snapshot-row.ts'
import { asNotice, type NoticeRow, noticeColumns } from './status-notices.ts'

interface BotRow {
  id: string
  owner_id: string
  name: string
  chat_platform_id: string
  avatar: string | null
  plan: string
  hosting_enabled: number
  hosting_location: HostingLocation | null
  public_status: number
  created_at_ms: number
}

interface CoworkerRow {
  user_id: string
  role: CoworkerRole
  capabilities: string
}

export type WholeBotRow = BotRow & SnapshotRow & NoticeRow

type HostableRow = Pick<BotRow, 'id' | 'owner_id' | 'hosting_enabled'>

const botColumns = `bots.id, owner_id, bots.name, bots.chat_platform_id, avatar, plan, hosting_enabled,
  hosting_location, public_status, bots.created_at_ms`
/** Bots with all that their status is told from. */
export const wholeBots = `SELECT ${botColumns}, ${snapshotColumns}, ${noticeColumns} FROM bots
  LEFT JOIN snapshots ON snapshots.bot_id = bots.id LEFT JOIN status_notices ON status_notices.bot_id = bots.id
  WHERE deleted_at_ms IS NULL`
const wholeById = `${wholeBots} AND bots.id = ?`
const publicById = `${wholeById} AND public_status = 1`
const publicByChatPlatformId = `${wholeBots} AND public_status = 1 AND chat_platform_id = ?`

const hostable = 'SELECT id, owner_id, hosting_enabled FROM bots WHERE deleted_at_ms IS NULL'
/** Bots per statement. One statement for each of 10,000 bots would block the event loop for a third of a second. */
const hostableAtOnce = 200
const hostableGroup = `${hostable} AND id IN (${Array.from({ length: hostableAtOnce }, () => '?').join(', ')})`

/** The bots in which a user has any role, the oldest first. @param user the parameter or column that names them. */
export const botsOfUser = (user: string, most: number | '?2') => `
  SELECT id, 'owner' AS role, created_at_ms FROM bots WHERE owner_id = ${user} AND deleted_at_ms IS NULL
  UNION ALL
  SELECT id, role, created_at_ms FROM coworkers JOIN bots ON id = bot_id
  WHERE user_id = ${user} AND owner_id <> ${user} AND deleted_at_ms IS NULL
  ORDER BY created_at_ms, id LIMIT ${most}`

export interface ListedBotRow extends BotRow, SnapshotRow {
  role: Role
}

export const listedBotColumns = `${botColumns}, role, ${snapshotColumns}`

/** The same bots whole: of that user (?1), so many (?2). */
export const listedBotsOfUser = `
  SELECT ${listedBotColumns}
  FROM (${botsOfUser('?1', '?2')}) AS mine JOIN bots ON bots.id = mine.id LEFT JOIN snapshots ON bot_id = bots.id
  ORDER BY bots.created_at_ms, bots.id`

/** Tables of what belongs to one bot. */
const belongings = [
  'coworkers',
  'guilds',
  'flows',
  'runtime_logs',
  'snapshots',
  'status_slots',
  'status_days',
  'status_notices',
  'invitations',
]

/** Bots, their coworkers and the servers they are in. */
export class SqlBots implements BotStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  putBot(id: BotId, change: StoredBotChange, nowMs: number): Promise<PutBotOutcome> {
    return this.#database.write({ row: `bot ${id}` }, function* () {
      if (!(yield* userExists(change.ownerId))) return { kind: 'owner-unknown' }
      const taken = yield* firstRow(
        'SELECT 1 FROM bots WHERE chat_platform_id = ? AND id <> ? AND deleted_at_ms IS NULL',
        change.chatPlatformId,
        id,
      )
      if (taken !== undefined) return { kind: 'chat-platform-id-taken' }
      const stored = yield* find(id)
      const bot: Bot = { ...newBotDefaults, createdAtMs: nowMs, ...stored, ...change, id }
      if (stored === undefined) yield* removeRemains(id)
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
    })
  }

  findBot(id: BotId): Promise<Bot | undefined> {
    return this.#database.read(() => find(id))
  }

  isDeleted(id: BotId): Promise<boolean> {
    return this.#database.read(function* () {
      const row = yield* firstRow('SELECT 1 FROM bots WHERE id = ? AND deleted_at_ms IS NOT NULL', id)
      return row !== undefined
    })
  }

  findWhole(id: BotId): Promise<StoredPublicBot | undefined> {
    return this.#findWhole(wholeById, id)
  }

  changeSwitches(
    id: BotId,
    switches: BotSwitches,
    nowMs: number,
    recording?: Recording<ChangedBot | undefined>,
  ): Promise<ChangedBot | undefined> {
    return this.#database.write({ row: `bot ${id}`, recording }, function* () {
      const stored = yield* find(id)
      if (stored === undefined) return undefined
      const bot = { ...stored, ...switches }
      yield* changes(
        'UPDATE bots SET hosting_enabled = ?, hosting_location = ?, public_status = ?, updated_at_ms = ? WHERE id = ?',
        Number(bot.hostingEnabled),
        bot.hostingLocation,
        Number(bot.publicStatus),
        nowMs,
        id,
      )
      return { bot, before: stored }
    })
  }

  async listOfUser(userId: UserId, most: number): Promise<ListedBot[]> {
    const listed = await this.#database.read(() => rows<ListedBotRow>(listedBotsOfUser, userId, most))
    return listed.map(asListedBot)
  }

  removeBot(id: BotId, nowMs: number): Promise<boolean> {
    return this.#database.write({ row: `bot ${id}` }, function* () {
      const removed = yield* changes(
        'UPDATE bots SET deleted_at_ms = ?, updated_at_ms = ? WHERE id = ? AND deleted_at_ms IS NULL',
        nowMs,
        nowMs,
        id,
      )
      // So that the bots of a coworker are counted by their index alone, for userinfo.
      if (removed === 1) yield* changes('DELETE FROM coworkers WHERE bot_id = ?', id)
      return removed === 1
    })
  }

  putCoworker(
    botId: BotId,
    coworker: Coworker,
    recording?: Recording<PutCoworkerOutcome>,
  ): Promise<PutCoworkerOutcome> {
    return this.#database.write({ row: `bot ${botId}`, recording }, () => putCoworker(botId, coworker))
  }

  async findCoworker(botId: BotId, userId: UserId): Promise<Coworker | undefined> {
    const row = await this.#database.read(() =>
      firstRow<CoworkerRow>(
        `SELECT user_id, role, capabilities FROM coworkers JOIN bots ON id = bot_id
         WHERE bot_id = ? AND user_id = ? AND deleted_at_ms IS NULL`,
        botId,
        userId,
      ),
    )
    return row && asCoworker(row)
  }

  async listCoworkers(botId: BotId): Promise<NamedCoworker[]> {
    const listed = await this.#database.read(() =>
      rows<CoworkerRow & { name: string }>(
        `SELECT user_id, users.name AS name, role, capabilities
         FROM coworkers JOIN bots ON bots.id = bot_id JOIN users ON users.id = user_id
         WHERE bot_id = ? AND deleted_at_ms IS NULL ORDER BY users.name, user_id`,
        botId,
      ),
    )
    return listed.map((row) => ({ ...asCoworker(row), name: row.name }))
  }

  removeCoworker(botId: BotId, userId: UserId, recording?: Recording<boolean>): Promise<boolean> {
    return this.#database.write({ row: `bot ${botId}`, recording }, function* () {
      if ((yield* find(botId)) === undefined) return false
      return (yield* changes('DELETE FROM coworkers WHERE bot_id = ? AND user_id = ?', botId, userId)) === 1
    })
  }

  putGuilds(botId: BotId, guildIds: readonly string[]): Promise<boolean> {
    return this.#database.write({ row: `bot ${botId}` }, function* () {
      if ((yield* find(botId)) === undefined) return false
      yield* changes(
        `INSERT INTO guilds (bot_id, guild_ids) VALUES (?, ?)
         ON CONFLICT (bot_id) DO UPDATE SET guild_ids = excluded.guild_ids`,
        botId,
        JSON.stringify(guildIds),
      )
      return true
    })
  }

  async findGuilds(botId: BotId): Promise<readonly string[] | undefined> {
    const row = await this.#database.read(() =>
      firstRow<{ guild_ids: string }>(
        `SELECT coalesce(guild_ids, '[]') AS guild_ids FROM bots LEFT JOIN guilds ON bot_id = id
         WHERE id = ? AND deleted_at_ms IS NULL`,
        botId,
      ),
    )
    return row && JSON.parse(row.guild_ids)
  }

  findPublic(ref: BotRef): Promise<StoredPublicBot | undefined> {
    return this.#findWhole(ref.kind === 'bot-id' ? publicById : publicByChatPlatformId, ref.id)
  }

  async listForHosting(botIds: readonly string[]): Promise<HostableBot[]> {
    const whole = botIds.length - (botIds.length % hostableAtOnce)
    const groups = Array.from({ length: whole / hostableAtOnce }, (_, n) =>
      botIds.slice(n * hostableAtOnce, (n + 1) * hostableAtOnce),
    )
    const found = await this.#database.read(function* () {
      const inGroups = groups.length > 0 ? yield* rowsOfEach<HostableRow>(hostableGroup, groups) : []
      const rest = botIds.slice(whole).map((id) => [id])
      return [...inGroups, ...(yield* rowsOfEach<HostableRow>(`${hostable} AND id = ?`, rest))]
    })
    return found.flat().map(asHostable)
  }

  async listAllForHosting(ownerId: UserId | null): Promise<HostableBot[]> {
    const found = await this.#database.read(() =>
      ownerId === null ? rows<HostableRow>(hostable) : rows<HostableRow>(`${hostable} AND owner_id = ?`, ownerId),
    )
    return found.map(asHostable)
  }

  async #findWhole(sql: string, id: string): Promise<StoredPublicBot | undefined> {
    const [row] = await this.#database.alone<WholeBotRow>(sql, id)
    return row && asWholeBot(row)
  }
}

export function asWholeBot(row: WholeBotRow): StoredPublicBot {
  return { bot: asBot(row), snapshot: asSnapshot(row.id as BotId, row), notice: asNotice(row) }
}

function* find(id: BotId): Work<Bot | undefined> {
  const row = yield* firstRow<BotRow>(`SELECT ${botColumns} FROM bots WHERE id = ? AND deleted_at_ms IS NULL`, id)
  return row && asBot(row)
}

/** Adds the coworker to the bot, or replaces the role and capabilities that the user has there. */
export function* putCoworker(botId: BotId, { userId, role, capabilities }: Coworker): Work<PutCoworkerOutcome> {
  const bot = yield* find(botId)
  if (bot === undefined) return 'bot-unknown'
  if (!(yield* userExists(userId))) return 'user-unknown'
  if (bot.ownerId === userId) return 'user-is-owner'
  const before = yield* firstRow('SELECT 1 FROM coworkers WHERE bot_id = ? AND user_id = ?', botId, userId)
  yield* changes(
    `INSERT INTO coworkers (bot_id, user_id, role, capabilities) VALUES (?, ?, ?, ?)
     ON CONFLICT (bot_id, user_id) DO UPDATE SET role = excluded.role, capabilities = excluded.capabilities`,
    botId,
    userId,
    role,
    JSON.stringify(capabilities),
  )
  return before === undefined ? 'created' : 'changed'
}

/** A new bot has nothing of a deleted one that had its id. */
function* removeRemains(id: BotId): Work<void> {
  if ((yield* firstRow('SELECT 1 FROM bots WHERE id = ?', id)) === undefined) return
  for (const table of belongings) yield* changes(`DELETE FROM ${table} WHERE bot_id = ?`, id)
}

function* userExists(id: UserId): Work<boolean> {
  return (yield* firstRow('SELECT 1 FROM users WHERE id = ?', id)) !== undefined
}

export function asListedBot(row: ListedBotRow): ListedBot {
  return { bot: asBot(row), role: row.role, snapshot: asSnapshot(row.id as BotId, row) }
}

function asBot(row: BotRow): Bot {
  return {
    id: row.id as BotId,
    ownerId: row.owner_id as UserId,
    name: row.name,
    chatPlatformId: row.chat_platform_id as ChatPlatformId,
    avatar: row.avatar,
    plan: row.plan,
    hostingEnabled: row.hosting_enabled === 1,
    hostingLocation: row.hosting_location,
    publicStatus: row.public_status === 1,
    createdAtMs: row.created_at_ms,
  }
}

function asCoworker({ user_id, role, capabilities }: CoworkerRow): Coworker {
  return { userId: user_id as UserId, role, capabilities: JSON.parse(capabilities) }
}

function asHostable(row: HostableRow): HostableBot {
  return { id: row.id as BotId, ownerId: row.owner_id as UserId, hostingEnabled: row.hosting_enabled === 1 }
}
