import type { UserId } from '../../domain/ids-and-secrets.ts'
import * as limits from '../../domain/limits/limits.ts'
import type { ProfileParts, ProfileReading, ProfileStore } from '../../domain/profile/profile.ts'
import {
  botCountOfUser,
  type ListRows,
  noLists,
  type ProfileRow,
  profileColumns,
  profileLists,
  readingOf,
} from '../sql/bots/bot-rows.ts'
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

const selectUsers = `SELECT id AS of_user, ${profileColumns},
    CASE WHEN id = ANY($2) THEN ${botCountOfUser} ELSE 0 END AS bot_count
  FROM users WHERE id = ANY($1)`

const { ownBots, ...lists } = profileLists('asked.of_user')
// Reads at most `userinfoLogsMax` entries per bot, newest first from the index, instead of each bot's complete log.
const logs = `SELECT newest.* FROM (${ownBots}) AS mine CROSS JOIN LATERAL (
    SELECT number, bot_id, at_ms, level, message FROM runtime_logs WHERE bot_id = mine.id
    ORDER BY at_ms DESC, number DESC LIMIT ${limits.userinfoLogsMax}) AS newest
  ORDER BY at_ms DESC, number DESC LIMIT ${limits.userinfoLogsMax}`

const kinds = ['bots', 'flows', 'guilds', 'logs', 'coworkers'] as const

/** Queries that read the list of many users, sorted by user and then in list order. */
const selectLists = kinds.map((kind) => {
  const list = { ...lists, logs }[kind]
  return `SELECT of_user, listed.* FROM unnest($1::text[]) AS asked (of_user)
      CROSS JOIN LATERAL (SELECT *, row_number() OVER () AS place FROM (${list}) AS list) AS listed
    ORDER BY of_user, place`
})

/** Profiles in PostgreSQL. A tick's users share a statement per kind of list, pipelined in one snapshot. */
export function postgresProfiles(database: PostgresDatabase): ProfileStore {
  const readings = new TickBatch<Wanted, ProfileReading | undefined>({
    async perform(wanted) {
      if (wanted.some(({ parts }) => kinds.some((kind) => parts[kind]))) {
        return database.pool.transaction((transaction) => readWithLists(transaction, wanted), beginSnapshot)
      }
      const users = byUser(await database.pool.rows<ProfileRow & OfUser>(selectUsers, usersOf(wanted)))
      return wanted.map((each) => reading(users, each, noLists))
    },
    maxItems: 200,
  })
  return { readProfile: (userId, parts) => readings.add({ userId, parts }) }
}

function usersOf(wanted: readonly Wanted[]): UserId[][] {
  const counting = wanted.filter(({ parts }) => parts.botCount)
  return [wanted, counting].map((some) => [...new Set(some.map(({ userId }) => userId))])
}

async function readWithLists(transaction: Transaction, wanted: readonly Wanted[]) {
  const [users, ...lists] = await Promise.all([
    transaction.rows<ProfileRow & OfUser>(selectUsers, usersOf(wanted)).then(byUser),
    ...kinds.map(async (kind, at) => {
      const userIds = new Set(wanted.filter(({ parts }) => parts[kind]).map(({ userId }) => userId))
      const select = selectLists[at] as string
      return byUser(userIds.size === 0 ? [] : await transaction.rows<OfUser>(select, [[...userIds]]))
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
