import type { BotId } from '../../../domain/ids-and-secrets.ts'
import type { RetentionLimits } from '../../../domain/limits/budget.ts'
import * as limits from '../../../domain/limits/limits.ts'
import {
  type Amount,
  excessOf,
  type FinishedState,
  finishedStates,
  holdersAtOnce,
  lossesOf,
  measures,
  outboxPrefix,
  retentionMs,
  rowsPerTransaction,
  totalOf,
} from '../../queue/queue-figures.ts'
import { acceptedAtMsOf, firstNumberOf } from '../../queue/stored-events.ts'
import { advisoryLocks } from '../advisory-locks.ts'
import type { PostgresPool, Queries } from '../postgres-pool.ts'

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
 * Limits how many finished events are kept, per bot and across all bots, and for how long. Each day (UTC) of acceptance
 * has a partition. An event past its retention period is hidden until the whole day's partition is dropped. If the
 * totals across all bots are too large, the bots that keep the most lose their oldest events.
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
    for (const state of finishedStates) {
      const there = await partitionsOf(this.#pool, state)
      for (const day of days) {
        if (there.includes(nameOf(state, day))) continue
        await this.#makePartition(state, day).catch((error) => faults.push(error))
      }
    }
    if (faults.length > 0) throw faults[0]
  }

  /** Hides events past their retention period, and drops partitions that contain nothing else. */
  async dropPartitions(nowMs: number): Promise<void> {
    const faults: unknown[] = []
    for (const state of finishedStates) {
      const keptFromMs = nowMs - retentionMs[state]
      await this.#pool.rows(hide, [state, firstNumberOf(keptFromMs + 1)])
      const firstDay = Math.floor((keptFromMs + 1) / dayMs)
      for (const name of await partitionsOf(this.#pool, state)) {
        if (Number(name.split('_').at(-1)) < firstDay)
          await this.#dropPartition(state, name).catch((error) => faults.push(error))
      }
    }
    if (faults.length > 0) throw faults[0]
  }

  /** Trims those bots that now exceed their limits. If that fails, the next call retries. */
  trimBots(state: FinishedState, finished: readonly KeptOfBot[]): void {
    for (const { botId, keptEvents: events, keptBytes: bytes } of finished) {
      const kept = { events, bytes }
      if (this.#excessOfBot(state, kept) !== undefined) {
        this.#once(`${state} ${botId}`, () => this.#trim(state, botId, kept))
      }
    }
  }

  /** Trims the bots that keep the most, until the totals are within their limits. If that fails, the next call retries. */
  async trimTotals(): Promise<void> {
    await Promise.all(finishedStates.map((state) => this.#once(state, () => this.#trimOverAll(state))))
  }

  async discard(botId: BotId, upTo: number): Promise<void> {
    for (const state of finishedStates) {
      const oldest = `SELECT number FROM queue_${state} WHERE bot_id = $1 AND number <= $3 ORDER BY number LIMIT $2`
      while (
        (await this.#remove(state, `ARRAY(${oldest})`, [botId, rowsPerTransaction, upTo])).removed ===
        rowsPerTransaction
      );
    }
  }

  async discardDead(botId: BotId, numbers: readonly number[]): Promise<number> {
    return (await this.#remove('dead', '$2::bigint[]', [botId, numbers])).removed
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

  async #trim(state: FinishedState, botId: BotId, kept: Amount): Promise<void> {
    for (let left = { ...kept, removed: 1 }; left.removed > 0; ) {
      const excess = this.#excessOfBot(state, left)
      if (excess === undefined) return
      left = await this.#removeOldest(state, botId, excess)
    }
  }

  async #trimOverAll(state: FinishedState): Promise<void> {
    const limits = this.#limits[state]
    let removed: number
    do {
      removed = 0
      for (const { isOutbox, ...sum } of await this.#pool.rows<Amount & { isOutbox: boolean }>(sumsKept(state))) {
        const excess = excessOf(sum, totalOf(limits, isOutbox ? 'outboxes' : 'bots'))
        const measure = measures.find((each) => (excess?.[each] ?? 0) > 0)
        if (excess && measure) removed += await this.#trimLargest(state, isOutbox, measure, excess[measure])
      }
    } while (removed > 0)
  }

  async #trimLargest(state: FinishedState, isOutbox: boolean, measure: keyof Amount, excess: number): Promise<number> {
    const bots = await this.#pool.rows<{ botId: BotId; amount: number }>(largestBots(state, measure), [
      isOutbox,
      holdersAtOnce,
    ])
    let removed = 0
    for (const { botId, loss } of lossesOf(bots, measure, excess)) {
      // If one bot's events can't be deleted, the other bots' events still are.
      removed += (await this.#removeOldest(state, botId, loss).catch(() => nothing)).removed
    }
    return removed
  }

  /** Removes the bot's oldest events until the excess is gone, at most {@link rowsPerTransaction} of them. */
  #removeOldest(state: FinishedState, botId: BotId, { events, bytes }: Amount): Promise<Removed> {
    return this.#remove(state, `ARRAY(${beyond(state)})`, [botId, rowsPerTransaction, events, bytes])
  }

  async #remove(state: FinishedState, numbers: string, values: readonly unknown[]): Promise<Removed> {
    const [kept] = await this.#pool.rows<Removed>(removal(state, numbers), values)
    return kept ?? nothing
  }

  #excessOfBot(state: FinishedState, kept: Amount): Amount | undefined {
    const { eventsPerBot: events, bytesPerBot: bytes } = this.#limits[state]
    return excessOf(kept, { events, bytes })
  }

  async #makePartition(state: FinishedState, day: number): Promise<void> {
    const name = nameOf(state, day)
    const [from, to] = [firstNumberOf(day * dayMs), firstNumberOf((day + 1) * dayMs)]
    await this.#pool.transaction(async (transaction) => {
      await transaction.rows(becomeOwner, [`queue_${state}`])
      await transaction.rows(lock, [advisoryLocks.partitions])
      if ((await partitionsOf(transaction, state)).includes(name)) return
      // Create the partition as a separate table and attach it: `CREATE TABLE … PARTITION OF` would block reads and
      // writes.
      await transaction.execute(`CREATE TABLE ${name} (LIKE queue_${state} INCLUDING ALL)`)
      try {
        await transaction.execute(
          `ALTER TABLE queue_${state} ATTACH PARTITION ${name} FOR VALUES FROM (${from}) TO (${to})`,
        )
      } catch (error) {
        const { code, message } = error as { code?: string; message?: string }
        if (code !== duplicateTable && code !== overlappingPartition) throw error
        throw new Error(`a worker has a partition that the coordinator lost (${message}); run gatehouse distribute`)
      }
    })
  }

  async #dropPartition(state: FinishedState, name: string): Promise<void> {
    await this.#pool.transaction(async (transaction) => {
      await transaction.rows(lock, [advisoryLocks.partitions])
      if (!(await partitionsOf(transaction, state)).includes(name)) return
      // Writes to the table wait behind this lock request, so it gives up quickly. The next pruning run retries.
      await transaction.execute("SET LOCAL lock_timeout = '500ms'")
      await transaction.execute(
        `WITH gone AS (SELECT bot_id, count(*) AS events, sum(kept_bytes) AS bytes FROM ${name} GROUP BY bot_id)
           UPDATE queue_left SET ${state}_events = ${state}_events - gone.events, ${state}_bytes = ${state}_bytes - gone.bytes
           FROM gone WHERE queue_left.bot_id = gone.bot_id`,
      )
      await transaction.execute(`DROP TABLE ${name}`)
    })
  }
}

/** Returns an SQL condition for rows that are still within their retention period. */
export function isShown(state: FinishedState): string {
  return `number >= coalesce((SELECT from_number FROM queue_shown WHERE kept = '${state}'), 0)`
}

/** SQLSTATEs from a Citus worker that has the partition, under the same name or under another one. */
const [duplicateTable, overlappingPartition] = ['42P07', '42P17']

async function partitionsOf(on: Queries, state: FinishedState): Promise<string[]> {
  return (await on.rows<{ name: string }>(partitions, [`queue_${state}`])).map(({ name }) => name)
}

/** @param day days since the epoch. */
function nameOf(state: FinishedState, day: number): string {
  return `queue_${state}_${day}`
}

const nothing: Removed = { removed: 0, events: 0, bytes: 0 }

/** Returns a query for a bot's oldest events: as many as have $3 events or $4 bytes, rounded up, but at most $2. */
function beyond(state: FinishedState): string {
  return `SELECT number FROM (
      SELECT number, row_number() OVER (ORDER BY number) - 1 AS events,
        sum(kept_bytes) OVER (ORDER BY number) - kept_bytes AS bytes
      FROM (SELECT number, kept_bytes FROM queue_${state} WHERE bot_id = $1 ORDER BY number LIMIT $2) AS oldest
    ) AS added_up WHERE events < $3::float8 OR bytes < $4::float8`
}

/** Returns a statement that deletes these events of the bot and subtracts them from its totals. */
function removal(state: FinishedState, numbers: string): string {
  return `
    WITH gone AS (
      DELETE FROM queue_${state} WHERE bot_id = $1 AND number = ANY (${numbers}) RETURNING kept_bytes
    ), sum AS (
      SELECT count(*) AS events, coalesce(sum(kept_bytes), 0) AS bytes FROM gone
    )
    UPDATE queue_left SET ${state}_events = ${state}_events - sum.events, ${state}_bytes = ${state}_bytes - sum.bytes
    FROM sum WHERE bot_id = $1
    RETURNING sum.events::integer AS removed, ${state}_events AS events, ${state}_bytes AS bytes`
}

const inOutbox = `starts_with(bot_id, '${outboxPrefix}')`

function sumsKept(state: FinishedState): string {
  return `SELECT ${inOutbox} AS "isOutbox", sum(${state}_events)::bigint AS events, sum(${state}_bytes)::bigint AS bytes
    FROM queue_left GROUP BY 1`
}

function largestBots(state: FinishedState, measure: keyof Amount): string {
  const amount = `${state}_${measure}`
  return `SELECT bot_id AS "botId", ${amount} AS amount FROM queue_left WHERE ${amount} > 0 AND ${inOutbox} = $1
    ORDER BY ${amount} DESC LIMIT $2`
}

/** Only their owner can drop partitions. `gatehouse distribute` can run as a superuser. */
const becomeOwner = `SELECT set_config('role', pg_get_userbyid(relowner), true) AS owner FROM pg_class
    WHERE oid = $1::text::regclass`
const lock = 'SELECT pg_advisory_xact_lock($1::bigint) IS NULL AS locked'
const hide = `INSERT INTO queue_shown (kept, from_number) VALUES ($1, $2) ON CONFLICT (kept) DO UPDATE
    SET from_number = excluded.from_number`
const partitions = `SELECT child.relname::text AS name FROM pg_inherits JOIN pg_class AS child ON child.oid = inhrelid
    WHERE inhparent = $1::text::regclass ORDER BY 1`
