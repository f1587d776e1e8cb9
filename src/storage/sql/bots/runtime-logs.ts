import type { RuntimeLogEntry, RuntimeLogStore } from '../../../domain/bots/runtimes/runtime-logs.ts'
import type { BotId } from '../../../domain/ids.ts'
import type { Database } from '../database.ts'
import { changesOfEach, joined, type Sql, sql } from '../sql.ts'

export function sqlRuntimeLogs(database: Database): RuntimeLogStore {
  return {
    appendLogs: (entries, keep) =>
      database.write({ row: `logs of ${entries[0]?.botId}` }, function* () {
        yield* changesOfEach(
          entries.map(
            ({ botId, atMs, level, message }) => sql`INSERT INTO runtime_logs (bot_id, at_ms, level, message)
              SELECT id, CAST(${atMs} AS BIGINT), ${level}, ${message} FROM bots
              WHERE id = ${botId} AND deleted_at_ms IS NULL`,
          ),
        )
        const botIds = [...new Set(entries.map((entry) => entry.botId))]
        yield* changesOfEach(
          botIds.map(
            (botId) => sql`DELETE FROM runtime_logs WHERE bot_id = ${botId} AND (at_ms, number) <= (
              SELECT at_ms, number FROM runtime_logs WHERE bot_id = ${botId}
              ORDER BY at_ms DESC, number DESC LIMIT 1 OFFSET ${keep})`,
          ),
        )
      }),
    clearLogs: (botId) =>
      database.write({ row: `logs of ${botId}` }, () => sql`DELETE FROM runtime_logs WHERE bot_id = ${botId}`.run()),
    listLogs: (botId, most) =>
      database.queryOnce<RuntimeLogEntry>(
        sql`SELECT bot_id, at_ms, level, message ${newestOf(botId, sql`true`, most)}`,
      ),
    async pageLogs(
      botId,
      { levels, sinceMs = Number.MIN_SAFE_INTEGER, untilMs = Number.MAX_SAFE_INTEGER, after, most },
    ) {
      if (levels.length === 0) return []
      const { atMs, number } = after ?? { atMs: Number.MAX_SAFE_INTEGER, number: 0 }
      const matches = sql`(at_ms, number) < (${atMs}, ${number}) AND at_ms BETWEEN ${sinceMs} AND ${untilMs}
        AND level IN (${joined(levels)})`
      return await database.queryOnce(
        sql`SELECT number, bot_id, at_ms, level, message ${newestOf(botId, matches, most)}`,
      )
    },
  }
}

function newestOf(botId: BotId, condition: Sql, most: number): Sql {
  return sql`FROM runtime_logs JOIN bots ON id = bot_id
    WHERE bot_id = ${botId} AND deleted_at_ms IS NULL AND ${condition} ORDER BY at_ms DESC, number DESC LIMIT ${most}`
}
