import type { BotId, FlowId } from '../../../domain/ids.ts'
import * as limits from '../../../domain/limits/limits.ts'
import type { DeadLetterCount, HourlyCount } from '../../../domain/webhooks/event-log.ts'
import { type HourOfFlow, hourOf, type StoredHour, UnflushedCounts } from '../../queue/unflushed-counts.ts'
import type { SqliteFile } from '../sqlite-file.ts'
import { rowsPerTransaction } from './retention.ts'

/**
 * Counts events per flow and hour. Counts are collected in memory and flushed periodically. A crash loses the counts
 * since the last flush, but no events.
 */
export class HourlyCounts {
  readonly #file: SqliteFile
  readonly #noted = new UnflushedCounts()

  constructor(file: SqliteFile) {
    this.#file = file
  }

  note(...noted: Parameters<UnflushedCounts['note']>): void {
    this.#noted.note(...noted)
  }

  /** Writes the counts collected so far. Counts that can't be written stay in memory. */
  flush(): Promise<void> {
    return this.#noted.store(rowsPerTransaction, (batch) =>
      this.#file.write(() => {
        for (const each of batch) this.#add(each)
      }),
    )
  }

  /**
   * Returns the counts for each hour in which something happened, oldest first.
   *
   * @param flowId `undefined` means every flow.
   */
  read(botId: BotId, flowId: FlowId | undefined, sinceMs: number): Promise<HourlyCount[]> {
    const sinceHour = hourOf(sinceMs)
    const statement = this.#file.statement(
      `SELECT hour, sum(accepted) AS accepted, sum(delivered) AS delivered, sum(failed) AS failed, sum(dead) AS dead
       FROM hourly_counts WHERE bot_id = ?1 AND (?2 IS NULL OR flow_id = ?2) AND hour >= ?3 GROUP BY hour`,
    )
    return this.#noted.hours(
      { botId, flowId, sinceHour },
      async () => statement.all(botId, flowId ?? null, sinceHour) as unknown[] as StoredHour[],
    )
  }

  deadLetters(botIds: readonly BotId[], sinceMs: number): Promise<DeadLetterCount[]> {
    const sinceHour = hourOf(sinceMs)
    const statement = this.#file.statement(
      `SELECT bot_id AS botId, flow_id AS flowId, sum(dead) AS dead FROM hourly_counts
       WHERE bot_id IN (SELECT value FROM json_each(?)) AND hour >= ? AND dead > 0 GROUP BY bot_id, flow_id`,
    )
    return this.#noted.deadLetters(
      { botIds, sinceHour },
      async () => statement.all(JSON.stringify(botIds), sinceHour) as unknown[] as DeadLetterCount[],
    )
  }

  /** Removes up to `most` rows that are past their retention period. */
  async prune(nowMs: number, most: number): Promise<void> {
    const before = hourOf(nowMs - limits.hourlyCountsRetentionMs)
    const old: unknown[] = this.#file
      .statement('SELECT bot_id, flow_id, hour FROM hourly_counts WHERE hour < ? LIMIT ?')
      .all(before, most)
    if (old.length === 0) return
    const remove = this.#file.statement('DELETE FROM hourly_counts WHERE bot_id = ? AND flow_id = ? AND hour = ?')
    await this.#file.write(() => {
      for (const { botId, flowId, hour } of old as { botId: string; flowId: string; hour: number }[]) {
        remove.run(botId, flowId, hour)
      }
    })
  }

  /** Removes the bot's counts, both stored and unflushed. */
  async discard(botId: BotId): Promise<void> {
    this.#noted.discard(botId)
    await this.#file.write(() => this.#file.statement('DELETE FROM hourly_counts WHERE bot_id = ?').run(botId))
  }

  #add({ botId, flowId, hour, figures: { accepted, delivered, failed, dead } }: HourOfFlow): void {
    this.#file
      .statement(
        `INSERT INTO hourly_counts (bot_id, flow_id, hour, accepted, delivered, failed, dead)
         VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET accepted = accepted + excluded.accepted, delivered = delivered + excluded.delivered,
           failed = failed + excluded.failed, dead = dead + excluded.dead`,
      )
      .run(botId, flowId, hour, accepted, delivered, failed, dead)
  }
}
