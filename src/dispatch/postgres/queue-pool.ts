import { Client, Pool, type PoolClient } from 'pg'
import { StoreUnavailable } from '../../domain/store-unavailable.ts'
import { metAnother, takesNoWrites, unavailable } from '../../store/postgres/database-errors.ts'
import { migrate } from '../../store/postgres/migrate.ts'
import type { Primary } from '../../store/postgres/primary.ts'

/** What a webhook may take to be stored, and anything else of the queue: a server that hangs keeps nobody longer. */
export const statementMs = 2_000

/** A transaction that met another one is performed again this often. */
const triesMax = 10

/** PostgreSQL's numbers of types. */
const [bool, bytea, int8, int4] = [16, 17, 20, 23]

/**
 * A statement is planned once for each connection and kept, when its table may still be empty. Everything here goes by the
 * bot, so it is planned for tables that are large.
 */
const planning = `SET plan_cache_mode = force_generic_plan; SET jit = off;
  SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off`

export interface Statement {
  /** Under which a connection keeps it prepared. */
  name: string
  text: string
}

/** Some connections of the queue's own, for one kind of work, so that no other kind waits for it. */
export class QueuePool {
  readonly #primary: Primary
  readonly #pool: Pool

  constructor(primary: Primary, connections: number) {
    this.#primary = primary
    this.#pool = new Pool({
      ...primary.poolConfig(),
      max: connections,
      connectionTimeoutMillis: statementMs,
      // Kept as long as the process lives: webhooks come in bursts.
      idleTimeoutMillis: 0,
      pipeline: true,
      statement_timeout: statementMs,
      query_timeout: statementMs + 500,
      types: { getTypeParser: parserOf as typeof import('pg').types.getTypeParser },
      application_name: 'gatehouse queue',
    })
    this.#pool.on('connect', (client) => {
      client.query(planning).catch(() => {})
    })
    // A connection that breaks while idle is replaced by the next work that needs one.
    this.#pool.on('error', () => {})
  }

  /**
   * The rows of one statement, which is a transaction of its own.
   *
   * @throws StoreUnavailable
   */
  async rows<Row extends object>({ name, text }: Statement, values: readonly unknown[]): Promise<Row[]> {
    const query = { name, text, values: [...values] }
    return this.#again(async () => (await this.#pool.query<Row>(query)).rows)
  }

  /**
   * Performs the body in a transaction, again when it met another one.
   *
   * @throws what the body throws, or StoreUnavailable.
   */
  transaction<T>(body: (ask: Ask) => Promise<T>): Promise<T> {
    return this.#again(() => this.#once(body))
  }

  async close(): Promise<void> {
    await this.#pool.end()
  }

  async #again<T>(attempt: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      const { url } = this.#primary
      try {
        return await attempt()
      } catch (error) {
        if (metAnother(error) && tries < triesMax) continue
        const refusal = unavailable(error)
        // The next connections try another host when it was the host's fault.
        if (refusal instanceof StoreUnavailable) this.#primary.moveOn(url)
        throw refusal
      }
    }
  }

  async #once<T>(body: (ask: Ask) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect()
    let broken: Error | undefined
    try {
      const begun = client.query('BEGIN')
      begun.catch(() => {})
      const outcome = await body(askOn(client))
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

/** Asks within a transaction. */
export type Ask = <Row extends object>(statement: Statement, values: readonly unknown[]) => Promise<Row[]>

function askOn(client: PoolClient): Ask {
  return async <Row extends object>({ name, text }: Statement, values: readonly unknown[]) =>
    (await client.query<Row>({ name, text, values: [...values] })).rows
}

/** Brings the queue's tables up to this release. Nodes that start at once wait for each other. */
export async function migrateQueue({ url }: Primary): Promise<void> {
  const client = new Client({ connectionString: url, application_name: 'gatehouse migration' })
  await client.connect()
  try {
    await migrate(client, 'dispatch', new URL('./migrations/', import.meta.url))
  } finally {
    await client.end()
  }
}

function parserOf(type: number): (text: string) => unknown {
  switch (type) {
    case bool:
      return (text) => text === 't'
    case int4:
    case int8:
      return Number
    case bytea:
      return (text) => Buffer.from(text.slice(2), 'hex')
    default:
      return (text) => text
  }
}
