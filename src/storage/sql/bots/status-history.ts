import type { StatusHistoryStore, StoredMeteredBot } from '../../../domain/bots/status/status-history-store.ts'
import { followed, type StatusRun, withUnit } from '../../../domain/bots/status/status-span.ts'
import type { BotId } from '../../../domain/ids.ts'
import * as limits from '../../../domain/limits/limits.ts'
import {
  changes,
  changesOfEach,
  type Database,
  firstRow,
  rows,
  rowsOfEach,
  type SqlValue,
  type Work,
} from '../database.ts'

interface RunRow {
  fromUnit: number
  untilUnit: number
  upMs: number
  downMs: number
  hostingOffMs: number
}

interface MeteredRow {
  id: string
  hostingEnabled: number
  createdAtMs: number
  reportedAtMs: number | null
  knownFrom: number | null
  wholeUntil: number | null
}

const live = `SELECT id, hosting_enabled, created_at_ms, reported_at_ms,
    (SELECT min(from_unit) FROM status_slots WHERE status_slots.bot_id = bots.id) AS known_from,
    (SELECT CASE WHEN up_ms + down_ms + hosting_off_ms < ${limits.statusSlotMs} THEN from_unit ELSE until_unit END
     FROM status_slots WHERE status_slots.bot_id = bots.id ORDER BY from_unit DESC LIMIT 1) AS whole_until
  FROM bots LEFT JOIN snapshots ON snapshots.bot_id = bots.id WHERE deleted_at_ms IS NULL`
const slots = runsIn('status_slots')
const days = runsIn('status_days')

export function sqlStatusHistory(database: Database): StatusHistoryStore {
  return {
    listMetered: async (after, limit) => {
      const listed = await database.read(() =>
        rows<MeteredRow>(`${live} AND id > ? ORDER BY id LIMIT ?`, after ?? '', limit),
      )
      return listed.map(asMetered)
    },

    addToSlot: (slot, figures) =>
      database.write({}, function* () {
        const lastOfEach = yield* slots.lastOfEach(figures.map(({ botId }) => botId))
        yield* slots.put(
          figures.flatMap(({ botId, figures: measured }, at) =>
            withUnit(lastOfEach[at], slot, measured, limits.statusSlotMs).map((run): BotRun => [botId, run]),
          ),
        )
      }),

    rollUp: (how, after, limit) =>
      database.write({}, function* () {
        const botIds = yield* withSlots(after, limit)
        const slotsOfEach = yield* slots.allOfEach(botIds)
        const lastOfEach = yield* days.lastOfEach(botIds)
        const newDays: BotRun[] = []
        for (const [at, botId] of botIds.entries()) {
          let last = lastOfEach[at]
          for (const { day, figures } of how.daysOf(slotsOfEach[at] ?? [])) {
            if (last !== undefined && last.until > day) continue
            last = followed(last, day, figures, limits.statusDayMs)
            newDays.push([botId, last])
          }
        }
        yield* days.put(newDays)
        yield* changesOfEach(
          'DELETE FROM status_slots WHERE bot_id = ? AND until_unit <= ?',
          botIds.map((botId) => [botId, how.dropSlotsUntil]),
        )
        return botIds.length < limit ? undefined : botIds.at(-1)
      }),

    listWithSlots: (after, limit) => database.read(() => withSlots(after, limit)),

    daysEnd: async () => {
      const end = await database.read(() =>
        firstRow<{ day: number | null }>('SELECT max(until_unit) AS day FROM status_days'),
      )
      return end?.day ?? undefined
    },

    findHistory: (botId) =>
      database.read(function* () {
        const row = yield* firstRow<MeteredRow>(`${live} AND id = ?`, botId)
        if (row === undefined) return undefined
        const [slotsOfBot = []] = yield* slots.allOfEach([botId])
        const [daysOfBot = []] = yield* days.allOfEach([botId])
        return { bot: asMetered(row), slots: slotsOfBot, days: daysOfBot }
      }),

    pruneDays: (until, limit) =>
      database.write({}, () =>
        changes(
          `DELETE FROM status_days WHERE (bot_id, from_unit) IN
             (SELECT bot_id, from_unit FROM status_days WHERE until_unit <= ? LIMIT ?)`,
          until,
          limit,
        ),
      ),
  }
}

function* withSlots(after: BotId | undefined, limit: number): Work<BotId[]> {
  const found = yield* rows<{ botId: BotId }>(
    'SELECT DISTINCT bot_id FROM status_slots WHERE bot_id > ? ORDER BY bot_id LIMIT ?',
    after ?? '',
    limit,
  )
  return found.map((row) => row.botId)
}

type BotRun = readonly [botId: BotId, run: StatusRun]

/** Reads and writes `status_slots` or `status_days`, which have the same columns. */
function runsIn(table: 'status_slots' | 'status_days') {
  const columns = 'from_unit, until_unit, up_ms, down_ms, hosting_off_ms'
  const ofBot = `SELECT ${columns} FROM ${table} WHERE bot_id = ? ORDER BY from_unit`
  const put = `INSERT INTO ${table} (bot_id, ${columns}) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (bot_id, from_unit) DO UPDATE SET until_unit = excluded.until_unit, up_ms = excluded.up_ms,
      down_ms = excluded.down_ms, hosting_off_ms = excluded.hosting_off_ms`
  const valuesOf = (botIds: readonly BotId[]): SqlValue[][] => botIds.map((botId) => [botId])

  return {
    *allOfEach(botIds: readonly BotId[]): Work<StatusRun[][]> {
      return (yield* rowsOfEach<RunRow>(ofBot, valuesOf(botIds))).map((runs) => runs.map(asRun))
    },

    *lastOfEach(botIds: readonly BotId[]): Work<(StatusRun | undefined)[]> {
      const lasts = yield* rowsOfEach<RunRow>(`${ofBot} DESC LIMIT 1`, valuesOf(botIds))
      return lasts.map(([row]) => row && asRun(row))
    },

    /** Inserts the status runs. A run replaces a stored run of the same bot with the same `from`. */
    put: (runs: readonly BotRun[]) =>
      changesOfEach(
        put,
        runs.map(([botId, { from, until, figures }]) => [
          botId,
          from,
          until,
          figures.upMs,
          figures.downMs,
          figures.hostingOffMs,
        ]),
      ),
  }
}

function asRun(row: RunRow): StatusRun {
  const figures = { upMs: row.upMs, downMs: row.downMs, hostingOffMs: row.hostingOffMs }
  return { from: row.fromUnit, until: row.untilUnit, figures }
}

function asMetered(row: MeteredRow): StoredMeteredBot {
  return {
    id: row.id as BotId,
    hostingEnabled: row.hostingEnabled === 1,
    createdAtMs: row.createdAtMs,
    reportedAtMs: row.reportedAtMs,
    knownFrom: row.knownFrom,
    completeUntil: row.wholeUntil,
  }
}
