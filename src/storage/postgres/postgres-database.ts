import { StoreUnavailable } from '../../domain/store-unavailable.ts'
import { Turns } from '../../domain/turns.ts'
import { Companion } from '../sql/companion.ts'
import type { Database } from '../sql/database.ts'
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

/** A work, and the companion that is written in the same transaction. */
interface Write<T = unknown> {
  work: () => Work<T>
  companion: ((outcome: T) => Work<void>) | undefined
}

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
  readonly #rowWrites = new RowWrites<Write>((writes) => this.#performWrites(writes), statementMs)
  readonly #companion = new Companion<Work<void>>()

  constructor({ primary, connections }: PostgresDatabaseOptions) {
    this.primary = primary
    this.pool = new PostgresPool({ primary, applicationName: 'gatehouse', connections, statementMs, idleMs })
  }

  write<T>(work: () => Work<T>, row?: string): Promise<T> {
    const write = { work, companion: this.#companion.take<T>() } as Write
    if (row !== undefined) return this.#rowWrites.add(row, write) as Promise<T>
    return this.#performWrites([write]).then(([outcome]) => outcome as T)
  }

  async writeEach(sql: string, valuesOfEach: readonly (readonly SqlValue[])[]): Promise<void> {
    await this.#inTurn('BEGIN', (transaction) => perform(transaction, changesOfEach(sql, valuesOfEach)))
  }

  #performWrites(writes: readonly Write[]): Promise<readonly unknown[]> {
    return this.#inTurn('BEGIN ISOLATION LEVEL SERIALIZABLE', async (transaction) => {
      const outcomes: unknown[] = []
      for (const { work, companion } of writes) {
        const outcome = await perform(transaction, work())
        if (companion !== undefined) await perform(transaction, companion(outcome))
        outcomes.push(outcome)
      }
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
   * The rows of one statement that is a transaction of its own, in which nothing else can be written along.
   *
   * @throws StoreUnavailable
   */
  alone<Row extends object>(sql: string, ...values: readonly SqlValue[]): Promise<readonly Row[]> {
    return this.pool.rowsOnce(sql, values.map(storable))
  }

  writeAlong<T>(act: () => Promise<T>, also: (outcome: T) => Work<void>): Promise<T> {
    return this.#companion.goAlong(act, also)
  }

  /** For writes of the hot paths, which begin here and are performed later: as {@link write} does, they ask at once. */
  takeCompanion<T>(): ((outcome: T) => Work<void>) | undefined {
    return this.#companion.take()
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
