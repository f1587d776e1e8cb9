import type { UserId } from '../../domain/ids.ts'
import * as limits from '../../domain/limits/limits.ts'
import type { ProfileParts, ProfileReading, ProfileStore } from '../../domain/profile/profile.ts'
import {
  botsOfUser,
  type ListRows,
  listedBotColumns,
  noLists,
  type ProfileRow,
  readingOf,
} from '../sql/bots/bot-rows.ts'
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
      if (wanted.some(({ parts }) => kinds.some((kind) => parts[kind]))) {
        return database.pool.transaction((transaction) => readWithLists(transaction, wanted), beginSnapshot)
      }
      const users = byUser(await database.pool.rowsOnce<ProfileRow & OfUser>(selectUsers, usersOf(wanted)))
      return wanted.map((each) => reading(users, each, noLists))
    },
    maxItems: 200,
  })
  return { readProfile: (userId, parts) => readings.add({ userId, parts }) }
}

const kinds = ['bots', 'flows', 'guilds', 'logs', 'coworkers'] as const

function usersOf(wanted: readonly Wanted[]): UserId[][] {
  const counting = wanted.filter(({ parts }) => parts.botCount)
  return [wanted, counting].map((some) => [...new Set(some.map(({ userId }) => userId))])
}

async function readWithLists(transaction: Transaction, wanted: readonly Wanted[]) {
  const [users, ...lists] = await Promise.all([
    transaction.rows<ProfileRow & OfUser>(selectUsers, usersOf(wanted)).then(byUser),
    ...kinds.map(async (kind) => {
      const userIds = new Set(wanted.filter(({ parts }) => parts[kind]).map(({ userId }) => userId))
      return byUser(userIds.size === 0 ? [] : await transaction.rows<OfUser>(select[kind], [[...userIds]]))
    }),
  ])
  return wanted.map((each) => {
    const of = kinds.map((kind, at) => [kind, (each.parts[kind] && lists[at]?.get(each.userId)) || []])
    return reading(users, each, Object.fromEntries(of))
  })
}

function reading(users: Map<UserId, (ProfileRow & OfUser)[]>, { userId, parts }: Wanted, lists: ListRows) {
  const [row] = users.get(userId) ?? []
  // The row may contain a bot count that this request didn't ask for, but another one in the batch did.
  return row && readingOf({ ...row, botCount: parts.botCount ? row.botCount : 0 }, lists)
}

function byUser<Row extends OfUser>(rows: readonly Row[]): Map<UserId, Row[]> {
  return Map.groupBy(rows, ({ ofUser }) => ofUser)
}

function perUser(list: string, columns: string, order: string): string {
  return `SELECT of_user, ${columns} FROM unnest($1::text[]) AS asked (of_user) CROSS JOIN LATERAL (${list}) AS listed
    ORDER BY of_user, ${order}`
}
