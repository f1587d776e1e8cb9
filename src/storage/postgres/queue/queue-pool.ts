import { PostgresPool } from '../postgres-pool.ts'
import type { Primary } from '../primary.ts'

/** Maximum duration of a queue statement, so that webhooks don't wait longer than this if the database hangs. */
export const statementMs = 2_000

/** Opens a pool for one kind of queue work, so that different kinds of work don't wait for each other. */
export function queuePool(primary: Primary, connections: number): PostgresPool {
  // Webhooks come in bursts, so idle connections are kept for the life of the process.
  return new PostgresPool({
    primary,
    applicationName: 'gatehouse queue',
    connections,
    statementMs,
    idleMs: 0,
  })
}
