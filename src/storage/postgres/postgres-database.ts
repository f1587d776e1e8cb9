import type { PoolClient } from 'pg'
import { StoreUnavailable } from '../../domain/store-unavailable.ts'
import { Turns } from '../../domain/turns.ts'
import { recorded } from '../sql/audit.ts'
import type { Database, WriteOptions } from '../sql/database.ts'
import { type Answer, changesOfEach, type SqlValue, type Statement, type Work } from '../sql/work.ts'
import { asSqliteGivesThem } from './as-sqlite-gives-them.ts'
import { inDollars } from './dollars.ts'
import type { Primary } from './primary.ts'
import { PrimaryPool } from './primary-pool.ts'
import { RowWrites } from './row-writes.ts'
import { storable } from './storable.ts'

export interface PostgresDatabaseOptions {
  primary: Primary
  /** How many connections at most. */
  connections: number
}

const writesAtOnce = 2
/** How long a work waits for a connection before it is refused. */
const waitMs = 2_000
const statementMs = 5_000
/** How long a write waits for a locked row before it gives its place to other writes and retries later. */
const lockMs = 200

/** Performs works on PostgreSQL. Writes run in serializable transactions and are retried after a conflict. */
export class PostgresDatabase implements Database {
  readonly primary: Primary
  readonly #pool: PrimaryPool
  /** All writes at once would meet each other rather than be done. */
  readonly #writes = new Turns(writesAtOnce, {
    waitMs: statementMs,
    refusal: () => new StoreUnavailable('too many writes wait for the database'),
  })
  readonly #rowWrites = new RowWrites<() => Work<unknown>>((writes) => this.#performWrites(writes), statementMs)

  constructor({ primary, connections }: PostgresDatabaseOptions) {
    this.primary = primary
    this.#pool = new PrimaryPool({
      primary,
      config: {
        max: connections,
        connectionTimeoutMillis: waitMs,
        types: asSqliteGivesThem(),
        // A server that hangs must not keep requests for longer than they wait.
        statement_timeout: statementMs,
        query_timeout: statementMs + 1_000,
        application_name: 'gatehouse',
      },
      retryForMs: statementMs,
    })
  }

  get figures(): PrimaryPool['figures'] {
    return this.#pool.figures
  }

  write<T>({ row, recording }: WriteOptions<T>, work: () => Work<T>): Promise<T> {
    const write = recording === undefined ? work : () => recorded(work(), recording)
    if (row !== undefined) return this.#rowWrites.add(row, write) as Promise<T>
    return this.#performWrites([write]).then(([outcome]) => outcome as T)
  }

  async writeEach(sql: string, valuesOfEach: readonly (readonly SqlValue[])[]): Promise<void> {
    await this.#inTurn('BEGIN', (client) => perform(client, changesOfEach(sql, valuesOfEach)))
  }

  #performWrites(writes: readonly (() => Work<unknown>)[]): Promise<readonly unknown[]> {
    return this.#inTurn('BEGIN ISOLATION LEVEL SERIALIZABLE', async (client) => {
      const outcomes: unknown[] = []
      for (const write of writes) outcomes.push(await perform(client, write()))
      return outcomes
    })
  }

  #inTurn<T>(begin: string, body: (client: PoolClient) => Promise<T>): Promise<T> {
    return this.#pool.transaction(`${begin}; SET LOCAL lock_timeout = ${lockMs}`, body, (attempt) =>
      this.#writes.take(attempt),
    )
  }

  read<T>(work: () => Work<T>): Promise<T> {
    // With one statement, as nearly all, beginning costs no round trip: it travels with the statement (pipeline).
    return this.readTogether((client) => perform(client, work()))
  }

  /**
   * For the hot paths: what the body reads is of one moment.
   *
   * @throws what the body throws, or StoreUnavailable.
   */
  readTogether<T>(body: (client: PoolClient) => Promise<T>): Promise<T> {
    return this.#pool.transaction('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', body)
  }

  /**
   * Returns the rows of one statement, which is a transaction of its own.
   *
   * @throws StoreUnavailable
   */
  alone<Row extends object>(sql: string, ...values: readonly SqlValue[]): Promise<readonly Row[]> {
    const { name, text } = prepared(sql)
    return this.send(name, text, values.map(storable))
  }

  /**
   * As {@link alone}, for the hot paths: in PostgreSQL's own dialect, with arrays for values.
   *
   * @param name under which each connection keeps the statement prepared; belongs to the text.
   * @throws StoreUnavailable
   */
  send<Row extends object>(name: string, text: string, values: readonly unknown[]): Promise<readonly Row[]> {
    return this.#pool.rowsOnce({ name, text, values: [...values] })
  }

  /**
   * As {@link send}, for a statement that locks what it writes: performed again when it met another in the wrong order.
   *
   * @throws StoreUnavailable
   */
  sendWrite<Row extends object>(name: string, text: string, values: readonly unknown[]): Promise<readonly Row[]> {
    return this.#pool.rows({ name, text, values: [...values] })
  }

  /**
   * For the hot paths: a `READ COMMITTED` transaction whose body locks what it judges, performed again when it met
   * another in the wrong order.
   *
   * @throws what the body throws, or StoreUnavailable.
   */
  transaction<T>(body: (client: PoolClient) => Promise<T>): Promise<T> {
    return this.#pool.transaction('BEGIN', body)
  }

  async close(): Promise<void> {
    await this.#pool.close()
  }
}

/** Performs a work in the transaction that is open on this connection. What it yields at once travels at once. */
export async function perform<T>(client: PoolClient, work: Work<T>): Promise<T> {
  let step = work.next()
  while (step.done !== true) {
    step = work.next(await Promise.all(step.value.map((statement) => answer(client, statement))))
  }
  return step.value
}

async function answer(client: PoolClient, { sql, values }: Statement): Promise<Answer> {
  const { rows, rowCount } = await client.query({ ...prepared(sql), values: values.map(storable) })
  return { rows, changes: rowCount ?? 0 }
}

const preparedTexts = new Map<string, { name: string; text: string }>()

/** The text in PostgreSQL's dialect and the name under which a connection keeps it prepared. */
function prepared(sql: string): { name: string; text: string } {
  let statement = preparedTexts.get(sql)
  if (statement === undefined) {
    statement = { name: `s${preparedTexts.size}`, text: inDollars(sql) }
    preparedTexts.set(sql, statement)
  }
  return statement
}
