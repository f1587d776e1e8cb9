import type { LogLevel } from '../../domain/bots/runtimes/runtime-logs.ts'
import type { BotId, UserId } from '../../domain/ids.ts'
import * as limits from '../../domain/limits/limits.ts'
import type { ProfileParts, ProfileReading, ProfileStore } from '../../domain/profile/profile.ts'
import { asListedBot, botsOfUser, type ListedBotRow, listedBotColumns } from '../sql/bots/bot-rows.ts'
import {
  type CollaboratorRow,
  collaboratorOf,
  type GuildsRow,
  guildsOf,
  type ProfileRow,
  profileOf,
} from '../sql/bots/profile-rows.ts'
import { raw } from '../sql/sql.ts'
import { TickBatch } from './batches.ts'
import { beginSnapshot, type PostgresDatabase } from './postgres-database.ts'
import type { Transaction } from './postgres-pool.ts'

interface Wanted {
  userId: UserId
  parts: ProfileParts
}

interface OfUser {
  ofUser: UserId
}

interface FlowRow {
  botId: BotId
  kind: string
  name: string
  publicCode: string | null
}

interface LogRow {
  botId: BotId
  atMs: number
  level: LogLevel
  message: string
}

/**
 * Counts bots using one index per role. No bot is counted twice, because an owner is never a collaborator. Deleted bots
 * have no collaborators.
 */
const selectUsers = `SELECT id AS of_user, name, email, email_verified_at_ms IS NOT NULL AS email_verified,
    chat_platform_id, code_hosting_id, EXISTS (SELECT 1 FROM passkeys WHERE user_id = users.id) AS has_passkey,
    CASE WHEN id = ANY($2) THEN
      (SELECT count(*) FROM bots WHERE owner_id = users.id AND deleted_at_ms IS NULL)
      + (SELECT count(*) FROM coworkers WHERE user_id = users.id)
      ELSE 0 END AS bot_count
  FROM users WHERE id = ANY($1)`

const ownBots = botsOfUser(raw('asked.of_user'), raw(limits.userinfoListMax)).text
const mine = `unnest($1::text[]) AS asked (of_user) CROSS JOIN LATERAL (${ownBots}) AS mine`

/** One query per kind of list. Each query reads the lists of many users, sorted by user and then in list order. */
const select = {
  bots: `SELECT of_user, ${listedBotColumns.text}
    FROM ${mine} JOIN bots ON bots.id = mine.id LEFT JOIN snapshots ON bot_id = bots.id
    ORDER BY of_user, bots.created_at_ms, bots.id`,
  flows: perUser(
    `SELECT bot_id, flows.id, kind, name, public_code, mine.created_at_ms
     FROM (${ownBots}) AS mine JOIN flows ON bot_id = mine.id
     ORDER BY mine.created_at_ms, bot_id, flows.id LIMIT ${limits.userinfoListMax}`,
    'bot_id, kind, name, public_code',
    'created_at_ms, bot_id, id',
  ),
  guilds: `SELECT of_user, mine.id AS bot_id, coalesce(guild_ids, '[]') AS guild_ids
    FROM ${mine} LEFT JOIN guilds ON bot_id = mine.id ORDER BY of_user, mine.created_at_ms, mine.id`,
  // Reads at most `userinfoLogsMax` entries per bot, newest first from the index, instead of each bot's complete log.
  logs: perUser(
    `SELECT newest.* FROM (${ownBots}) AS mine CROSS JOIN LATERAL (
       SELECT number, bot_id, at_ms, level, message FROM runtime_logs WHERE bot_id = mine.id
       ORDER BY at_ms DESC, number DESC LIMIT ${limits.userinfoLogsMax}) AS newest
     ORDER BY at_ms DESC, number DESC LIMIT ${limits.userinfoLogsMax}`,
    'bot_id, at_ms, level, message',
    'at_ms DESC, number DESC',
  ),
  coworkers: perUser(
    `SELECT bot_id, user_id, users.name AS name, role, capabilities, bots.created_at_ms
     FROM bots JOIN coworkers ON bot_id = bots.id JOIN users ON users.id = user_id
     WHERE owner_id = asked.of_user AND deleted_at_ms IS NULL
     ORDER BY bots.created_at_ms, bots.id, users.name, users.id LIMIT ${limits.userinfoListMax}`,
    'bot_id, user_id, name, role, capabilities',
    'created_at_ms, bot_id, name, user_id',
  ),
}

/**
 * Profiles in PostgreSQL. One statement reads all users requested in one event loop tick. Each kind of list that any
 * request includes adds one statement. With lists, all statements are pipelined in one snapshot transaction.
 */
export function postgresProfiles(database: PostgresDatabase): ProfileStore {
  const readings = new TickBatch<Wanted, ProfileReading | undefined>({
    async perform(wanted) {
      if (wanted.some(({ parts }) => wantsLists(parts))) {
        return database.pool.transaction((transaction) => readWithLists(transaction, wanted), beginSnapshot)
      }
      const users = byUser(await database.pool.rowsOnce<ProfileRow & OfUser>(selectUsers, usersOf(wanted)))
      return wanted.map(({ userId, parts }) => readingOf(users.get(userId), parts, noLists))
    },
    maxItems: 200,
  })
  return {
    readProfile: (userId, parts) => readings.add({ userId, parts }),
  }
}

type Lists = Pick<ProfileReading, 'bots' | 'flows' | 'guilds' | 'logs' | 'coworkers'>

const noLists: Lists = { bots: [], flows: [], guilds: [], logs: [], coworkers: [] }

function wantsLists({ bots, flows, guilds, logs, coworkers }: ProfileParts): boolean {
  return bots || flows || guilds || logs || coworkers
}

function usersOf(wanted: readonly Wanted[]): UserId[][] {
  const counting = wanted.filter(({ parts }) => parts.botCount)
  return [wanted, counting].map((some) => [...new Set(some.map(({ userId }) => userId))])
}

async function readWithLists(transaction: Transaction, wanted: readonly Wanted[]) {
  async function list<Row>(kind: keyof Lists): Promise<Map<UserId, (Row & OfUser)[]>> {
    const userIds = new Set(wanted.filter(({ parts }) => parts[kind]).map(({ userId }) => userId))
    if (userIds.size === 0) return new Map()
    return byUser(await transaction.rows<Row & OfUser>(select[kind], [[...userIds]]))
  }
  const [users, bots, flows, guilds, logs, coworkers] = await Promise.all([
    transaction.rows<ProfileRow & OfUser>(selectUsers, usersOf(wanted)).then(byUser),
    list<ListedBotRow>('bots'),
    list<FlowRow>('flows'),
    list<GuildsRow>('guilds'),
    list<LogRow>('logs'),
    list<CollaboratorRow>('coworkers'),
  ])
  return wanted.map(({ userId, parts }) => {
    const of = <Row>(rows: Map<UserId, Row[]>, requested: boolean) => (requested && rows.get(userId)) || []
    return readingOf(users.get(userId), parts, {
      bots: of(bots, parts.bots).map(asListedBot),
      flows: of(flows, parts.flows).map((row) => ({
        botId: row.botId,
        kind: row.kind,
        name: row.name,
        publicCode: row.publicCode,
      })),
      guilds: guildsOf(of(guilds, parts.guilds)),
      logs: of(logs, parts.logs).map(({ botId, atMs, level, message }) => ({
        botId,
        atMs,
        level,
        message,
      })),
      coworkers: of(coworkers, parts.coworkers).map(collaboratorOf),
    })
  })
}

function readingOf(users: readonly ProfileRow[] = [], parts: ProfileParts, lists: Lists): ProfileReading | undefined {
  const [row] = users
  if (row === undefined) return undefined
  // The row may contain a bot count that this request didn't ask for, but another one in the batch did.
  return { ...profileOf(row), botCount: parts.botCount ? row.botCount : 0, ...lists }
}

function byUser<Row extends OfUser>(rows: readonly Row[]): Map<UserId, Row[]> {
  const grouped = new Map<UserId, Row[]>()
  for (const row of rows) {
    const listed = grouped.get(row.ofUser)
    if (listed === undefined) grouped.set(row.ofUser, [row])
    else listed.push(row)
  }
  return grouped
}

function perUser(list: string, columns: string, order: string): string {
  return `SELECT of_user, ${columns} FROM unnest($1::text[]) AS asked (of_user) CROSS JOIN LATERAL (${list}) AS listed
    ORDER BY of_user, ${order}`
}
