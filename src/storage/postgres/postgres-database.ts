import { ConcurrencyLimit } from '../../domain/concurrency-limit.ts'
import { StoreUnavailable } from '../../domain/store-unavailable.ts'
import { recorded } from '../sql/audit.ts'
import { changesOfEach, type Database, type Sql, type SqlValue, type Work, type WriteOptions } from '../sql/sql.ts'
import { settle, type Waiting } from './batches.ts'
import { PostgresPool, type Transaction } from './postgres-pool.ts'
import type { Primary } from './primary.ts'

export const beginSnapshot = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'

interface PostgresDatabaseOptions {
  primary: Primary
  connections: number
  /** Connections for the hot paths, which use no others. The default is as many as for everything else. */
  hotConnections?: number
}

const writesAtOnce = 2
const statementMs = 5_000
const idleMs = 10_000
/** Maximum wait for a row lock. A write that waits longer frees its slot for others and is retried later. */
const lockMs = 200

/** Runs units of work on PostgreSQL. Writes run in serializable transactions and are retried after a conflict. */
export class PostgresDatabase implements Database {
  readonly primary: Primary
  /** For hot-path statements written in PostgreSQL's own dialect, so that they don't wait for pages and APIs. */
  readonly pool: PostgresPool
  readonly #others: PostgresPool
  /** Limits concurrent writes, because more of them would mostly conflict and be retried. */
  readonly #writes = new ConcurrencyLimit(writesAtOnce, {
    ms: statementMs,
    refusal: () => new StoreUnavailable('write timed out: too many concurrent writes'),
  })
  /** Leaves connections for the writes. */
  readonly #reads: ConcurrencyLimit
  readonly #writeRow = rowWrites<() => Work<unknown>>((writes) => this.#performWrites(writes), statementMs)

  constructor({ primary, connections, hotConnections = connections }: PostgresDatabaseOptions) {
    this.primary = primary
    const options = { primary, applicationName: 'gatehouse', statementMs, idleMs }
    this.pool = new PostgresPool({ ...options, connections: hotConnections })
    this.#others = new PostgresPool({ ...options, connections })
    this.#reads = new ConcurrencyLimit(Math.max(1, connections - writesAtOnce), {
      ms: statementMs,
      refusal: () => new StoreUnavailable('read timed out: too many concurrent reads'),
    })
  }

  get figures(): { connections: number; idle: number; waiting: number } {
    const [hot, others] = [this.pool.figures, this.#others.figures]
    return {
      connections: hot.connections + others.connections,
      idle: hot.idle + others.idle,
      waiting: hot.waiting + others.waiting + this.#reads.figures.waiting,
    }
  }

  write<T>({ row, recording }: WriteOptions<T>, work: () => Work<T>): Promise<T> {
    const write = recording === undefined ? work : () => recorded(work(), recording)
    if (row !== undefined) return this.#writeRow(row, write) as Promise<T>
    return this.#performWrites([write]).then(([outcome]) => outcome as T)
  }

  async writeEach(statements: readonly Sql[]): Promise<void> {
    await this.#inWriteSlot('BEGIN', (transaction) => perform(transaction, changesOfEach(statements)))
  }

  #performWrites(writes: readonly (() => Work<unknown>)[]): Promise<readonly unknown[]> {
    return this.#inWriteSlot('BEGIN ISOLATION LEVEL SERIALIZABLE', async (transaction) => {
      const outcomes: unknown[] = []
      for (const write of writes) outcomes.push(await perform(transaction, write()))
      return outcomes
    })
  }

  #inWriteSlot<T>(begin: string, body: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#others.transaction(body, `${begin}; SET LOCAL lock_timeout = ${lockMs}`, (attempt) =>
      this.#writes.run(attempt),
    )
  }

  async read<T>(work: () => Work<T>): Promise<T> {
    const unit = work()
    const step = unit.next()
    if (step.done === true) return step.value
    const [statement, ...others] = step.value
    if (statement !== undefined && others.length === 0) {
      // Most units are one statement, which sees one snapshot without a transaction. Longer ones run again in one.
      const rows = await this.#reads.run(() => this.#others.rows(statement.text, statement.values.map(storable)))
      const end = unit.next([{ rows, changes: rows.length }])
      if (end.done === true) return end.value
    }
    // BEGIN needs no extra round trip, because it is pipelined with the first statement.
    return this.#others.transaction(
      (transaction) => perform(transaction, work()),
      beginSnapshot,
      (attempt) => this.#reads.run(attempt),
    )
  }

  /** Runs one statement in its own transaction. Throws StoreUnavailable. */
  queryOnce<Row extends object>({ text, values }: Sql): Promise<Row[]> {
    return this.#reads.run(() => this.#others.rows(text, values.map(storable)))
  }

  async close(): Promise<void> {
    await Promise.all([this.pool.close(), this.#others.close()])
  }
}

/** Runs a unit of work in an open transaction. Statements that it yields together are pipelined. */
export async function perform<T>(transaction: Transaction, work: Work<T>): Promise<T> {
  let step = work.next()
  while (step.done !== true) {
    const answers = step.value.map(({ text, values }) => transaction.answer(text, values.map(storable)))
    step = work.next(await Promise.all(answers))
  }
  return step.value
}

/** Replaces U+0000, the only character that PostgreSQL can't store, with U+FFFD. */
export function storable(value: SqlValue): SqlValue {
  return typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value
}

interface WaitingWrite<Write> extends Waiting<Write, unknown> {
  arrivedAtMs: number
}

/** Maximum number of writes per transaction, so that no write has to wait long for the others. */
const mergedMax = 20

/**
 * Returns a function that performs the writes to each row one after the other, in arrival order. Writes that arrive
 * while an earlier one is in flight share a transaction, in `perform`, which must return the same outcomes as if each
 * ran in its own, in the given order. If it throws, it must not have written anything, because it is then called again
 * with fewer writes.
 *
 * The function throws the error of `perform` for a write alone, or `StoreUnavailable`, which fails its whole transaction.
 *
 * @param waitMs maximum wait for earlier writes to the same row, after which a write is rejected.
 */
export function rowWrites<Write>(
  perform: (writes: readonly Write[]) => Promise<readonly unknown[]>,
  waitMs: number,
): (row: string, write: Write) => Promise<unknown> {
  const waitingFor = new Map<string, WaitingWrite<Write>[]>()

  async function performAll(row: string, waiting: WaitingWrite<Write>[]): Promise<void> {
    waitingFor.set(row, waiting)
    while (waiting.length > 0) await settle(inTime(waiting.splice(0, mergedMax)), perform)
    waitingFor.delete(row)
  }

  function inTime(writes: readonly WaitingWrite<Write>[]): readonly WaitingWrite<Write>[] {
    const oldestMs = performance.now() - waitMs
    return writes.filter(({ arrivedAtMs, reject }) => {
      const isInTime = arrivedAtMs > oldestMs
      if (!isInTime) reject(new StoreUnavailable('write timed out: too many earlier writes to the same row'))
      return isInTime
    })
  }

  return (row, write) =>
    new Promise((resolve, reject) => {
      const one = { item: write, arrivedAtMs: performance.now(), resolve, reject }
      const waiting = waitingFor.get(row)
      if (waiting === undefined) void performAll(row, [one])
      else waiting.push(one)
    })
}
