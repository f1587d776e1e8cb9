import type { PoolClient } from 'pg'
import type { Primary } from '../primary.ts'
import { PrimaryPool } from '../primary-pool.ts'

/** What a webhook may take to be stored, and anything else of the queue: a server that hangs keeps nobody longer. */
export const statementMs = 2_000

/** PostgreSQL's numbers of types. */
const [bool, bytea, int8, int4] = [16, 17, 20, 23]

export interface Statement {
  /** Under which a connection keeps it prepared. */
  name: string
  text: string
}

/** Some connections of the queue's own, for one kind of work, so that no other kind waits for it. */
export class QueuePool {
  readonly #pool: PrimaryPool

  constructor(primary: Primary, connections: number, { hashJoins = false } = {}) {
    this.#pool = new PrimaryPool({
      primary,
      config: {
        max: connections,
        connectionTimeoutMillis: statementMs,
        // Kept as long as the process lives: webhooks come in bursts.
        idleTimeoutMillis: 0,
        statement_timeout: statementMs,
        query_timeout: statementMs + 500,
        types: { getTypeParser: parserOf as typeof import('pg').types.getTypeParser },
        application_name: 'gatehouse queue',
      },
      retryForMs: statementMs,
      hashJoins,
    })
  }

  /**
   * The rows of one statement, which is a transaction of its own, performed again when it met another one.
   *
   * @throws StoreUnavailable
   */
  rows<Row extends object>({ name, text }: Statement, values: readonly unknown[]): Promise<Row[]> {
    return this.#pool.rows({ name, text, values: [...values] })
  }

  /**
   * Performs the body in a transaction, again when it met another one.
   *
   * @throws what the body throws, or StoreUnavailable.
   */
  transaction<T>(body: (ask: Ask) => Promise<T>): Promise<T> {
    return this.#pool.transaction('BEGIN', (client) => body(askOn(client)))
  }

  async close(): Promise<void> {
    await this.#pool.close()
  }
}

/** Asks within a transaction. */
export type Ask = <Row extends object>(statement: Statement, values: readonly unknown[]) => Promise<Row[]>

function askOn(client: PoolClient): Ask {
  return async <Row extends object>({ name, text }: Statement, values: readonly unknown[]) =>
    (await client.query<Row>({ name, text, values: [...values] })).rows
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
