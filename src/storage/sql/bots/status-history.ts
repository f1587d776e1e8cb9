import type { StatusHistoryStore, StoredMeteredBot } from '../../../domain/bots/status/status-history-store.ts'
import { newDays, type StatusFigures, type StatusRun, withUnit } from '../../../domain/bots/status/status-span.ts'
import type { BotId } from '../../../domain/ids-and-secrets.ts'
import * as limits from '../../../domain/limits/limits.ts'
import { Rows } from '../rows.ts'
import {
  changesOfEach,
  type Database,
  insertInto,
  joined,
  prune,
  put,
  raw,
  rowsOfEach,
  sql,
  type Work,
} from '../sql.ts'

type RunRow = StatusFigures & { fromUnit: number; untilUnit: number }

const metered = new Rows<StoredMeteredBot>(
  'bots LEFT JOIN snapshots ON snapshots.bot_id = bots.id',
  `id, hosting_enabled, created_at_ms, reported_at_ms,
    (SELECT min(from_unit) FROM status_slots WHERE status_slots.bot_id = bots.id) AS known_from,
    (SELECT CASE WHEN up_ms + down_ms + hosting_off_ms < ${limits.statusSlotMs} THEN from_unit ELSE until_unit END
     FROM status_slots WHERE status_slots.bot_id = bots.id ORDER BY from_unit DESC LIMIT 1) AS complete_until`,
  { hostingEnabled: 'flag' },
)
const columns = sql`from_unit, until_unit, up_ms, down_ms, hosting_off_ms`
const slots = runsIn('status_slots')
const days = runsIn('status_days')

export function sqlStatusHistory(database: Database): StatusHistoryStore {
  return {
    listMetered: (after, limit) =>
      database.read(() =>
        metered.list(sql`WHERE deleted_at_ms IS NULL AND id > ${after ?? ''} ORDER BY id LIMIT ${limit}`),
      ),

    addToSlot: (slot, figures) =>
      database.write({}, function* () {
        const lastOfEach = yield* slots.lastOfEach(figures.map(({ botId }) => botId))
        yield* slots.put(
          figures.flatMap(({ botId, figures: measured }, at) =>
            withUnit(lastOfEach[at], slot, measured, limits.statusSlotMs).map((run): BotRun => [botId, run]),
          ),
        )
      }),

    listWithSlots: async (after, limit) => {
      const found = await database.read(() =>
        sql`SELECT DISTINCT bot_id FROM status_slots
          WHERE bot_id > ${after ?? ''} ORDER BY bot_id LIMIT ${limit}`.rows<{ botId: BotId }>(),
      )
      return found.map(({ botId }) => botId)
    },

    rollUp: (botIds, today, dropSlotsUntil) =>
      database.write({}, function* () {
        const slotsOfEach = yield* slots.allOfEach(botIds)
        const lastOfEach = yield* days.lastOfEach(botIds)
        yield* days.put(
          botIds.flatMap((botId, at) =>
            newDays(slotsOfEach[at] ?? [], lastOfEach[at], today).map((run): BotRun => [botId, run]),
          ),
        )
        yield* changesOfEach(
          botIds.map((id) => sql`DELETE FROM status_slots WHERE bot_id = ${id} AND until_unit <= ${dropSlotsUntil}`),
        )
      }),

    listSlots: async (botIds, from) => {
      if (botIds.length === 0) return []
      const rows = await database.read(() =>
        sql`SELECT bot_id, ${columns} FROM status_slots
          WHERE bot_id IN (${joined(botIds)}) AND until_unit > ${from} ORDER BY bot_id, from_unit`.rows<
          RunRow & { botId: BotId }
        >(),
      )
      const runs = Map.groupBy(rows, ({ botId }) => botId)
      return botIds.map((id) => (runs.get(id) ?? []).map(({ botId: _, ...run }) => asRun(run)))
    },

    findHistory: (botId) =>
      database.read(function* () {
        const bot = yield* metered.first(sql`WHERE deleted_at_ms IS NULL AND id = ${botId}`)
        if (bot === undefined) return undefined
        const [slotsOfBot = []] = yield* slots.allOfEach([botId])
        const [daysOfBot = []] = yield* days.allOfEach([botId])
        return { bot, slots: slotsOfBot, days: daysOfBot }
      }),

    pruneDays: (until, limit) =>
      prune(database, 'status_days', '(bot_id, from_unit)', sql`until_unit <= ${until}`, limit),

    changesOf: (botId) =>
      database.read(() => sql`SELECT at_ms, state FROM status_changes WHERE bot_id = ${botId} ORDER BY at_ms`.rows()),
  }
}

type BotRun = readonly [botId: BotId, run: StatusRun]

/** Reads and writes `status_slots` or `status_days`, which have the same columns. */
function runsIn(table: 'status_slots' | 'status_days') {
  const ofBot = (botId: BotId) => sql`SELECT ${columns} FROM ${raw(table)}
    WHERE bot_id = ${botId} ORDER BY from_unit`

  return {
    *allOfEach(botIds: readonly BotId[]): Work<StatusRun[][]> {
      return (yield* rowsOfEach<RunRow>(botIds.map(ofBot))).map((runs) => runs.map(asRun))
    },

    *lastOfEach(botIds: readonly BotId[]): Work<(StatusRun | undefined)[]> {
      const lasts = yield* rowsOfEach<RunRow>(botIds.map((botId) => sql`${ofBot(botId)} DESC LIMIT 1`))
      return lasts.map(([row]) => row && asRun(row))
    },

    /** Inserts the status runs. A run replaces a stored run of the same bot with the same `from`. */
    put: (runs: readonly BotRun[]) =>
      changesOfEach(
        runs.map(([botId, { from: fromUnit, until: untilUnit, figures }]) => {
          const { upMs, downMs, hostingOffMs } = figures
          return put(table, ['botId', 'fromUnit'], { botId, fromUnit, untilUnit, upMs, downMs, hostingOffMs })
        }),
      ),
  }
}

function asRun({ fromUnit, untilUnit, ...figures }: RunRow): StatusRun {
  return { from: fromUnit, until: untilUnit, figures }
}

/** Stores the changes, at most one per bot. If a bot then has too many, deletes its oldest ones. */
export function* recordStatusChanges(changed: readonly { botId: BotId; state: string; sinceMs: number }[]): Work<void> {
  yield* changesOfEach(
    changed.map(({ botId, sinceMs: atMs, state }) =>
      insertInto('status_changes', { botId, atMs, state }, sql`ON CONFLICT (bot_id, at_ms) DO NOTHING`),
    ),
  )
  yield* changesOfEach(
    changed.map(
      ({ botId }) => sql`DELETE FROM status_changes WHERE bot_id = ${botId} AND at_ms <=
        (SELECT at_ms FROM status_changes WHERE bot_id = ${botId} ORDER BY at_ms DESC
         LIMIT 1 OFFSET ${limits.statusChangesPerBot})`,
    ),
  )
}
