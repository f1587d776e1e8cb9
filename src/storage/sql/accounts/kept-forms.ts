import type { KeptFormStore } from '../../../domain/accounts/kept-forms.ts'
import { changes, type Database, firstRow } from '../database.ts'

/** Stores forms that users submitted after their session had ended. */
export function sqlKeptForms(database: Database): KeptFormStore {
  return {
    keep: ({ id, userId, sealed, expiresAtMs }, atMost) =>
      database.write({ row: `user ${userId}` }, function* () {
        const kept = yield* changes(
          `INSERT INTO kept_forms (id, user_id, sealed, expires_at_ms)
           SELECT ?, id, ?, CAST(? AS BIGINT) FROM users WHERE id = ?`,
          id,
          sealed,
          expiresAtMs,
          userId,
        )
        yield* changes(
          `DELETE FROM kept_forms WHERE id IN
             (SELECT id FROM kept_forms WHERE user_id = ? AND id <> ?
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
          'SELECT sealed FROM kept_forms WHERE id = ? AND user_id = ? AND expires_at_ms > ?',
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
          `DELETE FROM kept_forms WHERE id IN
             (SELECT id FROM kept_forms WHERE expires_at_ms <= ? ORDER BY expires_at_ms LIMIT ?)`,
          nowMs,
          atMost,
        ),
      ),
  }
}
