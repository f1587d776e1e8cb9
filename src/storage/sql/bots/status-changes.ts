import type { StatusChange, StatusChangeStore } from '../../../domain/bots/status/incidents.ts'
import type { BotId } from '../../../domain/ids.ts'
import * as limits from '../../../domain/limits/limits.ts'
import { changes, changesOfEach, type Database, rows, type Work } from '../database.ts'

export function sqlStatusChanges(database: Database): StatusChangeStore {
  return {
    changesOf: (botId) => database.read(() => statusChangesOf(botId)),

    prune: (atMs, limit) =>
      database.write({}, () =>
        changes(
          `DELETE FROM status_changes WHERE (bot_id, at_ms) IN
             (SELECT bot_id, at_ms FROM status_changes WHERE at_ms < ? LIMIT ?)`,
          atMs,
          limit,
        ),
      ),
  }
}

const trim = `DELETE FROM status_changes WHERE bot_id = ?1 AND at_ms <=
  (SELECT at_ms FROM status_changes WHERE bot_id = ?1 ORDER BY at_ms DESC LIMIT 1 OFFSET ${limits.statusChangesPerBot})`

/** Returns the bot's changes, oldest first. */
export function* statusChangesOf(botId: BotId): Work<StatusChange[]> {
  const found = yield* rows<{ atMs: number; state: StatusChange['state'] }>(
    'SELECT at_ms, state FROM status_changes WHERE bot_id = ? ORDER BY at_ms',
    botId,
  )
  return found.map(({ atMs, state }) => ({ atMs, state }))
}

/** Stores the changes, at most one per bot. If a bot then has too many, deletes its oldest ones. */
export function* recordStatusChanges(changed: readonly { botId: BotId; state: string; sinceMs: number }[]): Work<void> {
  yield* changesOfEach(
    'INSERT INTO status_changes (bot_id, at_ms, state) VALUES (?, ?, ?) ON CONFLICT (bot_id, at_ms) DO NOTHING',
    changed.map(({ botId, sinceMs, state }) => [botId, sinceMs, state]),
  )
  yield* changesOfEach(
    trim,
    changed.map(({ botId }) => [botId]),
  )
}
