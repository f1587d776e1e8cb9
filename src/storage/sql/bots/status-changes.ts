import type { StatusChange, StatusChangeStore } from '../../../domain/bots/status/incidents.ts'
import type { BotId } from '../../../domain/ids.ts'
import * as limits from '../../../domain/limits/limits.ts'
import type { Database } from '../database.ts'
import { changesOfEach, deleteSome, sql, type Work } from '../sql.ts'

export function sqlStatusChanges(database: Database): StatusChangeStore {
  return {
    changesOf: (botId) => database.read(() => statusChangesOf(botId)),

    prune: (atMs, limit) =>
      database.write({}, () => deleteSome('status_changes', '(bot_id, at_ms)', sql`at_ms < ${atMs}`, limit)),
  }
}

/** Returns the bot's changes, oldest first. */
export function statusChangesOf(botId: BotId): Work<StatusChange[]> {
  return sql`SELECT at_ms, state FROM status_changes WHERE bot_id = ${botId} ORDER BY at_ms`.rows()
}

/** Stores the changes, at most one per bot. If a bot then has too many, deletes its oldest ones. */
export function* recordStatusChanges(changed: readonly { botId: BotId; state: string; sinceMs: number }[]): Work<void> {
  yield* changesOfEach(
    changed.map(
      ({ botId, sinceMs, state }) => sql`INSERT INTO status_changes (bot_id, at_ms, state)
        VALUES (${botId}, ${sinceMs}, ${state}) ON CONFLICT (bot_id, at_ms) DO NOTHING`,
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
