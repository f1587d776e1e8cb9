import { setTimeout as sleep } from 'node:timers/promises'
import {
  Pool,
  type PoolClient,
  type QueryArrayConfig,
  type QueryArrayResult,
  type QueryConfig,
  TypeOverrides,
} from 'pg'
import { StoreUnavailable } from '../../domain/store-unavailable.ts'
import { inCamelCase, type StatementResult } from '../sql/sql.ts'
import { isConflict, isDuplicate, isHostFailure, isReadOnlyError, unavailable } from './database-errors.ts'
import { formats, type Primary } from './primary.ts'

interface PostgresPoolOptions {
  primary: Primary
  applicationName: string
  connections: number
  /** Maximum duration of a statement, in milliseconds. Retries after conflicts also stop after this time. */
  statementMs: number
  /** How long an unused connection is kept, in milliseconds. 0 keeps it for the life of the process. */
  idleMs: number
}

export interface Queries {
  /**
   * Runs one statement, which each connection keeps prepared.
   *
   * @throws the database's error; outside a transaction, `StoreUnavailable` if a later retry may help.
   */
  rows<Row extends object>(sql: string, values?: readonly unknown[]): Promise<Row[]>
}

/** Extra time to wait for a response beyond the server's own timeout, in case the network fails. */
const responseMs = 500
/** Pauses between retries are random. Their upper bound doubles with each retry until it reaches this value. */
const pauseMaxMs = 100
/** Maximum number of retries after a duplicate key. If the work still fails then, more retries won't help. */
const duplicatesMax = 20

/** Citus plans most statements only with their values, because a value determines the worker. */
const isCitus = "EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus')"

/**
 * Sent first on each new connection. A connection plans each prepared statement once and keeps the plan, even one made
 * while the table was still empty. All statements look up rows by key, so they are planned as if tables were large.
 * Without hash and merge joins, statements visit rows in key order, so two of them lock rows in the same order.
 */
const planning = `SELECT set_config('plan_cache_mode', CASE WHEN ${isCitus} THEN 'auto' ELSE 'force_generic_plan' END, false);
  ${formats}; SET jit = off; SET enable_seqscan = off; SET enable_mergejoin = off; SET enable_hashjoin = off`

/** A pool of connections to the primary. Statements and transactions are retried after a conflict. */
export class PostgresPool implements Queries {
  readonly #primary: Primary
  readonly #pool: Pool
  readonly #retryForMs: number

  constructor({ primary, applicationName, connections, statementMs, idleMs }: PostgresPoolOptions) {
    this.#primary = primary
    this.#retryForMs = statementMs
    this.#pool = new Pool({
      ...primary.poolConfig(),
      pipeline: true,
      max: connections,
      connectionTimeoutMillis: primary.connectMs,
      idleTimeoutMillis: idleMs,
      query_timeout: statementMs + responseMs,
      types: rowTypes,
      application_name: applicationName,
    })
    // Not as a parameter of the connection, which PgBouncer would refuse.
    const settings = `${planning}; SET statement_timeout = ${statementMs}`
    this.#pool.on('connect', (client) => void client.query(settings).catch(() => {}))
    // A broken idle connection is replaced when the next statement needs one.
    this.#pool.on('error', () => {})
  }

  get figures(): { connections: number; idle: number; waiting: number } {
    const { totalCount, idleCount, waitingCount } = this.#pool
    return { connections: totalCount, idle: idleCount, waiting: waitingCount }
  }

  /** Like {@link Queries.rows}, in its own transaction, retried after a conflict. Throws StoreUnavailable. */
  rows<Row extends object>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.#retrying(() => this.#send<Row>(sql, values))
  }

  /**
   * Runs the body in a transaction, and reruns it after a conflict.
   *
   * @param begin statement that begins the transaction. It is pipelined with the body's first statement.
   * @param inSlot runs each attempt, for example with limited concurrency. Pauses between attempts happen outside
   *   `inSlot`.
   * @throws what the body or `inSlot` throws, or StoreUnavailable.
   */
  transaction<T>(
    body: (transaction: Transaction) => Promise<T>,
    begin = 'BEGIN',
    inSlot: (attempt: () => Promise<T>) => Promise<T> = (attempt) => attempt(),
  ): Promise<T> {
    return this.#retrying(() => inSlot(() => this.#tryTransaction(begin, body)))
  }

  async close(): Promise<void> {
    await this.#pool.end()
  }

  /** Retries for `statementMs` rather than a number of times: of conflicting transactions, one succeeds per round. */
  async #retrying<T>(attempt: () => Promise<T>): Promise<T> {
    const endsAtMs = performance.now() + this.#retryForMs
    let duplicates = 0
    for (let tries = 1; ; tries += 1) {
      const { url } = this.#primary
      try {
        return await attempt()
      } catch (error) {
        if (isDuplicate(error)) duplicates += 1
        else if (!isConflict(error)) throw this.#errorForCaller(error, url)
        // Jitter prevents the same transactions from conflicting again.
        const pauseMs = Math.random() * Math.min(2 ** tries, pauseMaxMs)
        if (duplicates > duplicatesMax || performance.now() + pauseMs >= endsAtMs) throw unavailable(error)
        await sleep(pauseMs)
      }
    }
  }

  /** Returns the error to report to the caller. If the host has failed, new connections go to the next one. */
  #errorForCaller(error: unknown, url: string): unknown {
    if (error instanceof StoreUnavailable) return error
    const reported = unavailable(error)
    if (reported instanceof StoreUnavailable && isHostFailure(error)) this.#primary.failOver(url, error)
    return reported
  }

  async #send<Row extends object>(sql: string, values: readonly unknown[]): Promise<Row[]> {
    return rowsOf<Row>(await this.#pool.query(prepared(sql, values)))
  }

  async #tryTransaction<T>(begin: string, body: (transaction: Transaction) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect()
    let broken: Error | undefined
    try {
      const begun = client.query(begin)
      begun.catch(() => {})
      const transaction = new Transaction(client)
      const outcome = await body(transaction)
      await begun
      await transaction.commit()
      return outcome
    } catch (error) {
      if (isReadOnlyError(error)) broken = error as Error
      await client.query('ROLLBACK').catch((failure: Error) => {
        broken = failure
      })
      throw error
    } finally {
      client.release(broken)
    }
  }
}

/** An open transaction. Statements sent without awaiting are pipelined. */
export class Transaction implements Queries {
  readonly #client: PoolClient
  #committed: Promise<unknown> | undefined
  #failure: unknown

  constructor(client: PoolClient) {
    this.#client = client
  }

  async rows<Row extends object>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    return rowsOf<Row>(await this.#query(prepared(sql, values)))
  }

  async answer(sql: string, values: readonly unknown[]): Promise<StatementResult> {
    const result = await this.#query(prepared(sql, values))
    return { rows: rowsOf(result), changes: result.rowCount ?? 0 }
  }

  /** Runs a statement that is not constant or can't be prepared. */
  async execute(sql: string): Promise<void> {
    await this.#query({ text: sql })
  }

  /** Can be called before the last statements have answered, to save a round trip: if one fails, nothing commits. */
  async commit(): Promise<void> {
    this.#committed ??= this.#query({ text: 'COMMIT' })
    await this.#committed
  }

  /** After a failure, the statements that were pipelined behind it fail too. All of them throw the first error. */
  async #query(query: QueryConfig | QueryArrayConfig): Promise<QueryArrayResult> {
    try {
      return await this.#client.query(query as QueryArrayConfig)
    } catch (error) {
      this.#failure ??= error
      throw this.#failure
    }
  }
}

const [bool, bytea, int8] = [16, 17, 20]

/** Rows look the same as from SQLite: integers and booleans are numbers, and bytes are plain `Uint8Array`s. */
export const rowTypes = new TypeOverrides()
rowTypes.setTypeParser(bool, (text: string) => (text === 't' ? 1 : 0))
rowTypes.setTypeParser(bytea, (text: string) => Uint8Array.fromHex(text.slice(2)))
rowTypes.setTypeParser(int8, Number)

const statements = new Map<string, { name: string; text: string }>()

/** Returns the statement in PostgreSQL's dialect, to be prepared by name. It must be constant: it is kept forever. */
function prepared(sql: string, values: readonly unknown[]): QueryArrayConfig {
  const statement = statements.getOrInsertComputed(sql, () => ({ name: `s${statements.size}`, text: inDollars(sql) }))
  return { ...statement, values: [...values], rowMode: 'array' }
}

/** Returns the rows with camel-case names. They all share one hidden class. */
function rowsOf<Row extends object>({ rows, fields }: QueryArrayResult): Row[] {
  const names = fields.map(({ name }) => inCamelCase(name))
  return rows.map((found) => {
    const row: Record<string, unknown> = {}
    for (let at = 0; at < names.length; at += 1) row[names[at] as string] = found[at]
    return row as Row
  })
}

/** Replaces placeholders like `?` and `?1` with `$1`. The statement's strings must not contain a question mark. */
function inDollars(sql: string): string {
  let last = 0
  return sql.replace(/\?(\d*)/g, (_, number: string) => {
    last = number === '' ? last + 1 : Number(number)
    return `$${last}`
  })
}
