import { acknowledgedRetentionMs, deadLetterRetentionMs } from '../../../domain/limits/limits.ts'
import { acceptedAtMsOf, firstNumberOf } from '../../queue/event-number.ts'
import { advisoryLocks } from '../advisory-locks.ts'
import type { PostgresPool, Transaction } from '../postgres-pool.ts'

export const finishedTables = ['queue_done', 'queue_dead'] as const
export type FinishedTable = (typeof finishedTables)[number]

const retentionMs: Record<FinishedTable, number> = {
  queue_done: acknowledgedRetentionMs,
  queue_dead: deadLetterRetentionMs,
}

const dayMs = 24 * 3_600_000

/**
 * Manages the partitions of finished events, one per day (UTC) of acceptance. An event past its retention period is
 * hidden before its row is deleted, which happens when the whole day's partition is dropped.
 */
export class DayPartitions {
  readonly #pool: PostgresPool

  constructor(pool: PostgresPool) {
    this.#pool = pool
  }

  async makeAhead(nowMs: number): Promise<void> {
    await this.makeFor([firstNumberOf(nowMs), firstNumberOf(nowMs + dayMs)])
  }

  /** Creates missing partitions for events with these numbers. */
  async makeFor(numbers: readonly number[]): Promise<void> {
    const days = new Set(numbers.map((number) => Math.floor(acceptedAtMsOf(number) / dayMs)))
    await this.#pool.transaction(async (transaction) => {
      await transaction.rows(lock, [advisoryLocks.partitions])
      for (const table of finishedTables) {
        const there = new Set((await transaction.rows<{ name: string }>(partitions, [table])).map(({ name }) => name))
        for (const day of days) if (!there.has(nameOf(table, day))) await make(transaction, table, day)
      }
    })
  }

  /** Hides events past their retention period, and drops partitions that contain nothing else. */
  async drop(nowMs: number): Promise<void> {
    const faults: unknown[] = []
    for (const table of finishedTables) {
      const keptFromMs = nowMs - retentionMs[table]
      await this.#pool.rows(hide, [keptIn(table), firstNumberOf(keptFromMs + 1)])
      const names = await this.#pool.rows<{ name: string }>(partitions, [table])
      const firstDay = Math.floor((keptFromMs + 1) / dayMs)
      for (const { name } of names) {
        if (dayOf(name) < firstDay) await this.#dropOne(table, name).catch((error) => faults.push(error))
      }
    }
    if (faults.length > 0) throw faults[0]
  }

  async #dropOne(table: FinishedTable, name: string): Promise<void> {
    const kept = keptIn(table)
    await this.#pool.transaction(async (transaction) => {
      await transaction.rows(lock, [advisoryLocks.partitions])
      if (!(await transaction.rows<{ name: string }>(partitions, [table])).some((each) => each.name === name)) return
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

async function make(transaction: Transaction, table: FinishedTable, day: number): Promise<void> {
  const name = nameOf(table, day)
  const [from, to] = [firstNumberOf(day * dayMs), firstNumberOf((day + 1) * dayMs)]
  // Create the partition as a separate table and attach it: `CREATE TABLE … PARTITION OF` would block reads and writes.
  await transaction.execute(`CREATE TABLE ${name} (LIKE ${table} INCLUDING ALL)`)
  await transaction.execute(`ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES FROM (${from}) TO (${to})`)
}

/** Returns the table's short name, which is a column prefix in `queue_left` and a key in `queue_shown`. */
export function keptIn(table: FinishedTable): 'done' | 'dead' {
  return table === 'queue_done' ? 'done' : 'dead'
}

/** Returns an SQL condition for rows that are still within their retention period. */
export function isShown(table: FinishedTable): string {
  return `number >= coalesce((SELECT from_number FROM queue_shown WHERE kept = '${keptIn(table)}'), 0)`
}

/** @param day days since the epoch. */
function nameOf(table: FinishedTable, day: number): string {
  return `${table}_${day}`
}

function dayOf(name: string): number {
  return Number(name.split('_').at(-1))
}

const lock = 'SELECT pg_advisory_xact_lock($1::bigint) IS NULL AS locked'
const hide = `INSERT INTO queue_shown AS known (kept, from_number) VALUES ($1, $2) ON CONFLICT (kept) DO UPDATE
    SET from_number = greatest(known.from_number, excluded.from_number)`
const partitions = `SELECT child.relname::text AS name FROM pg_inherits JOIN pg_class AS child ON child.oid = inhrelid
    WHERE inhparent = $1::text::regclass ORDER BY 1`
