import type { BotId } from '../../../domain/ids.ts'
import type { DedupeMark } from '../../../domain/webhooks/dedupe-mark.ts'
import { sql } from '../../sql/sql.ts'
import type { SqliteFile } from '../sqlite-file.ts'

/** Statements on the `marks` table, which deduplicates webhooks. Must run inside `SqliteFile.commit`. */
export function newMarks(file: SqliteFile) {
  return {
    /** Stores the mark. Returns false if the bot already has it and it has not expired. */
    add(botId: BotId, { digest, untilMs }: DedupeMark, nowMs: number): boolean {
      const changes = file
        .statement(
          `INSERT INTO marks (bot_id, digest, until_ms, since_ms) VALUES (?1, ?2, ?3, ?4)
           ON CONFLICT (bot_id, digest) DO UPDATE SET until_ms = ?3, since_ms = ?4
             WHERE until_ms <= ?4 OR since_ms + ?3 - ?4 <= ?4`,
        )
        .run(botId, digest, untilMs, nowMs)
      return changes === 1
    },

    prune(nowMs: number, most: number): number {
      return file.run(
        sql`DELETE FROM marks WHERE (bot_id, digest) IN
          (SELECT bot_id, digest FROM marks WHERE until_ms <= ${nowMs} ORDER BY until_ms LIMIT ${most})`,
      )
    },

    countOf(botId: BotId): number {
      const marks = file.first<{ count: number }>(sql`SELECT count(*) AS count FROM marks WHERE bot_id = ${botId}`)
      return marks?.count ?? 0
    },

    remove(botId: BotId, most: number): number {
      return file.run(
        sql`DELETE FROM marks WHERE (bot_id, digest) IN
          (SELECT bot_id, digest FROM marks WHERE bot_id = ${botId} LIMIT ${most})`,
      )
    },
  }
}
