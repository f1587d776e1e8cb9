import type { BotId, FlowId } from '../../../domain/ids.ts'
import * as limits from '../../../domain/limits/limits.ts'
import type { DeadLetterCount, HourlyCount } from '../../../domain/webhooks/event-log.ts'
import { type HourOfFlow, hourOf, UnflushedCounts } from '../../queue/queue-figures.ts'
import { raw, sql } from '../../sql/sql.ts'
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
      this.#file.commit(() => {
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
    return this.#noted.hours({ botId, flowId, sinceHour }, async () => {
      const ofFlow = flowId === undefined ? raw('') : sql`AND flow_id = ${flowId}`
      return this.#file.all(
        sql`SELECT hour, sum(accepted) AS accepted, sum(delivered) AS delivered, sum(failed) AS failed, sum(dead) AS dead
          FROM hourly_counts WHERE bot_id = ${botId} ${ofFlow} AND hour >= ${sinceHour} GROUP BY hour`,
      )
    })
  }

  deadLetters(botIds: readonly BotId[], sinceMs: number): Promise<DeadLetterCount[]> {
    const sinceHour = hourOf(sinceMs)
    return this.#noted.deadLetters({ botIds, sinceHour }, async () =>
      this.#file.all(
        sql`SELECT bot_id, flow_id, sum(dead) AS dead FROM hourly_counts
          WHERE bot_id IN (SELECT value FROM json_each(${JSON.stringify(botIds)})) AND hour >= ${sinceHour} AND dead > 0
          GROUP BY bot_id, flow_id`,
      ),
    )
  }

  async prune(nowMs: number, most: number): Promise<void> {
    const before = hourOf(nowMs - limits.hourlyCountsRetentionMs)
    const old = this.#file.all<{ botId: string; flowId: string; hour: number }>(
      sql`SELECT bot_id, flow_id, hour FROM hourly_counts WHERE hour < ${before} LIMIT ${most}`,
    )
    if (old.length === 0) return
    await this.#file.commit(() => {
      for (const { botId, flowId, hour } of old) {
        this.#file.run(
          sql`DELETE FROM hourly_counts WHERE bot_id = ${botId} AND flow_id = ${flowId} AND hour = ${hour}`,
        )
      }
    })
  }

  async discard(botId: BotId): Promise<void> {
    this.#noted.discard(botId)
    await this.#file.commit(() => this.#file.run(sql`DELETE FROM hourly_counts WHERE bot_id = ${botId}`))
  }

  #add({ botId, flowId, hour, figures: { accepted, delivered, failed, dead } }: HourOfFlow): void {
    this.#file.run(sql`INSERT INTO hourly_counts (bot_id, flow_id, hour, accepted, delivered, failed, dead)
         VALUES (${botId}, ${flowId}, ${hour}, ${accepted}, ${delivered}, ${failed}, ${dead})
         ON CONFLICT DO UPDATE SET accepted = accepted + excluded.accepted, delivered = delivered + excluded.delivered,
           failed = failed + excluded.failed, dead = dead + excluded.dead`)
  }
}
