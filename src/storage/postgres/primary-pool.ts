import { setTimeout as sleep } from 'node:timers/promises'
import { Pool, type PoolClient, type PoolConfig, type QueryConfig } from 'pg'
import { StoreUnavailable } from '../../domain/store-unavailable.ts'
import { isDuplicate, metAnother, takesNoWrites, unavailable } from './database-errors.ts'
import type { Primary } from './primary.ts'

export interface PrimaryPoolOptions {
  primary: Primary
  /** Beyond what leads its connections to the primary. */
  config: PoolConfig
  /** How long a statement or transaction is retried after conflicts, in milliseconds. */
  retryForMs: number
  /**
   * Whether statements join what they have made themselves, which has no keys. Not so unless told. Rows that are found by
   * several keys are then met in the order of these, so that two statements lock them in the same order.
   */
  hashJoins?: boolean
}

/** Upper bound of the random pause between two tries. The bound doubles per try up to this. */
const pauseMaxMs = 100
/** Maximum retries of a duplicate key. A work that still fails is itself at fault, and more retries don't help. */
const duplicatesMax = 20

/**
 * Sent on each new connection, ahead of all others. A statement is planned once for each connection and kept, when its table
 * may still be empty. Everything here goes by keys, so it is planned for tables that are large.
 */
const planning = `SET plan_cache_mode = force_generic_plan; SET jit = off;
  SET enable_seqscan = off; SET enable_mergejoin = off`

/** Connections to the host that takes writes, for transactions that are performed again where they met others. */
export class PrimaryPool {
  readonly #primary: Primary
  readonly #pool: Pool
  readonly #retryForMs: number

  constructor({ primary, config, retryForMs, hashJoins = false }: PrimaryPoolOptions) {
    this.#primary = primary
    this.#pool = new Pool({ ...primary.poolConfig(), pipeline: true, ...config })
    this.#retryForMs = retryForMs
    const settings = `${planning}; SET ${hashJoins ? 'enable_bitmapscan' : 'enable_hashjoin'} = off`
    this.#pool.on('connect', (client) => void client.query(settings).catch(() => {}))
    // A connection that breaks while idle is replaced by the next work that needs one.
    this.#pool.on('error', () => {})
  }

  /** How many connections there are, how many of them nobody uses, and how much waits for one. */
  get figures(): { connections: number; idle: number; waiting: number } {
    const { totalCount, idleCount, waitingCount } = this.#pool
    return { connections: totalCount, idle: idleCount, waiting: waitingCount }
  }

  /**
   * The rows of one statement, which is a transaction of its own, performed again when it met another one.
   *
   * @throws StoreUnavailable
   */
  rows<Row extends object>(query: QueryConfig): Promise<Row[]> {
    return this.#tried(this.#retryForMs, () => this.#send<Row>(query))
  }

  /** As {@link rows}, but performed once: whoever asks is told of what it met. */
  rowsOnce<Row extends object>(query: QueryConfig): Promise<Row[]> {
    return this.#tried(0, () => this.#send<Row>(query))
  }

  /**
   * Performs the body in a transaction, again when it met another one.
   *
   * @param begin the statement that begins it, which travels with the body's first.
   * @param turn runs each try, for example after waiting for a free slot. The slot is not held between tries.
   * @throws what the body or `turn` throws, or StoreUnavailable.
   */
  transaction<T>(
    begin: string,
    body: (client: PoolClient) => Promise<T>,
    turn: (attempt: () => Promise<T>) => Promise<T> = (attempt) => attempt(),
  ): Promise<T> {
    return this.#tried(this.#retryForMs, () => turn(() => this.#once(begin, body)))
  }

  async close(): Promise<void> {
    await this.#pool.end()
  }

  /** Retries until `forMs` has passed, not by count: of many conflicting transactions only one succeeds per round. */
  async #tried<T>(forMs: number, attempt: () => Promise<T>): Promise<T> {
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

  /** What the caller is told; the next connections try another host when it was the host's fault. */
  #refused(error: unknown, url: string): unknown {
    if (error instanceof StoreUnavailable) return error
    const refusal = unavailable(error)
    if (refusal instanceof StoreUnavailable) this.#primary.moveOn(url)
    return refusal
  }

  async #send<Row extends object>(query: QueryConfig): Promise<Row[]> {
    return (await this.#pool.query<Row>(query)).rows
  }

  async #once<T>(begin: string, body: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect()
    let broken: Error | undefined
    try {
      const begun = client.query(begin)
      begun.catch(() => {})
      const outcome = await body(client)
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
