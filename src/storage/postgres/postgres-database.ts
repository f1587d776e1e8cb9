import { StoreUnavailable } from '../../domain/store-unavailable.ts'
import { Turns } from '../../domain/turns.ts'
import { recorded } from '../sql/audit.ts'
import type { Database, WriteOptions } from '../sql/database.ts'
import { type Answer, changesOfEach, type SqlValue, type Statement, type Work } from '../sql/work.ts'
import { PostgresPool, type Transaction } from './postgres-pool.ts'
import type { Primary } from './primary.ts'
import { RowWrites } from './row-writes.ts'
import { storable } from './storable.ts'

/** Begins a transaction whose statements all see the same state of the data. */
export const beginSnapshot = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'

export interface PostgresDatabaseOptions {
  primary: Primary
  /** How many connections at most. */
  connections: number
}

const writesAtOnce = 2
const statementMs = 5_000
const idleMs = 10_000
/** How long a write waits for a locked row before it gives its place to other writes and retries later. */
const lockMs = 200

/** Performs works on PostgreSQL. Writes run in serializable transactions and are retried after a conflict. */
export class PostgresDatabase implements Database {
  readonly primary: Primary
  /** The connections, for hot-path statements in PostgreSQL's own dialect. */
  readonly pool: PostgresPool
  /** All writes at once would meet each other rather than be done. */
  readonly #writes = new Turns(writesAtOnce, {
    waitMs: statementMs,
    refusal: () => new StoreUnavailable('too many writes wait for the database'),
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
    await this.#inTurn('BEGIN', (transaction) => perform(transaction, changesOfEach(sql, valuesOfEach)))
  }

  #performWrites(writes: readonly (() => Work<unknown>)[]): Promise<readonly unknown[]> {
    return this.#inTurn('BEGIN ISOLATION LEVEL SERIALIZABLE', async (transaction) => {
      const outcomes: unknown[] = []
      for (const write of writes) outcomes.push(await perform(transaction, write()))
      return outcomes
    })
  }

  #inTurn<T>(begin: string, body: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.pool.transaction(body, `${begin}; SET LOCAL lock_timeout = ${lockMs}`, (attempt) =>
      this.#writes.take(attempt),
    )
  }

  read<T>(work: () => Work<T>): Promise<T> {
    // With one statement, as nearly all, beginning costs no round trip: it travels with the statement (pipeline).
    return this.pool.transaction((transaction) => perform(transaction, work()), beginSnapshot)
  }

  /**
   * Returns the rows of one statement, which is a transaction of its own.
   *
   * @throws StoreUnavailable
   */
  alone<Row extends object>(sql: string, ...values: readonly SqlValue[]): Promise<readonly Row[]> {
    return this.pool.rowsOnce(sql, values.map(storable))
  }

  async close(): Promise<void> {
    await this.pool.close()
  }
}

/** Performs a work in the transaction that is open on this connection. What it yields at once travels at once. */
export async function perform<T>(transaction: Transaction, work: Work<T>): Promise<T> {
  let step = work.next()
  while (step.done !== true) {
    step = work.next(await Promise.all(step.value.map((statement) => answer(transaction, statement))))
  }
  return step.value
}

function answer(transaction: Transaction, { sql, values }: Statement): Promise<Answer> {
  return transaction.answer(sql, values.map(storable))
}
