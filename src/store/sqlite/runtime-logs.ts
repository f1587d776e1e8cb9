import type { LogLevel, RuntimeLogEntry } from '../../domain/bots/runtime-log.ts'
import type { RuntimeLogStore } from '../../domain/bots/runtime-log-store.ts'
import type { BotId } from '../../domain/ids.ts'
import type { SqliteFile } from './sqlite-file.ts'

interface LogRow {
  number: number
  bot_id: string
  at_ms: number
  level: LogLevel
  message: string
}

/** The runtime logs of bots in SQLite. */
export function sqliteRuntimeLogs(file: SqliteFile): RuntimeLogStore {
  const append = file.statement(
    `INSERT INTO runtime_logs (bot_id, at_ms, level, message)
     SELECT id, ?, ?, ? FROM bots WHERE id = ? AND deleted_at_ms IS NULL`,
  )
  const trim = file.statement(
    `DELETE FROM runtime_logs WHERE bot_id = ?1 AND (at_ms, number) <= (
       SELECT at_ms, number FROM runtime_logs WHERE bot_id = ?1 ORDER BY at_ms DESC, number DESC LIMIT 1 OFFSET ?2)`,
  )
  const list = file.statement(
    `SELECT bot_id, at_ms, level, message FROM runtime_logs JOIN bots ON id = bot_id
     WHERE bot_id = ? AND deleted_at_ms IS NULL ORDER BY at_ms DESC, number DESC LIMIT ?`,
  )
  const page = file.statement(
    `SELECT number, bot_id, at_ms, level, message FROM runtime_logs JOIN bots ON id = bot_id
     WHERE bot_id = ? AND deleted_at_ms IS NULL AND (at_ms, number) < (?, ?) AND level IN (SELECT value FROM json_each(?))
     ORDER BY at_ms DESC, number DESC LIMIT ?`,
  )
  return {
    appendLogs: (entries, keep) =>
      file.write(() => {
        for (const { botId, atMs, level, message } of entries) append.run(atMs, level, message, botId)
        for (const botId of new Set(entries.map((entry) => entry.botId))) trim.run(botId, keep)
      }),
    listLogs: async (botId, most) => (list.all(botId, most) as unknown as LogRow[]).map(asLogEntry),
    pageLogs: async (botId, { levels, after, most }) => {
      const { atMs, number } = after ?? { atMs: Number.MAX_SAFE_INTEGER, number: 0 }
      const rows = page.all(botId, atMs, number, JSON.stringify(levels), most) as unknown as LogRow[]
      return rows.map((row) => ({ ...asLogEntry(row), number: row.number }))
    },
  }
}

function asLogEntry(row: LogRow): RuntimeLogEntry {
  return { botId: row.bot_id as BotId, atMs: row.at_ms, level: row.level, message: row.message }
}
