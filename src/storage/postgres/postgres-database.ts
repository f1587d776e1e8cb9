import { ConcurrencyLimit } from '../../domain/concurrency-limit.ts'
import { StoreUnavailable } from '../../domain/store-unavailable.ts'
import { recorded } from '../sql/audit.ts'
import type { Database, WriteOptions } from '../sql/database.ts'
import { changesOfEach, type SqlValue, type Statement, type StatementResult, type Work } from '../sql/work.ts'
import { PostgresPool, type Transaction } from './postgres-pool.ts'
import type { Primary } from './primary.ts'
import { RowWrites } from './row-writes.ts'
import { storable } from './storable.ts'

/** Begins a transaction whose statements all see the same snapshot. */
export const beginSnapshot = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'

export interface PostgresDatabaseOptions {
  primary: Primary
  connections: number
}

const writesAtOnce = 2
const statementMs = 5_000
const idleMs = 10_000
/**
 * Maximum wait for a row lock, in milliseconds. A write that waits longer frees its slot for other writes and is
 * retried later.
 */
const lockMs = 200

/** Runs units of work on PostgreSQL. Writes run in serializable transactions and are retried after a conflict. */
export class PostgresDatabase implements Database {
  readonly primary: Primary
  /** The pool, for hot-path statements written in PostgreSQL's own dialect. */
  readonly pool: PostgresPool
  /** Limits concurrent writes, because more of them would mostly conflict and be retried. */
  readonly #writes = new ConcurrencyLimit(writesAtOnce, {
    waitMs: statementMs,
    refusal: () => new StoreUnavailable('write timed out: too many concurrent writes'),
  })
  readonly #rowWrites = new RowWrites<() => Work<unknown>>((writes) => this.#performWrites(writes), statementMs)

  constructor({ primary, connections }: PostgresDatabaseOptions) {
    this.primary = primary
    this.pool = new PostgresPool({ primary, applicationName: 'gatehouse', connections, statementMs, idleMs })
  }

  write<T>({ row, recording }: WriteOptions<T>, work: () => Work<T>): Promise<T> {
    const write = recording === undefined ? work : () => recorded(work(), recording)
    if (row !== undefined) return this.#rowWrites.add(row, write) as Promise<T>
    return this.#performWrites([write]).then(([outcome]) => outcome as T)
  }

  async writeEach(sql: string, valuesOfEach: readonly (readonly SqlValue[])[]): Promise<void> {
    await this.#inWriteSlot('BEGIN', (transaction) => perform(transaction, changesOfEach(sql, valuesOfEach)))
  }

  #performWrites(writes: readonly (() => Work<unknown>)[]): Promise<readonly unknown[]> {
    return this.#inWriteSlot('BEGIN ISOLATION LEVEL SERIALIZABLE', async (transaction) => {
      const outcomes: unknown[] = []
      for (const write of writes) outcomes.push(await perform(transaction, write()))
      return outcomes
    })
  }

  #inWriteSlot<T>(begin: string, body: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.pool.transaction(body, `${begin}; SET LOCAL lock_timeout = ${lockMs}`, (attempt) =>
      this.#writes.run(attempt),
    )
  }

  read<T>(work: () => Work<T>): Promise<T> {
    // BEGIN needs no extra round trip, because it is pipelined with the first statement.
    return this.pool.transaction((transaction) => perform(transaction, work()), beginSnapshot)
  }

  /**
   * Runs one statement in its own transaction, without retries.
   *
   * @throws StoreUnavailable
   */
  queryOnce<Row extends object>(sql: string, ...values: readonly SqlValue[]): Promise<readonly Row[]> {
    return this.pool.rowsOnce(sql, values.map(storable))
  }

  async close(): Promise<void> {
    await this.pool.close()
  }
}

/** Runs a unit of work in an open transaction. Statements that it yields together are pipelined. */
export async function perform<T>(transaction: Transaction, work: Work<T>): Promise<T> {
  let step = work.next()
  while (step.done !== true) {
    step = work.next(await Promise.all(step.value.map((statement) => answer(transaction, statement))))
  }
  return step.value
}

function answer(transaction: Transaction, { sql, values }: Statement): Promise<StatementResult> {
  return transaction.answer(sql, values.map(storable))
}
