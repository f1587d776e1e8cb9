import type { BotId } from '../../../domain/ids.ts'
import type { DedupeMark } from '../../../domain/webhooks/dedupe-mark.ts'
import type { SqliteFile } from '../sqlite-file.ts'

/** Statements on the `marks` table, which deduplicates webhooks. Must run inside `SqliteFile.write`. */
export class Marks {
  readonly #file: SqliteFile

  constructor(file: SqliteFile) {
    this.#file = file
  }

  /** Stores the mark. Returns false if the bot already has it and it has not expired. */
  add(botId: BotId, { digest, untilMs }: DedupeMark, nowMs: number): boolean {
    const { changes } = this.#file
      .statement(
        `INSERT INTO marks (bot_id, digest, until_ms) VALUES (?1, ?2, ?3)
         ON CONFLICT (bot_id, digest) DO UPDATE SET until_ms = ?3 WHERE until_ms <= ?4`,
      )
      .run(botId, digest, untilMs, nowMs)
    return changes === 1
  }

  /** Removes up to `most` expired marks. Returns the number removed. */
  prune(nowMs: number, most: number): number {
    const { changes } = this.#file
      .statement(
        `DELETE FROM marks WHERE (bot_id, digest) IN
           (SELECT bot_id, digest FROM marks WHERE until_ms <= ? ORDER BY until_ms LIMIT ?)`,
      )
      .run(nowMs, most)
    return Number(changes)
  }

  countOf(botId: BotId): number {
    return Number(this.#file.statement('SELECT count(*) AS marks FROM marks WHERE bot_id = ?').get(botId)?.marks)
  }

  /** Removes up to `most` of the bot's marks. Returns the number removed. */
  remove(botId: BotId, most: number): number {
    const { changes } = this.#file
      .statement(
        `DELETE FROM marks WHERE (bot_id, digest) IN
           (SELECT bot_id, digest FROM marks WHERE bot_id = ? LIMIT ?)`,
      )
      .run(botId, most)
    return Number(changes)
  }
}
