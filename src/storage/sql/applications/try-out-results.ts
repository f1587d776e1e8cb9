import type { TryOutResultStore } from '../../../domain/applications/try-out-results.ts'
import { changes, type Database, firstRow } from '../database.ts'

export function sqlTryOutResults(database: Database): TryOutResultStore {
  return {
    keep: ({ id, userId, sealed, expiresAtMs }, atMost) =>
      database.write({ row: `user ${userId}` }, function* () {
        const kept = yield* changes(
          `INSERT INTO try_out_results (id, user_id, sealed, expires_at_ms)
           SELECT ?, id, ?, CAST(? AS BIGINT) FROM users WHERE id = ?`,
          id,
          sealed,
          expiresAtMs,
          userId,
        )
        yield* changes(
          `DELETE FROM try_out_results WHERE id IN
             (SELECT id FROM try_out_results WHERE user_id = ? AND id <> ?
              ORDER BY expires_at_ms DESC, id LIMIT 1000 OFFSET ?)`,
          userId,
          id,
          atMost - 1,
        )
        return kept === 1
      }),

    async find(id, userId, nowMs) {
      const row = await database.read(() =>
        firstRow<{ sealed: Uint8Array }>(
          'SELECT sealed FROM try_out_results WHERE id = ? AND user_id = ? AND expires_at_ms > ?',
          id,
          userId,
          nowMs,
        ),
      )
      return row?.sealed
    },

    deleteExpired: (nowMs, atMost) =>
      database.write({}, () =>
        changes(
          `DELETE FROM try_out_results WHERE id IN
             (SELECT id FROM try_out_results WHERE expires_at_ms <= ? ORDER BY expires_at_ms LIMIT ?)`,
          nowMs,
          atMost,
        ),
      ),
  }
}
