import type { BotId, FlowId } from '../../../domain/ids.ts'
import * as limits from '../../../domain/limits/limits.ts'
import type { DeadLetterCount, HourlyCount } from '../../../domain/webhooks/event-log.ts'
import { hourOf, type StoredHour, UnflushedCounts } from '../../queue/queue-figures.ts'
import type { PostgresPool } from '../postgres-pool.ts'
import { columnsOf } from './distribution.ts'
import { rowsAtOnce } from './retention.ts'

/** Hourly counts per flow. Each node collects counts in memory and adds them to shared rows when it flushes. */
export class PostgresCounts {
  readonly noted = new UnflushedCounts()
  readonly #pool: PostgresPool

  constructor(pool: PostgresPool) {
    this.#pool = pool
  }

  /** Stores the counts collected in memory. A count that can't be stored is kept for the next flush. */
  async flush(): Promise<void> {
    await this.noted.store(rowsAtOnce, async (batch) => {
      const rows = batch.map(({ figures, ...flow }) => ({ ...flow, ...figures }))
      const columns = columnsOf(rows, 'botId', 'flowId', 'hour', 'accepted', 'delivered', 'failed', 'dead')
      await this.#pool.rows(add, columns)
    })
  }

  /** Returns the counts for one flow, or for all flows if `undefined`, oldest first. Skips hours without events. */
  read(botId: BotId, flowId: FlowId | undefined, sinceMs: number): Promise<HourlyCount[]> {
    const sinceHour = hourOf(sinceMs)
    return this.noted.hours({ botId, flowId, sinceHour }, () =>
      this.#pool.rows<StoredHour>(read, [botId, flowId ?? null, sinceHour]),
    )
  }

  deadLetters(botIds: readonly BotId[], sinceMs: number): Promise<DeadLetterCount[]> {
    const sinceHour = hourOf(sinceMs)
    return this.noted.deadLetters({ botIds, sinceHour }, () =>
      this.#pool.rows<DeadLetterCount>(deadLetters, [botIds, sinceHour]),
    )
  }

  async prune(nowMs: number, most: number): Promise<void> {
    const before = hourOf(nowMs - limits.hourlyCountsRetentionMs)
    const bots = await this.#pool.rows<{ botId: BotId }>(botsBefore, [before, most])
    for (const { botId } of bots) await this.#pool.rows(prune, [botId, before])
  }

  async discard(botId: BotId): Promise<void> {
    this.noted.discard(botId)
    await this.#pool.rows(discard, [botId])
  }
}

const add = `INSERT INTO queue_hourly_counts AS known (bot_id, flow_id, hour, accepted, delivered, failed, dead)
    SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[])
    ORDER BY 1, 2, 3
    ON CONFLICT (bot_id, flow_id, hour) DO UPDATE SET accepted = known.accepted + excluded.accepted,
      delivered = known.delivered + excluded.delivered, failed = known.failed + excluded.failed,
      dead = known.dead + excluded.dead`
const read = `SELECT hour, sum(accepted)::bigint AS accepted, sum(delivered)::bigint AS delivered,
      sum(failed)::bigint AS failed, sum(dead)::bigint AS dead
    FROM queue_hourly_counts WHERE bot_id = $1 AND ($2::text IS NULL OR flow_id = $2) AND hour >= $3 GROUP BY hour`
const deadLetters = `SELECT bot_id AS "botId", flow_id AS "flowId", sum(dead)::bigint AS dead FROM queue_hourly_counts
    WHERE bot_id = ANY($1::text[]) AND hour >= $2 AND dead > 0 GROUP BY bot_id, flow_id`
const botsBefore = 'SELECT DISTINCT bot_id AS "botId" FROM queue_hourly_counts WHERE hour < $1 LIMIT $2'
const prune = 'DELETE FROM queue_hourly_counts WHERE bot_id = $1 AND hour < $2'
const discard = 'DELETE FROM queue_hourly_counts WHERE bot_id = $1'
