import type { StatusHistoryStore } from '../../domain/bots/status-history-store.ts'
import type { MeteredBot } from '../../domain/bots/status-meter.ts'
import { knownMs, plus, type StatusFigures, type StatusRun, sameFigures } from '../../domain/bots/status-span.ts'
import type { BotId } from '../../domain/ids.ts'
import { statusDayMs, statusSlotMs } from '../../domain/limits.ts'
import type { SqliteFile } from './sqlite-file.ts'

interface RunRow {
  from_unit: number
  until_unit: number
  up_ms: number
  down_ms: number
  hosting_off_ms: number
}

interface MeteredRow {
  id: string
  hosting_enabled: number
  created_at_ms: number
}

/** The past of bots in SQLite. */
export function sqliteStatusHistory(file: SqliteFile): StatusHistoryStore {
  const slots = runsIn(file, 'status_slots')
  const days = runsIn(file, 'status_days')
  const live = 'SELECT id, hosting_enabled, created_at_ms FROM bots WHERE deleted_at_ms IS NULL'
  const listAfter = file.statement(`${live} AND id > ? ORDER BY id LIMIT ?`)
  const findOne = file.statement(`${live} AND id = ?`)
  const withSlots = file.statement('SELECT DISTINCT bot_id FROM status_slots WHERE bot_id > ? ORDER BY bot_id LIMIT ?')
  const dropSlots = file.statement('DELETE FROM status_slots WHERE bot_id = ? AND until_unit <= ?')
  const end = file.statement('SELECT max(until_unit) AS day FROM status_days')
  const dropDays = file.statement(
    `DELETE FROM status_days WHERE (bot_id, from_unit) IN
       (SELECT bot_id, from_unit FROM status_days WHERE until_unit <= ? LIMIT ?)`,
  )
  return {
    listMetered: async (after, limit) => (listAfter.all(after ?? '', limit) as unknown as MeteredRow[]).map(asMetered),

    addToSlot: (slot, figures) =>
      file.write(() => {
        for (const { botId, figures: added } of figures) {
          const last = slots.last(botId)
          if (last === undefined || last.until <= slot) slots.append(botId, last, slot, added, statusSlotMs)
          else if (last.from === slot && knownMs(last.figures) + knownMs(added) <= statusSlotMs) {
            slots.put(botId, { ...last, figures: plus(last.figures, added) })
          }
        }
      }),

    rollUp: (how, after, limit) =>
      file.write(() => {
        const bots = withSlots.all(after ?? '', limit) as unknown as { bot_id: string }[]
        for (const { bot_id } of bots) {
          const botId = bot_id as BotId
          let last = days.last(botId)
          for (const { day, figures } of how.daysOf(slots.all(botId))) {
            if (last !== undefined && last.until > day) continue
            last = days.append(botId, last, day, figures, statusDayMs)
          }
          dropSlots.run(botId, how.dropSlotsUntil)
        }
        return bots.length < limit ? undefined : (bots.at(-1)?.bot_id as BotId)
      }),

    daysEnd: async () => (end.get() as { day: number | null }).day ?? undefined,

    findHistory: async (botId) => {
      const row = findOne.get(botId) as unknown as MeteredRow | undefined
      return row && { bot: asMetered(row), slots: slots.all(botId), days: days.all(botId) }
    },

    pruneDays: (until, limit) => file.write(() => Number(dropDays.run(until, limit).changes)),
  }
}

/** Slots and days lie alike. */
function runsIn(file: SqliteFile, table: 'status_slots' | 'status_days') {
  const columns = 'from_unit, until_unit, up_ms, down_ms, hosting_off_ms'
  const runs = file.statement(`SELECT ${columns} FROM ${table} WHERE bot_id = ? ORDER BY from_unit`)
  const last = file.statement(`SELECT ${columns} FROM ${table} WHERE bot_id = ? ORDER BY from_unit DESC LIMIT 1`)
  const lengthen = file.statement(`UPDATE ${table} SET until_unit = ? WHERE bot_id = ? AND from_unit = ?`)
  const put = file.statement(
    `INSERT INTO ${table} (bot_id, ${columns}) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET up_ms = excluded.up_ms, down_ms = excluded.down_ms,
       hosting_off_ms = excluded.hosting_off_ms`,
  )

  function putRun(botId: BotId, { from, until, figures }: StatusRun): void {
    put.run(botId, from, until, figures.upMs, figures.downMs, figures.hostingOffMs)
  }

  return {
    all: (botId: BotId): StatusRun[] => (runs.all(botId) as unknown as RunRow[]).map(asRun),

    last: (botId: BotId): StatusRun | undefined => {
      const row = last.get(botId) as unknown as RunRow | undefined
      return row && asRun(row)
    },

    put: putRun,

    /** Adds a unit after the bot's last run, or makes that run one longer. */
    append(
      botId: BotId,
      before: StatusRun | undefined,
      unit: number,
      figures: StatusFigures,
      unitMs: number,
    ): StatusRun {
      // What is not whole may yet be added to, so it stays by itself.
      if (before?.until === unit && knownMs(figures) === unitMs && sameFigures(before.figures, figures)) {
        lengthen.run(unit + 1, botId, before.from)
        return { ...before, until: unit + 1 }
      }
      const run = { from: unit, until: unit + 1, figures }
      putRun(botId, run)
      return run
    },
  }
}

function asRun(row: RunRow): StatusRun {
  const figures = { upMs: row.up_ms, downMs: row.down_ms, hostingOffMs: row.hosting_off_ms }
  return { from: row.from_unit, until: row.until_unit, figures }
}

function asMetered(row: MeteredRow): MeteredBot {
  return { id: row.id as BotId, hostingEnabled: row.hosting_enabled === 1, createdAtMs: row.created_at_ms }
}
