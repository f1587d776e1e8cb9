import type { TryOutResultStore } from '../../../domain/applications/try-out-results.ts'
import { type Database, prune } from '../database.ts'
import { sql } from '../sql.ts'

export function sqlTryOutResults(database: Database): TryOutResultStore {
  return {
    keep: ({ id, userId, sealed, expiresAtMs }, atMost) =>
      database.write({ row: `user ${userId}` }, function* () {
        const kept = yield* sql`INSERT INTO try_out_results (id, user_id, sealed, expires_at_ms)
           SELECT ${id}, id, ${sealed}, CAST(${expiresAtMs} AS BIGINT) FROM users WHERE id = ${userId}`.changes()
        yield* sql`DELETE FROM try_out_results WHERE id IN
             (SELECT id FROM try_out_results WHERE user_id = ${userId} AND id <> ${id}
              ORDER BY expires_at_ms DESC, id LIMIT 1000 OFFSET ${atMost - 1})`.changes()
        return kept === 1
      }),

    async find(id, userId, nowMs) {
      const row = await database.read(() =>
        sql`SELECT sealed FROM try_out_results
          WHERE id = ${id} AND user_id = ${userId} AND expires_at_ms > ${nowMs}`.first<{ sealed: Uint8Array }>(),
      )
      return row?.sealed
    },

    deleteExpired: (nowMs, atMost) =>
      prune(database, 'try_out_results', 'id', sql`expires_at_ms <= ${nowMs} ORDER BY expires_at_ms`, atMost),
  }
}
