import type { BotId } from '../../../domain/ids.ts'
import {
  acknowledgedKept,
  acknowledgedRetentionMs,
  deadLetterRetentionMs,
  deadLettersKept,
} from '../../../domain/limits/limits.ts'
import { acceptedAtMsOf, firstNumberOf } from '../../queue/event-number.ts'
import { advisoryLocks } from '../advisory-locks.ts'
import type { PostgresPool, Queries } from '../postgres-pool.ts'

export const finishedTables = ['queue_done', 'queue_dead'] as const
export type FinishedTable = (typeof finishedTables)[number]

const limits = {
  queue_done: { ...acknowledgedKept, ms: acknowledgedRetentionMs },
  queue_dead: { ...deadLettersKept, ms: deadLetterRetentionMs },
}

export const dayMs = 24 * 3_600_000
/** Maximum number of rows per transaction, so that other statements don't wait long for locks. */
export const rowsAtOnce = 500
/** Number of bots trimmed per round while the totals across all bots are too large. The largest are trimmed first. */
const botsAtOnce = 50

/** A bot's totals in a table of finished events. */
export interface KeptOfBot {
  botId: BotId
  keptEvents: number
  keptBytes: number
}

interface Removed {
  removed: number
  /** The bot's totals in the table after the removal. */
  events: number
  bytes: number
}

/**
 * Limits how many finished events are kept, per bot and across all bots, and for how long.
 *
 * Each day (UTC) of acceptance has a partition. An event past its retention period is hidden before its row is deleted,
 * which happens when the whole day's partition is dropped. If the totals across all bots are too large, the oldest
 * events of the bots that keep the most are deleted first.
 */
export class Retention {
  readonly #pool: PostgresPool
  readonly #trimming = new Map<string, Promise<void>>()

  constructor(pool: PostgresPool) {
    this.#pool = pool
  }

  /** Creates today's and tomorrow's partitions. */
  async makePartitionsAhead(nowMs: number): Promise<void> {
    await this.makePartitions([firstNumberOf(nowMs), firstNumberOf(nowMs + dayMs)])
  }

  /** Creates missing partitions for events with these numbers. If one can't be created, the others still are. */
  async makePartitions(numbers: readonly number[]): Promise<void> {
    const faults: unknown[] = []
    const days = new Set(numbers.map((number) => Math.floor(acceptedAtMsOf(number) / dayMs)))
    for (const table of finishedTables) {
      const there = await partitionsOf(this.#pool, table)
      for (const day of days) {
        if (there.includes(nameOf(table, day))) continue
        await this.#makePartition(table, day).catch((error) => faults.push(error))
      }
    }
    if (faults.length > 0) throw faults[0]
  }

  /** Hides events past their retention period, and drops partitions that contain nothing else. */
  async dropPartitions(nowMs: number): Promise<void> {
    const faults: unknown[] = []
    for (const table of finishedTables) {
      const keptFromMs = nowMs - limits[table].ms
      await this.#pool.rows(hide, [keptIn(table), firstNumberOf(keptFromMs + 1)])
      const firstDay = Math.floor((keptFromMs + 1) / dayMs)
      for (const name of await partitionsOf(this.#pool, table)) {
        if (dayOf(name) < firstDay) await this.#dropPartition(table, name).catch((error) => faults.push(error))
      }
    }
    if (faults.length > 0) throw faults[0]
  }

  /** Trims those bots that now exceed their limits. If that fails, the next call retries. */
  trimBots(table: FinishedTable, finished: readonly KeptOfBot[]): void {
    for (const { botId, keptEvents: events, keptBytes: bytes } of finished) {
      if (isOverLimits(table, { events, bytes })) this.#once(`${table} ${botId}`, () => this.#trim(table, botId))
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
    const [kept] = await this.#pool.rows<Removed>(removal('queue_dead', '$2::bigint[]'), [botId, numbers])
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
    for (;;) {
      const kept = await this.#removeOldest(table, botId)
      if (kept.removed === 0 || !isOverLimits(table, kept)) return
    }
  }

  async #trimOverAll(table: FinishedTable): Promise<void> {
    for (;;) {
      const [sum] = await this.#pool.rows<Omit<Removed, 'removed'>>(sumKept(table))
      if (sum === undefined || (sum.events <= limits[table].events && sum.bytes <= limits[table].bytes)) return
      let removed = 0
      for (const { botId } of await this.#pool.rows<{ botId: BotId }>(largestBots(table), [botsAtOnce])) {
        // If one bot's events can't be deleted, the other bots' events still are.
        const kept = await this.#removeOldest(table, botId).catch(() => undefined)
        removed += kept?.removed ?? 0
      }
      if (removed === 0) return
    }
  }

  async #removeOldest(table: FinishedTable, botId: BotId, upTo = Number.MAX_SAFE_INTEGER): Promise<Removed> {
    const oldest = `SELECT number FROM ${table} WHERE bot_id = $1 AND number <= $3 ORDER BY number LIMIT $2`
    const [kept] = await this.#pool.rows<Removed>(removal(table, `ARRAY(${oldest})`), [botId, rowsAtOnce, upTo])
    return kept ?? { removed: 0, events: 0, bytes: 0 }
  }

  async #makePartition(table: FinishedTable, day: number): Promise<void> {
    const name = nameOf(table, day)
    const [from, to] = [firstNumberOf(day * dayMs), firstNumberOf((day + 1) * dayMs)]
    await this.#pool.transaction(async (transaction) => {
      await transaction.rows(lock, [advisoryLocks.partitions])
      if ((await partitionsOf(transaction, table)).includes(name)) return
      // Create the partition as a separate table and attach it: `CREATE TABLE … PARTITION OF` would block reads and
      // writes.
      await transaction.execute(`CREATE TABLE ${name} (LIKE ${table} INCLUDING ALL)`)
      try {
        await transaction.execute(`ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES FROM (${from}) TO (${to})`)
      } catch (error) {
        const { code, message } = error as { code?: string; message?: string }
        if (code !== duplicateTable && code !== overlappingPartition) throw error
        throw new Error(`a worker has a partition that the coordinator lost (${message}); run gatehouse distribute`)
      }
    })
  }

  async #dropPartition(table: FinishedTable, name: string): Promise<void> {
    const kept = keptIn(table)
    await this.#pool.transaction(async (transaction) => {
      await transaction.rows(lock, [advisoryLocks.partitions])
      if (!(await partitionsOf(transaction, table)).includes(name)) return
      // Writes to the table wait behind this lock request, so it gives up quickly. The next pruning run retries.
      await transaction.execute("SET LOCAL lock_timeout = '500ms'")
      await transaction.execute(
        `WITH gone AS (SELECT bot_id, count(*) AS events, sum(kept_bytes) AS bytes FROM ${name} GROUP BY bot_id)
           UPDATE queue_left SET ${kept}_events = ${kept}_events - gone.events, ${kept}_bytes = ${kept}_bytes - gone.bytes
           FROM gone WHERE queue_left.bot_id = gone.bot_id`,
      )
      await transaction.execute(`DROP TABLE ${name}`)
    })
  }
}

/** Returns the table's short name, which is a column prefix in `queue_left` and a key in `queue_shown`. */
export function keptIn(table: FinishedTable): 'done' | 'dead' {
  return table === 'queue_done' ? 'done' : 'dead'
}

/** Returns an SQL condition for rows that are still within their retention period. */
export function isShown(table: FinishedTable): string {
  return `number >= coalesce((SELECT from_number FROM queue_shown WHERE kept = '${keptIn(table)}'), 0)`
}

/** SQLSTATEs from a Citus worker that has the partition, under the same name or under another one. */
const [duplicateTable, overlappingPartition] = ['42P07', '42P17']

async function partitionsOf(on: Queries, table: FinishedTable): Promise<string[]> {
  return (await on.rows<{ name: string }>(partitions, [table])).map(({ name }) => name)
}

/** @param day days since the epoch. */
function nameOf(table: FinishedTable, day: number): string {
  return `${table}_${day}`
}

function dayOf(name: string): number {
  return Number(name.split('_').at(-1))
}

function isOverLimits(table: FinishedTable, { events, bytes }: Omit<Removed, 'removed'>): boolean {
  return events > limits[table].eventsPerBot || bytes > limits[table].bytesPerBot
}

/**
 * Returns a statement that deletes the bot's events with the given numbers and subtracts them from the bot's totals.
 */
function removal(table: FinishedTable, numbers: string): string {
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

function sumKept(table: FinishedTable): string {
  const kept = keptIn(table)
  return `SELECT coalesce(sum(${kept}_events), 0)::bigint AS events, coalesce(sum(${kept}_bytes), 0)::bigint AS bytes
    FROM queue_left`
}

function largestBots(table: FinishedTable): string {
  const kept = keptIn(table)
  return `SELECT bot_id AS "botId" FROM queue_left WHERE ${kept}_events > 0 ORDER BY ${kept}_bytes DESC LIMIT $1`
}

const lock = 'SELECT pg_advisory_xact_lock($1::bigint) IS NULL AS locked'
const hide = `INSERT INTO queue_shown AS known (kept, from_number) VALUES ($1, $2) ON CONFLICT (kept) DO UPDATE
    SET from_number = greatest(known.from_number, excluded.from_number)`
const partitions = `SELECT child.relname::text AS name FROM pg_inherits JOIN pg_class AS child ON child.oid = inhrelid
    WHERE inhparent = $1::text::regclass ORDER BY 1`
