import type { BotId } from '../../../domain/ids.ts'
import { acknowledgedKept, deadLettersKept } from '../../../domain/limits/limits.ts'
import type { PostgresPool } from '../postgres-pool.ts'
import { type FinishedTable, finishedTables, keptIn } from './day-partitions.ts'
import type { Ended } from './endings.ts'

const mostKept: Record<FinishedTable, Record<keyof typeof deadLettersKept, number>> = {
  queue_done: acknowledgedKept,
  queue_dead: deadLettersKept,
}

/** Rows of one transaction, small enough that nobody waits for them. */
const rowsAtOnce = 500
/** Of so many bots that keep the most, some is removed when over all bots too much is kept. */
const botsAtOnce = 50

interface Kept {
  removed: number
  events: number
  bytes: number
}

/**
 * Keeps what is finished bounded by amount, per bot and over all; days that are over are dropped elsewhere. When over all bots
 * too much is kept, those that keep the most lose their oldest first.
 */
export class Retention {
  readonly #pool: PostgresPool
  readonly #trimming = new Map<string, Promise<void>>()

  constructor(pool: PostgresPool) {
    this.#pool = pool
  }

  /** Looks whether a bot of which events were just finished keeps too much by that. What fails is left for the next time. */
  look(table: FinishedTable, ended: readonly Ended[]): void {
    const { eventsPerBot, bytesPerBot } = mostKept[table]
    for (const { botId, keptEvents, keptBytes } of ended) {
      if (keptEvents > eventsPerBot || keptBytes > bytesPerBot)
        this.#once(`${table} ${botId}`, () => this.#trim(table, botId))
    }
  }

  /** Looks whether over all bots too much is kept. */
  lookOverAll(): void {
    for (const table of finishedTables) this.#once(table, () => this.#trimOverAll(table))
  }

  /** Removes the bot's finished events up to this number. */
  async discard(botId: BotId, upTo: number): Promise<void> {
    for (const table of finishedTables) while ((await this.#removeOldest(table, botId, upTo)).removed === rowsAtOnce);
  }

  /** Removes those that are dead letters of the bot; how many were. */
  async discardDead(botId: BotId, numbers: readonly number[]): Promise<number> {
    const [kept] = await this.#pool.rows<Kept>(removeDead, [botId, numbers])
    return kept?.removed ?? 0
  }

  /** Resolves once nothing is under way. */
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
    const { eventsPerBot, bytesPerBot } = mostKept[table]
    for (;;) {
      const { removed, events, bytes } = await this.#removeOldest(table, botId)
      if (removed === 0 || (events <= eventsPerBot && bytes <= bytesPerBot)) return
    }
  }

  async #trimOverAll(table: FinishedTable): Promise<void> {
    for (;;) {
      const [sum] = await this.#pool.rows<{ events: number; bytes: number }>(sumKept[table])
      if (sum === undefined || (sum.events <= mostKept[table].events && sum.bytes <= mostKept[table].bytes)) return
      const bots = await this.#pool.rows<{ bot_id: BotId }>(keepMost[table], [botsAtOnce])
      let removed = 0
      for (const { bot_id: botId } of bots) {
        // If one bot's events can't be removed, those of the other bots are removed instead.
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

/** Removes those of the bot ($1) with the numbers that a query names, and counts them out. */
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

function forEach(statementOf: (table: FinishedTable) => string): Record<FinishedTable, string> {
  return { queue_done: statementOf('queue_done'), queue_dead: statementOf('queue_dead') }
}

const removeDead = remove('queue_dead', '$2::bigint[]')
const removeOldest = forEach((table) =>
  remove(table, `ARRAY(SELECT number FROM ${table} WHERE bot_id = $1 AND number <= $3 ORDER BY number LIMIT $2)`),
)
const sumKept = forEach(
  (table) => `SELECT coalesce(sum(${keptIn(table)}_events), 0)::bigint AS events,
    coalesce(sum(${keptIn(table)}_bytes), 0)::bigint AS bytes FROM queue_left`,
)
const keepMost = forEach(
  (table) =>
    `SELECT bot_id FROM queue_left WHERE ${keptIn(table)}_events > 0 ORDER BY ${keptIn(table)}_bytes DESC LIMIT $1`,
)
