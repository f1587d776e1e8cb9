import type { LogLevel, RuntimeLogEntry, RuntimeLogStore } from '../../../domain/bots/runtimes/runtime-logs.ts'
import type { BotId } from '../../../domain/ids.ts'
import { changes, changesOfEach, type Database, rows } from '../database.ts'

interface LogRow {
  number: number
  botId: string
  atMs: number
  level: LogLevel
  message: string
}

const append = `INSERT INTO runtime_logs (bot_id, at_ms, level, message)
  SELECT id, CAST(? AS BIGINT), ?, ? FROM bots WHERE id = ? AND deleted_at_ms IS NULL`

const trim = `DELETE FROM runtime_logs WHERE bot_id = ?1 AND (at_ms, number) <= (
  SELECT at_ms, number FROM runtime_logs WHERE bot_id = ?1 ORDER BY at_ms DESC, number DESC LIMIT 1 OFFSET ?2)`

export function sqlRuntimeLogs(database: Database): RuntimeLogStore {
  return {
    appendLogs: (entries, keep) =>
      database.write({ row: `logs of ${entries[0]?.botId}` }, function* () {
        yield* changesOfEach(
          append,
          entries.map(({ botId, atMs, level, message }) => [atMs, level, message, botId]),
        )
        const botIds = [...new Set(entries.map((entry) => entry.botId))]
        yield* changesOfEach(
          trim,
          botIds.map((botId) => [botId, keep]),
        )
      }),
    clearLogs: (botId) =>
      database.write({ row: `logs of ${botId}` }, function* () {
        yield* changes('DELETE FROM runtime_logs WHERE bot_id = ?', botId)
      }),
    listLogs: async (botId, most) => {
      const listed = await database.read(() =>
        rows<LogRow>(
          `SELECT bot_id, at_ms, level, message FROM runtime_logs JOIN bots ON id = bot_id
           WHERE bot_id = ? AND deleted_at_ms IS NULL ORDER BY at_ms DESC, number DESC LIMIT ?`,
          botId,
          most,
        ),
      )
      return listed.map(asLogEntry)
    },
    pageLogs: async (botId, { levels, after, most }) => {
      const { atMs, number } = after ?? { atMs: Number.MAX_SAFE_INTEGER, number: 0 }
      if (levels.length === 0) return []
      const page = await database.read(() =>
        rows<LogRow>(
          `SELECT number, bot_id, at_ms, level, message FROM runtime_logs JOIN bots ON id = bot_id
           WHERE bot_id = ? AND deleted_at_ms IS NULL AND (at_ms, number) < (?, ?)
             AND level IN (${levels.map(() => '?').join(', ')})
           ORDER BY at_ms DESC, number DESC LIMIT ?`,
          botId,
          atMs,
          number,
          ...levels,
          most,
        ),
      )
      return page.map((row) => ({ ...asLogEntry(row), number: row.number }))
    },
  }
}

function asLogEntry(row: LogRow): RuntimeLogEntry {
  return { botId: row.botId as BotId, atMs: row.atMs, level: row.level, message: row.message }
}
