import { isDeepStrictEqual } from 'node:util'
import {
  type Bot,
  type BotStore,
  type Collaborator,
  type HostableBot,
  newBotDefaults,
  type PutCollaboratorOutcome,
  type StoredPublicBot,
} from '../../../domain/bots/bot.ts'
import type { BotId } from '../../../domain/ids-and-secrets.ts'
import * as limits from '../../../domain/limits/limits.ts'
import { botExists, newestFirst, Rows, userExists } from '../rows.ts'
import { assigned, count, type Database, joined, put, raw, rowsOfEach, type Sql, sql, type Work } from '../sql.ts'
import {
  asBotWithStatus,
  asListedBot,
  asNotice,
  type BotWithStatusRow,
  botsWithStatus,
  findBot,
  type ListedBotRow,
  listedBotsOfUser,
  type NoticeRow,
  noticeColumns,
} from './bot-rows.ts'

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
  async function findWhole(statement: Sql): Promise<StoredPublicBot | undefined> {
    const [row] = await database.queryOnce<BotWithStatusRow>(statement)
    return row && asBotWithStatus(row)
  }

  return {
    ...sqlCollaborators(database),
    ...sqlHosting(database),

    putBot: (id, change, nowMs) =>
      database.write({ row: `bot ${id}` }, function* () {
        if (!(yield* userExists(change.ownerId))) return { kind: 'owner-unknown' }
        const taken = sql`SELECT 1 FROM bots WHERE chat_platform_id = ${change.chatPlatformId} AND id <> ${id}
          AND deleted_at_ms IS NULL`
        if (yield* taken.exists()) return { kind: 'chat-platform-id-taken' }
        const stored = yield* findBot(id)
        const bot: Bot = { ...newBotDefaults, createdAtMs: nowMs, ...stored, ...change, id }
        if (stored === undefined) yield* removeDataOfDeleted(id)
        else if (isDeepStrictEqual(bot, stored)) return { kind: 'unchanged', bot, before: stored }
        yield* put('bots', ['id'], { ...bot, updatedAtMs: nowMs, deletedAtMs: null }).run()
        if (stored === undefined) return { kind: 'created', bot }
        if (bot.ownerId !== stored.ownerId) {
          yield* sql`DELETE FROM coworkers WHERE bot_id = ${id} AND user_id = ${bot.ownerId}`.changes()
          yield* sql`DELETE FROM invitations WHERE bot_id = ${id} AND accepted_by = ${bot.ownerId}`.changes()
        }
        return { kind: 'changed', bot, before: stored }
      }),

    findBot: (id) => database.read(() => findBot(id)),

    isDeleted: (id) =>
      database.read(() =>
        sql`SELECT 1 FROM bots WHERE id = ${id} AND deleted_at_ms IS NOT NULL
          UNION ALL SELECT 1 FROM deleted_bots WHERE id = ${id}`.exists(),
      ),

    findWithStatus: (id) => findWhole(sql`${botsWithStatus} AND bots.id = ${id}`),

    findPublic({ kind, id }) {
      const column = raw(kind === 'bot-id' ? 'bots.id' : 'chat_platform_id')
      return findWhole(sql`${botsWithStatus} AND public_status = 1 AND ${column} = ${id}`)
    },

    changeSwitches: (id, switches, nowMs, recording) =>
      database.write({ row: `bot ${id}`, recording }, function* () {
        const stored = yield* findBot(id)
        if (stored === undefined) return undefined
        const bot = { ...stored, ...switches }
        if (isDeepStrictEqual(bot, stored)) return { kind: 'unchanged', bot, before: stored }
        const { hostingEnabled, hostingLocation, publicStatus } = bot
        const columns = assigned({ hostingEnabled, hostingLocation, publicStatus, updatedAtMs: nowMs })
        yield* sql`UPDATE bots SET ${columns} WHERE id = ${id}`.run()
        return { kind: 'changed', bot, before: stored }
      }),

    async listBots({ ownerId, chatPlatformId }, request) {
      const equal = { ownerId, chatPlatformId }
      const page = newestFirst(botsWithStatus, 'bots', equal, request)
      return (await database.queryOnce<BotWithStatusRow>(page)).map(asBotWithStatus)
    },

    async listOfUser(userId, most) {
      return (await database.queryOnce<ListedBotRow>(listedBotsOfUser(userId, most))).map(asListedBot)
    },

    removeBot: (id, nowMs) =>
      database.write({ row: `bot ${id}` }, function* () {
        const removed = yield* sql`UPDATE bots SET deleted_at_ms = ${nowMs}, updated_at_ms = ${nowMs}
          WHERE id = ${id} AND deleted_at_ms IS NULL`.changes()
        // Userinfo counts a collaborator's bots from the index alone, so deleted bots must have no rows in it.
        if (removed === 1) yield* sql`DELETE FROM coworkers WHERE bot_id = ${id}`.changes()
        return removed === 1
      }),

    putGuilds: (botId, guildIds) =>
      database.write({ row: `bot ${botId}` }, function* () {
        if ((yield* findBot(botId)) === undefined) return 'bot-unknown'
        const ending = sql`WHERE guilds.guild_ids <> excluded.guild_ids`
        const values = { botId, guildIds: JSON.stringify(guildIds) }
        const changed = yield* put('guilds', ['botId'], values, { ending }).changes()
        return changed === 1 ? 'changed' : 'unchanged'
      }),

    async findGuilds(botId) {
      const row = await database.read(() =>
        sql`SELECT coalesce(guild_ids, '[]') AS guild_ids FROM bots LEFT JOIN guilds ON bot_id = id
           WHERE id = ${botId} AND deleted_at_ms IS NULL`.first<{ guildIds: string }>(),
      )
      return row && JSON.parse(row.guildIds)
    },

    putNotice: (botId, notice) =>
      database.write({ row: `bot ${botId}` }, function* () {
        if (!(yield* botExists(botId))) return false
        if (notice === null) yield* sql`DELETE FROM status_notices WHERE bot_id = ${botId}`.changes()
        else {
          const values = { botId, notice: notice.text, setAtMs: notice.setAtMs }
          const ending = sql`WHERE status_notices.notice <> excluded.notice`
          yield* put('status_notices', ['botId'], values, { ending }).run()
        }
        return true
      }),

    findNotice: async (botId) => {
      const row = await database.read(() =>
        sql`SELECT ${noticeColumns} FROM status_notices JOIN bots ON id = bot_id
           WHERE bot_id = ${botId} AND deleted_at_ms IS NULL`.first<NoticeRow>(),
      )
      return row && asNotice(row)
    },
  }
}

/** Deletes the data of a deleted bot whose ID is reused by a new bot. */
function* removeDataOfDeleted(id: BotId): Work<void> {
  yield* sql`DELETE FROM deleted_bots WHERE id = ${id}`.changes()
  if ((yield* sql`SELECT 1 FROM bots WHERE id = ${id}`.first()) === undefined) return
  for (const table of tablesOfBot) yield* sql`DELETE FROM ${raw(table)} WHERE bot_id = ${id}`.changes()
}

const hostables = new Rows<HostableBot>('bots', 'id, owner_id, hosting_enabled', { hostingEnabled: 'flag' })
const hostable = hostables.select(sql`WHERE deleted_at_ms IS NULL`)
/** Maximum bots per statement: one for each of 10,000 bots would block the event loop for a third of a second. */
const hostablePerStatement = 200

function sqlHosting(database: Database): Pick<BotStore, 'listForHosting' | 'listAllForHosting' | 'listChangedSince'> {
  /** The next read. All sessions of a bot ask for it at once when it changes, so they share one. */
  let next: { ids: Set<string>; found: Promise<Map<string, HostableBot>> } | undefined

  async function read(botIds: readonly string[]): Promise<Map<string, HostableBot>> {
    const whole = botIds.length - (botIds.length % hostablePerStatement)
    const groups = Array.from({ length: whole / hostablePerStatement }, (_, n) =>
      botIds.slice(n * hostablePerStatement, (n + 1) * hostablePerStatement),
    )
    const found = await database.read(function* () {
      return yield* rowsOfEach<HostableBot>([
        ...groups.map((ids) => sql`${hostable} AND id IN (${joined(ids)})`),
        ...botIds.slice(whole).map((id) => sql`${hostable} AND id = ${id}`),
      ])
    })
    return new Map(hostables.of(found.flat()).map((bot) => [bot.id, bot]))
  }

  return {
    async listForHosting(botIds) {
      const ids = next?.ids ?? new Set()
      next ??= {
        ids,
        found: Promise.resolve().then(() => {
          next = undefined
          return read([...ids])
        }),
      }
      for (const id of botIds) ids.add(id)
      const found = await next.found
      return botIds.flatMap((id) => found.get(id) ?? [])
    },

    async listAllForHosting(ownerId) {
      const wanted = ownerId === null ? hostable : sql`${hostable} AND owner_id = ${ownerId}`
      return hostables.of(await database.queryOnce(wanted))
    },

    async listChangedSince(atMs) {
      const changed = sql`SELECT id FROM bots WHERE updated_at_ms >= ${atMs}
        UNION ALL SELECT id FROM deleted_bots WHERE deleted_at_ms >= ${atMs}`
      return (await database.queryOnce<{ id: BotId }>(changed)).map(({ id }) => id)
    },
  }
}

const collaboratorsOfBots = 'coworkers JOIN bots ON bots.id = bot_id'
const coworkers = new Rows<Collaborator>(collaboratorsOfBots, 'user_id, role, capabilities', { capabilities: 'json' })
const namedCollaborators = new Rows<Collaborator & { name: string }>(
  `${collaboratorsOfBots} JOIN users ON users.id = user_id`,
  'user_id, role, capabilities, users.name',
  { capabilities: 'json' },
)

function sqlCollaborators(
  database: Database,
): Pick<BotStore, 'putCollaborator' | 'findCollaborator' | 'listCollaborators' | 'removeCollaborator'> {
  return {
    putCollaborator: (botId, collaborator, recording) =>
      database.write({ row: `bot ${botId}`, recording }, () => putCollaborator(botId, collaborator)),

    findCollaborator: (botId, userId) =>
      coworkers.find(database, sql`WHERE bot_id = ${botId} AND user_id = ${userId} AND deleted_at_ms IS NULL`),

    listCollaborators: (botId) =>
      namedCollaborators.query(
        database,
        sql`WHERE bot_id = ${botId} AND deleted_at_ms IS NULL ORDER BY users.name, user_id`,
      ),

    removeCollaborator: (botId, userId, recording) =>
      database.write({ row: `bot ${botId}`, recording }, function* () {
        if ((yield* findBot(botId)) === undefined) return false
        return (yield* sql`DELETE FROM coworkers WHERE bot_id = ${botId} AND user_id = ${userId}`.changes()) === 1
      }),
  }
}

export function* putCollaborator(
  botId: BotId,
  { userId, role, capabilities }: Collaborator,
): Work<PutCollaboratorOutcome> {
  const bot = yield* findBot(botId)
  if (bot === undefined) return 'bot-unknown'
  if (!(yield* userExists(userId))) return 'user-unknown'
  if (bot.ownerId === userId) return 'user-is-owner'
  const isKnown = yield* sql`SELECT 1 FROM coworkers WHERE bot_id = ${botId} AND user_id = ${userId}`.exists()
  const others = isKnown ? 0 : yield* count(sql`FROM coworkers WHERE bot_id = ${botId}`)
  if (others >= limits.collaboratorsPerBot) return 'collaborators-too-many'
  const values = { botId, userId, role, capabilities: JSON.stringify(capabilities) }
  const ending = sql`WHERE coworkers.role <> excluded.role OR coworkers.capabilities <> excluded.capabilities`
  const changed = yield* put('coworkers', ['botId', 'userId'], values, { ending }).changes()
  if (changed === 0) return 'unchanged'
  return isKnown ? 'changed' : 'created'
}
