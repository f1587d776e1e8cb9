import { setTimeout as sleep } from 'node:timers/promises'
import { Pool, type PoolClient } from 'pg'
import { StoreUnavailable } from '../../domain/store-unavailable.ts'
import type { Answer } from '../sql/work.ts'
import { isDuplicate, metAnother, takesNoWrites, unavailable } from './database-errors.ts'
import { prepared } from './prepared.ts'
import type { Primary } from './primary.ts'
import { rowTypes } from './row-types.ts'

export interface PostgresPoolOptions {
  primary: Primary
  /** By which operators know the connections at the database. */
  applicationName: string
  /** Maximum number of connections. */
  connections: number
  /** Maximum duration of a statement, and of its retries after conflicts, in milliseconds. */
  statementMs: number
  /** How long an unused connection is kept, in milliseconds. 0 keeps it as long as the process lives. */
  idleMs: number
  /**
   * Allows hash joins, for statements that join rows without keys. Without them, rows found by several keys are visited
   * in the order of these keys, so that two statements lock them in the same order.
   */
  hashJoins?: boolean
}

/** Sends statements, each in its turn. Implemented by a pool and by a transaction. */
export interface Queries {
  /**
   * Returns the rows of one statement, which each connection keeps prepared.
   *
   * @throws what the database reports; outside a transaction as `StoreUnavailable` when trying again later may help.
   */
  rows<Row extends object>(sql: string, values?: readonly unknown[]): Promise<Row[]>
}

/** How long a statement waits for a connection. */
const connectMs = 2_000
/** How much longer than the server's own timeout a response may take: the network may be gone. */
const responseMs = 500
/** Upper bound of the random pause between two tries. The bound doubles per try up to this. */
const pauseMaxMs = 100
/** Maximum retries of a duplicate key. A work that still fails is itself at fault, and more retries don't help. */
const duplicatesMax = 20

/**
 * Sent first on each new connection. A connection plans a statement once and keeps the plan, perhaps made while the table
 * was still empty. All statements use keys, so they are planned for large tables.
 */
const planning = `SET plan_cache_mode = force_generic_plan; SET jit = off;
  SET enable_seqscan = off; SET enable_mergejoin = off`

/** Connections to the primary. Statements and transactions that conflict with others are retried. */
export class PostgresPool implements Queries {
  readonly #primary: Primary
  readonly #pool: Pool
  readonly #retryForMs: number

  constructor({ primary, applicationName, connections, statementMs, idleMs, hashJoins = false }: PostgresPoolOptions) {
    this.#primary = primary
    this.#retryForMs = statementMs
    this.#pool = new Pool({
      ...primary.poolConfig(),
      pipeline: true,
      max: connections,
      connectionTimeoutMillis: connectMs,
      idleTimeoutMillis: idleMs,
      statement_timeout: statementMs,
      query_timeout: statementMs + responseMs,
      types: rowTypes,
      application_name: applicationName,
    })
    const settings = `${planning}; SET ${hashJoins ? 'enable_bitmapscan' : 'enable_hashjoin'} = off`
    this.#pool.on('connect', (client) => void client.query(settings).catch(() => {}))
    // A connection that breaks while idle is replaced by the next statement that needs one.
    this.#pool.on('error', () => {})
  }

  /** Connections, those of them that are idle, and requests that wait for one. */
  get figures(): { connections: number; idle: number; waiting: number } {
    const { totalCount, idleCount, waitingCount } = this.#pool
    return { connections: totalCount, idle: idleCount, waiting: waitingCount }
  }

  /**
   * As {@link Queries.rows}. The statement is a transaction of its own and is retried after a conflict.
   *
   * @throws StoreUnavailable
   */
  rows<Row extends object>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.#retrying(this.#retryForMs, () => this.#send<Row>(sql, values))
  }

  /** As {@link rows}, without retries: the caller learns of a conflict. */
  rowsOnce<Row extends object>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.#retrying(0, () => this.#send<Row>(sql, values))
  }

  /**
   * Performs the body in a transaction, and again after a conflict.
   *
   * @param begin the statement that begins it, which travels with the body's first.
   * @param turn runs each try, for example after waiting for a free slot. The slot is not held between tries.
   * @throws what the body or `turn` throws, or StoreUnavailable.
   */
  transaction<T>(
    body: (transaction: Transaction) => Promise<T>,
    begin = 'BEGIN',
    turn: (attempt: () => Promise<T>) => Promise<T> = (attempt) => attempt(),
  ): Promise<T> {
    return this.#retrying(this.#retryForMs, () => turn(() => this.#once(begin, body)))
  }

  async close(): Promise<void> {
    await this.#pool.end()
  }

  /** Retries until `forMs` has passed, not by count: of many conflicting transactions only one succeeds per round. */
  async #retrying<T>(forMs: number, attempt: () => Promise<T>): Promise<T> {
    const endsAtMs = performance.now() + forMs
    let duplicates = 0
    for (let tries = 1; ; tries += 1) {
      const { url } = this.#primary
      try {
        return await attempt()
      } catch (error) {
        if (isDuplicate(error)) duplicates += 1
        else if (!metAnother(error)) throw this.#refused(error, url)
        // Jitter, so that the same transactions don't conflict again.
        const pauseMs = Math.random() * Math.min(2 ** tries, pauseMaxMs)
        if (duplicates > duplicatesMax || performance.now() + pauseMs >= endsAtMs) throw unavailable(error)
        await sleep(pauseMs)
      }
    }
  }

  /** Returns what the caller is told. When the host is at fault, the next connections try another one. */
  #refused(error: unknown, url: string): unknown {
    if (error instanceof StoreUnavailable) return error
    const refusal = unavailable(error)
    if (refusal instanceof StoreUnavailable) this.#primary.moveOn(url)
    return refusal
  }

  async #send<Row extends object>(sql: string, values: readonly unknown[]): Promise<Row[]> {
    return (await this.#pool.query<Row>({ ...prepared(sql), values: [...values] })).rows
  }

  async #once<T>(begin: string, body: (transaction: Transaction) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect()
    let broken: Error | undefined
    try {
      const begun = client.query(begin)
      begun.catch(() => {})
      const outcome = await body(new Transaction(client))
      await begun
      await client.query('COMMIT')
      return outcome
    } catch (error) {
      if (takesNoWrites(error)) broken = error as Error
      await client.query('ROLLBACK').catch((failure: Error) => {
        broken = failure
      })
      throw error
    } finally {
      client.release(broken)
    }
  }
}

/** An open transaction. Statements that are sent at once travel together. */
export class Transaction implements Queries {
  readonly #client: PoolClient

  constructor(client: PoolClient) {
    this.#client = client
  }

  async rows<Row extends object>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    return (await this.#client.query<Row>({ ...prepared(sql), values: [...values] })).rows
  }

  async answer(sql: string, values: readonly unknown[]): Promise<Answer> {
    const { rows, rowCount } = await this.#client.query({ ...prepared(sql), values: [...values] })
    return { rows, changes: rowCount ?? 0 }
  }

  /** Performs a statement that is not constant, or can't be prepared. */
  async execute(sql: string): Promise<void> {
    await this.#client.query(sql)
  }
}
