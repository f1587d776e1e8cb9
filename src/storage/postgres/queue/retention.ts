import type { BotId } from '../../../domain/ids.ts'
import { acknowledgedKept, deadLettersKept } from '../../../domain/limits/limits.ts'
import type { PostgresPool } from '../postgres-pool.ts'
import { type FinishedTable, finishedTables, keptIn } from './day-partitions.ts'
import type { FinishedEvent } from './finishing.ts'

const limits: Record<FinishedTable, Record<keyof typeof deadLettersKept, number>> = {
  queue_done: acknowledgedKept,
  queue_dead: deadLettersKept,
}

/** Maximum number of rows per transaction, so that other statements don't wait long for locks. */
const rowsAtOnce = 500
/** Number of bots trimmed per round while the totals across all bots are too large. The largest are trimmed first. */
const botsAtOnce = 50

interface Kept {
  removed: number
  events: number
  bytes: number
}

/**
 * Limits how many finished events are kept, per bot and across all bots; {@link DayPartitions} limits their age. If the
 * totals across all bots are too large, the oldest events of the bots that keep the most are deleted first.
 */
export class Retention {
  readonly #pool: PostgresPool
  readonly #trimming = new Map<string, Promise<void>>()

  constructor(pool: PostgresPool) {
    this.#pool = pool
  }

  /** Trims those bots that now exceed their limits. If that fails, the next call retries. */
  trimBots(table: FinishedTable, finished: readonly FinishedEvent[]): void {
    const { eventsPerBot, bytesPerBot } = limits[table]
    for (const { botId, keptEvents, keptBytes } of finished) {
      if (keptEvents > eventsPerBot || keptBytes > bytesPerBot)
        this.#once(`${table} ${botId}`, () => this.#trim(table, botId))
    }
  }

  trimTotals(): void {
    for (const table of finishedTables) this.#once(table, () => this.#trimOverAll(table))
  }

  /** Removes the bot's finished events up to this number. */
  async discard(botId: BotId, upTo: number): Promise<void> {
    for (const table of finishedTables) while ((await this.#removeOldest(table, botId, upTo)).removed === rowsAtOnce);
  }

  async discardDead(botId: BotId, numbers: readonly number[]): Promise<number> {
    const [kept] = await this.#pool.rows<Kept>(removeDead, [botId, numbers])
    return kept?.removed ?? 0
  }

  async close(): Promise<void> {
    await Promise.all(this.#trimming.values())
  }

  #once(key: string, work: () => Promise<void>): void {
    if (this.#trimming.has(key)) return
    const done = work()
      .catch(() => {})
      .finally(() => this.#trimming.delete(key))
    this.#trimming.set(key, done)
  }

  async #trim(table: FinishedTable, botId: BotId): Promise<void> {
    const { eventsPerBot, bytesPerBot } = limits[table]
    for (;;) {
      const { removed, events, bytes } = await this.#removeOldest(table, botId)
      if (removed === 0 || (events <= eventsPerBot && bytes <= bytesPerBot)) return
    }
  }

  async #trimOverAll(table: FinishedTable): Promise<void> {
    for (;;) {
      const [sum] = await this.#pool.rows<{ events: number; bytes: number }>(sumKept[table])
      if (sum === undefined || (sum.events <= limits[table].events && sum.bytes <= limits[table].bytes)) return
      const bots = await this.#pool.rows<{ bot_id: BotId }>(largestBots[table], [botsAtOnce])
      let removed = 0
      for (const { bot_id: botId } of bots) {
        // If one bot's events can't be deleted, the other bots' events still are.
        removed += await this.#removeOldest(table, botId).then(
          (kept) => kept.removed,
          () => 0,
        )
      }
      if (removed === 0) return
    }
  }

  async #removeOldest(table: FinishedTable, botId: BotId, upTo = Number.MAX_SAFE_INTEGER): Promise<Kept> {
    const [kept] = await this.#pool.rows<Kept>(removeOldest[table], [botId, rowsAtOnce, upTo])
    return kept ?? { removed: 0, events: 0, bytes: 0 }
  }
}

/**
 * Returns a statement that deletes the bot's events with the given numbers and subtracts them from the bot's totals.
 */
function remove(table: FinishedTable, numbers: string): string {
  const kept = keptIn(table)
  return `
    WITH gone AS (
      DELETE FROM ${table} WHERE bot_id = $1 AND number = ANY (${numbers}) RETURNING kept_bytes
    ), sum AS (
      SELECT count(*) AS events, coalesce(sum(kept_bytes), 0) AS bytes FROM gone
    )
    UPDATE queue_left SET ${kept}_events = ${kept}_events - sum.events, ${kept}_bytes = ${kept}_bytes - sum.bytes
    FROM sum WHERE bot_id = $1
    RETURNING sum.events::integer AS removed, ${kept}_events AS events, ${kept}_bytes AS bytes`
}

function perTable(statementOf: (table: FinishedTable) => string): Record<FinishedTable, string> {
  return { queue_done: statementOf('queue_done'), queue_dead: statementOf('queue_dead') }
}

const removeDead = remove('queue_dead', '$2::bigint[]')
const removeOldest = perTable((table) =>
  remove(table, `ARRAY(SELECT number FROM ${table} WHERE bot_id = $1 AND number <= $3 ORDER BY number LIMIT $2)`),
)
const sumKept = perTable(
  (table) => `SELECT coalesce(sum(${keptIn(table)}_events), 0)::bigint AS events,
    coalesce(sum(${keptIn(table)}_bytes), 0)::bigint AS bytes FROM queue_left`,
)
const largestBots = perTable(
  (table) =>
    `SELECT bot_id FROM queue_left WHERE ${keptIn(table)}_events > 0 ORDER BY ${keptIn(table)}_bytes DESC LIMIT $1`,
)
