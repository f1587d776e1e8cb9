import type { Bot, Coworker, CoworkerRole, HostingLocation, Role } from '../../domain/bots/bot.ts'
import type { BotRef } from '../../domain/bots/bot-ref.ts'
import {
  type BotStore,
  type BotSwitches,
  type HostableBot,
  type ListedBot,
  type NamedCoworker,
  newBotDefaults,
  type PutBotOutcome,
  type PutCoworkerOutcome,
  type StoredBotChange,
  type StoredPublicBot,
} from '../../domain/bots/bot-store.ts'
import type { BotId, ChatPlatformId, UserId } from '../../domain/ids.ts'
import { asSnapshot, type SnapshotRow, snapshotColumns } from './snapshots.ts'
import type { SqliteFile } from './sqlite-file.ts'
import { asNotice, type NoticeRow, noticeColumns } from './status-notices.ts'

export interface BotRow {
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

export const botColumns = `bots.id, owner_id, bots.name, bots.chat_platform_id, avatar, plan, hosting_enabled,
  hosting_location, public_status, bots.created_at_ms`
const whole = `SELECT ${botColumns}, ${snapshotColumns}, ${noticeColumns} FROM bots
  LEFT JOIN snapshots ON snapshots.bot_id = bots.id LEFT JOIN status_notices ON status_notices.bot_id = bots.id
  WHERE deleted_at_ms IS NULL`

const hostable = 'SELECT id, owner_id, hosting_enabled FROM bots WHERE deleted_at_ms IS NULL'

/** The bots in which a user (?1) has any role, the oldest first. */
export const botsOfUser = (most: number | '?2') => `
  SELECT id, 'owner' AS role, created_at_ms FROM bots WHERE owner_id = ?1 AND deleted_at_ms IS NULL
  UNION ALL
  SELECT id, role, created_at_ms FROM coworkers JOIN bots ON id = bot_id
  WHERE user_id = ?1 AND owner_id <> ?1 AND deleted_at_ms IS NULL
  ORDER BY created_at_ms, id LIMIT ${most}`

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
]

/** Bots, their coworkers and the servers they are in, in SQLite. */
export class SqliteBots implements BotStore {
  readonly #file: SqliteFile

  constructor(file: SqliteFile) {
    this.#file = file
  }

  putBot(id: BotId, change: StoredBotChange, nowMs: number): Promise<PutBotOutcome> {
    return this.#file.write(() => {
      if (!this.#userExists(change.ownerId)) return { kind: 'owner-unknown' }
      const taken = this.#file
        .statement('SELECT 1 FROM bots WHERE chat_platform_id = ? AND id <> ? AND deleted_at_ms IS NULL')
        .get(change.chatPlatformId, id)
      if (taken !== undefined) return { kind: 'chat-platform-id-taken' }
      const stored = this.#find(id)
      const bot: Bot = { ...newBotDefaults, createdAtMs: nowMs, ...stored, ...change, id }
      if (stored === undefined) this.#removeRemains(id)
      this.#file
        .statement(
          `INSERT INTO bots (id, owner_id, name, chat_platform_id, avatar, plan, hosting_enabled, hosting_location,
             public_status, created_at_ms, updated_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
           ON CONFLICT (id) DO UPDATE SET owner_id = excluded.owner_id, name = excluded.name,
             chat_platform_id = excluded.chat_platform_id, avatar = excluded.avatar, plan = excluded.plan,
             hosting_enabled = excluded.hosting_enabled, hosting_location = excluded.hosting_location,
             public_status = excluded.public_status, created_at_ms = excluded.created_at_ms,
             updated_at_ms = excluded.updated_at_ms, deleted_at_ms = NULL`,
        )
        .run(
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
      this.#file.statement('DELETE FROM coworkers WHERE bot_id = ? AND user_id = ?').run(id, bot.ownerId)
      return stored === undefined ? { kind: 'created', bot } : { kind: 'changed', bot, before: stored }
    })
  }

  async findBot(id: BotId): Promise<Bot | undefined> {
    return this.#find(id)
  }

  async findWhole(id: BotId): Promise<StoredPublicBot | undefined> {
    return asWhole(this.#file.statement(`${whole} AND bots.id = ?`).get(id))
  }

  changeSwitches(id: BotId, switches: BotSwitches, nowMs: number): Promise<{ bot: Bot; before: Bot } | undefined> {
    return this.#file.write(() => {
      const stored = this.#find(id)
      if (stored === undefined) return undefined
      const bot = { ...stored, ...switches }
      this.#file
        .statement(
          'UPDATE bots SET hosting_enabled = ?, hosting_location = ?, public_status = ?, updated_at_ms = ? WHERE id = ?',
        )
        .run(Number(bot.hostingEnabled), bot.hostingLocation, Number(bot.publicStatus), nowMs, id)
      return { bot, before: stored }
    })
  }

  async listOfUser(userId: UserId, most: number): Promise<ListedBot[]> {
    return listBotsOfUser(this.#file, userId, most)
  }

  removeBot(id: BotId, nowMs: number): Promise<boolean> {
    return this.#file.write(() => {
      const { changes } = this.#file
        .statement('UPDATE bots SET deleted_at_ms = ?, updated_at_ms = ? WHERE id = ? AND deleted_at_ms IS NULL')
        .run(nowMs, nowMs, id)
      return changes === 1
    })
  }

  putCoworker(botId: BotId, { userId, role, capabilities }: Coworker): Promise<PutCoworkerOutcome> {
    return this.#file.write(() => {
      const bot = this.#find(botId)
      if (bot === undefined) return 'bot-unknown'
      if (!this.#userExists(userId)) return 'user-unknown'
      if (bot.ownerId === userId) return 'user-is-owner'
      const before = this.#file.statement('SELECT 1 FROM coworkers WHERE bot_id = ? AND user_id = ?').get(botId, userId)
      this.#file
        .statement(
          `INSERT INTO coworkers (bot_id, user_id, role, capabilities) VALUES (?, ?, ?, ?)
           ON CONFLICT DO UPDATE SET role = excluded.role, capabilities = excluded.capabilities`,
        )
        .run(botId, userId, role, JSON.stringify(capabilities))
      return before === undefined ? 'created' : 'changed'
    })
  }

  async findCoworker(botId: BotId, userId: UserId): Promise<Coworker | undefined> {
    const row = this.#file
      .statement(
        `SELECT role, capabilities FROM coworkers JOIN bots ON id = bot_id
         WHERE bot_id = ? AND user_id = ? AND deleted_at_ms IS NULL`,
      )
      .get(botId, userId) as { role: CoworkerRole; capabilities: string } | undefined
    return row && { userId, role: row.role, capabilities: JSON.parse(row.capabilities) }
  }

  async listCoworkers(botId: BotId): Promise<NamedCoworker[]> {
    const rows = this.#file
      .statement(
        `SELECT user_id, users.name AS name, role, capabilities
         FROM coworkers JOIN bots ON bots.id = bot_id JOIN users ON users.id = user_id
         WHERE bot_id = ? AND deleted_at_ms IS NULL ORDER BY users.name, user_id`,
      )
      .all(botId) as { user_id: UserId; name: string; role: CoworkerRole; capabilities: string }[]
    return rows.map(({ user_id, name, role, capabilities }) => ({
      userId: user_id,
      name,
      role,
      capabilities: JSON.parse(capabilities),
    }))
  }

  removeCoworker(botId: BotId, userId: UserId): Promise<boolean> {
    return this.#file.write(() => {
      if (this.#find(botId) === undefined) return false
      const remove = this.#file.statement('DELETE FROM coworkers WHERE bot_id = ? AND user_id = ?')
      return remove.run(botId, userId).changes === 1
    })
  }

  putGuilds(botId: BotId, guildIds: readonly string[]): Promise<boolean> {
    return this.#file.write(() => {
      if (this.#find(botId) === undefined) return false
      this.#file
        .statement(
          `INSERT INTO guilds (bot_id, guild_ids) VALUES (?, ?)
           ON CONFLICT DO UPDATE SET guild_ids = excluded.guild_ids`,
        )
        .run(botId, JSON.stringify(guildIds))
      return true
    })
  }

  async findGuilds(botId: BotId): Promise<readonly string[] | undefined> {
    const row = this.#file
      .statement(
        `SELECT coalesce(guild_ids, '[]') AS guild_ids FROM bots LEFT JOIN guilds ON bot_id = id
         WHERE id = ? AND deleted_at_ms IS NULL`,
      )
      .get(botId) as { guild_ids: string } | undefined
    return row && JSON.parse(row.guild_ids)
  }

  async findPublic(ref: BotRef): Promise<StoredPublicBot | undefined> {
    const column = ref.kind === 'bot-id' ? 'bots.id' : 'chat_platform_id'
    return asWhole(this.#file.statement(`${whole} AND public_status = 1 AND ${column} = ?`).get(ref.id))
  }

  async listForHosting(botIds: readonly string[]): Promise<HostableBot[]> {
    const one = this.#file.statement(`${hostable} AND id = ?`)
    return botIds.flatMap((id) => (one.all(id) as unknown as BotRow[]).map(asHostable))
  }

  async listAllForHosting(ownerId: UserId | null): Promise<HostableBot[]> {
    const rows =
      ownerId === null
        ? this.#file.statement(hostable).all()
        : this.#file.statement(`${hostable} AND owner_id = ?`).all(ownerId)
    return (rows as unknown as BotRow[]).map(asHostable)
  }

  #find(id: BotId): Bot | undefined {
    const row = this.#file.statement(`SELECT ${botColumns} FROM bots WHERE id = ? AND deleted_at_ms IS NULL`).get(id) as
      | BotRow
      | undefined
    return row && asBot(row)
  }

  /** A new bot has nothing of a deleted one that had its id. */
  #removeRemains(id: BotId): void {
    for (const table of belongings) {
      this.#file.statement(`DELETE FROM ${table} WHERE bot_id = ?`).run(id)
    }
  }

  #userExists(id: UserId): boolean {
    return this.#file.statement('SELECT 1 FROM users WHERE id = ?').get(id) !== undefined
  }
}

export function listBotsOfUser(file: SqliteFile, userId: UserId, most: number): ListedBot[] {
  const rows = file
    .statement(
      `SELECT ${botColumns}, role, ${snapshotColumns}
       FROM (${botsOfUser('?2')}) AS mine JOIN bots ON bots.id = mine.id LEFT JOIN snapshots ON bot_id = bots.id
       ORDER BY bots.created_at_ms, bots.id`,
    )
    .all(userId, most) as unknown as (BotRow & SnapshotRow & { role: Role })[]
  return rows.map((row) => ({ bot: asBot(row), role: row.role, snapshot: asSnapshot(row.id as BotId, row) }))
}

function asWhole(row: unknown): StoredPublicBot | undefined {
  const read = row as (BotRow & SnapshotRow & NoticeRow) | undefined
  return read && { bot: asBot(read), snapshot: asSnapshot(read.id as BotId, read), notice: asNotice(read) }
}

export function asBot(row: BotRow): Bot {
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

function asHostable(row: Pick<BotRow, 'id' | 'owner_id' | 'hosting_enabled'>): HostableBot {
  return { id: row.id as BotId, ownerId: row.owner_id as UserId, hostingEnabled: row.hosting_enabled === 1 }
}
