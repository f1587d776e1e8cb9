import type { BotId } from '../../../domain/ids.ts'
import type { RetentionLimits } from '../../../domain/limits/budget.ts'
import * as limits from '../../../domain/limits/limits.ts'
import {
  type Amount,
  excessOf,
  holdersAtOnce,
  lossesOf,
  measures,
  outboxPrefix,
  rowsPerTransaction,
  totalOf,
} from '../../queue/queue-figures.ts'
import { acceptedAtMsOf, firstNumberOf } from '../../queue/stored-events.ts'
import { advisoryLocks } from '../advisory-locks.ts'
import type { PostgresPool, Queries } from '../postgres-pool.ts'

export const finishedTables = ['queue_done', 'queue_dead'] as const
export type FinishedTable = (typeof finishedTables)[number]

const retentionMs = { queue_done: limits.acknowledgedRetentionMs, queue_dead: limits.deadLetterRetentionMs }

export const dayMs = 24 * 3_600_000
/** A bot's totals in a table of finished events. */
export interface KeptOfBot {
  botId: BotId
  keptEvents: number
  keptBytes: number
}

/** A number of removed events, with the bot's totals in the table after the removal. */
interface Removed extends Amount {
  removed: number
}

/**
 * Limits how many finished events are kept, per bot and across all bots, and for how long.
 *
 * Each day (UTC) of acceptance has a partition. An event past its retention period is hidden before its row is deleted,
 * which happens when the whole day's partition is dropped. If the totals across all bots are too large, the bots that
 * keep the most lose their oldest events.
 */
export class Retention {
  readonly #pool: PostgresPool
  readonly #limits: RetentionLimits
  readonly #trimming = new Map<string, Promise<void>>()

  constructor(pool: PostgresPool, kept: RetentionLimits = limits.finishedEventsKept) {
    this.#pool = pool
    this.#limits = kept
  }

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
      const keptFromMs = nowMs - retentionMs[table]
      await this.#pool.rows(hide, [keptIn(table), firstNumberOf(keptFromMs + 1)])
      const firstDay = Math.floor((keptFromMs + 1) / dayMs)
      for (const name of await partitionsOf(this.#pool, table)) {
        if (Number(name.split('_').at(-1)) < firstDay)
          await this.#dropPartition(table, name).catch((error) => faults.push(error))
      }
    }
    if (faults.length > 0) throw faults[0]
  }

  /** Trims those bots that now exceed their limits. If that fails, the next call retries. */
  trimBots(table: FinishedTable, finished: readonly KeptOfBot[]): void {
    for (const { botId, keptEvents: events, keptBytes: bytes } of finished) {
      const kept = { events, bytes }
      if (this.#excessOfBot(table, kept) !== undefined) {
        this.#once(`${table} ${botId}`, () => this.#trim(table, botId, kept))
      }
    }
  }

  /** Trims the bots that keep the most, until the totals are within their limits. If that fails, the next call retries. */
  async trimTotals(): Promise<void> {
    await Promise.all(finishedTables.map((table) => this.#once(table, () => this.#trimOverAll(table))))
  }

  async discard(botId: BotId, upTo: number): Promise<void> {
    for (const table of finishedTables) {
      const oldest = `SELECT number FROM ${table} WHERE bot_id = $1 AND number <= $3 ORDER BY number LIMIT $2`
      while (
        (await this.#remove(table, `ARRAY(${oldest})`, [botId, rowsPerTransaction, upTo])).removed ===
        rowsPerTransaction
      );
    }
  }

  async discardDead(botId: BotId, numbers: readonly number[]): Promise<number> {
    return (await this.#remove('queue_dead', '$2::bigint[]', [botId, numbers])).removed
  }

  async close(): Promise<void> {
    await Promise.all(this.#trimming.values())
  }

  #once(key: string, work: () => Promise<void>): Promise<void> {
    const running = this.#trimming.get(key)
    if (running !== undefined) return running
    const done = work()
      .catch(() => {})
      .finally(() => this.#trimming.delete(key))
    this.#trimming.set(key, done)
    return done
  }

  async #trim(table: FinishedTable, botId: BotId, kept: Amount): Promise<void> {
    for (let left = { ...kept, removed: 1 }; left.removed > 0; ) {
      const excess = this.#excessOfBot(table, left)
      if (excess === undefined) return
      left = await this.#removeOldest(table, botId, excess)
    }
  }

  async #trimOverAll(table: FinishedTable): Promise<void> {
    const limits = this.#limits[keptIn(table)]
    let removed: number
    do {
      removed = 0
      for (const { isOutbox, ...sum } of await this.#pool.rows<Amount & { isOutbox: boolean }>(sumsKept(table))) {
        const excess = excessOf(sum, totalOf(limits, isOutbox ? 'outboxes' : 'bots'))
        const measure = measures.find((each) => (excess?.[each] ?? 0) > 0)
        if (excess && measure) removed += await this.#trimLargest(table, isOutbox, measure, excess[measure])
      }
    } while (removed > 0)
  }

  async #trimLargest(table: FinishedTable, isOutbox: boolean, measure: keyof Amount, excess: number): Promise<number> {
    const bots = await this.#pool.rows<{ botId: BotId; amount: number }>(largestBots(table, measure), [
      isOutbox,
      holdersAtOnce,
    ])
    const losses = lossesOf(
      bots.map(({ amount }) => amount),
      excess,
    )
    let removed = 0
    for (const [at, { botId }] of bots.entries()) {
      const loss = { events: 0, bytes: 0, [measure]: losses[at] ?? 0 }
      // If one bot's events can't be deleted, the other bots' events still are.
      if (loss[measure] > 0) removed += (await this.#removeOldest(table, botId, loss).catch(() => nothing)).removed
    }
    return removed
  }

  /** Removes the bot's oldest events until the excess is gone, at most {@link rowsPerTransaction} of them. */
  #removeOldest(table: FinishedTable, botId: BotId, { events, bytes }: Amount): Promise<Removed> {
    return this.#remove(table, `ARRAY(${beyond(table)})`, [botId, rowsPerTransaction, events, bytes])
  }

  async #remove(table: FinishedTable, numbers: string, values: readonly unknown[]): Promise<Removed> {
    const [kept] = await this.#pool.rows<Removed>(removal(table, numbers), values)
    return kept ?? nothing
  }

  #excessOfBot(table: FinishedTable, kept: Amount): Amount | undefined {
    const { eventsPerBot: events, bytesPerBot: bytes } = this.#limits[keptIn(table)]
    return excessOf(kept, { events, bytes })
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

const nothing: Removed = { removed: 0, events: 0, bytes: 0 }

/** Returns a query for a bot's oldest events: as many as have $3 events or $4 bytes, rounded up, but at most $2. */
function beyond(table: FinishedTable): string {
  return `SELECT number FROM (
      SELECT number, row_number() OVER (ORDER BY number) - 1 AS events,
        sum(kept_bytes) OVER (ORDER BY number) - kept_bytes AS bytes
      FROM (SELECT number, kept_bytes FROM ${table} WHERE bot_id = $1 ORDER BY number LIMIT $2) AS oldest
    ) AS added_up WHERE events < $3::float8 OR bytes < $4::float8`
}

/** Returns a statement that deletes these events of the bot and subtracts them from its totals. */
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

const inOutbox = `starts_with(bot_id, '${outboxPrefix}')`

function sumsKept(table: FinishedTable): string {
  const kept = keptIn(table)
  return `SELECT ${inOutbox} AS "isOutbox", sum(${kept}_events)::bigint AS events, sum(${kept}_bytes)::bigint AS bytes
    FROM queue_left GROUP BY 1`
}

function largestBots(table: FinishedTable, measure: keyof Amount): string {
  const amount = `${keptIn(table)}_${measure}`
  return `SELECT bot_id AS "botId", ${amount} AS amount FROM queue_left WHERE ${amount} > 0 AND ${inOutbox} = $1
    ORDER BY ${amount} DESC LIMIT $2`
}

const lock = 'SELECT pg_advisory_xact_lock($1::bigint) IS NULL AS locked'
const hide = `INSERT INTO queue_shown AS known (kept, from_number) VALUES ($1, $2) ON CONFLICT (kept) DO UPDATE
    SET from_number = greatest(known.from_number, excluded.from_number)`
const partitions = `SELECT child.relname::text AS name FROM pg_inherits JOIN pg_class AS child ON child.oid = inhrelid
    WHERE inhparent = $1::text::regclass ORDER BY 1`
