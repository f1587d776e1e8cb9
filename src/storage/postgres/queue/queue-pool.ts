import { PostgresPool } from '../postgres-pool.ts'
import type { Primary } from '../primary.ts'

/** Maximum duration of each of the queue's statements, so that a webhook does not wait longer for a server that hangs. */
export const statementMs = 2_000

/** Opens connections for one kind of the queue's work, so that no other kind waits for it. */
export function queuePool(primary: Primary, connections: number, { hashJoins = false } = {}): PostgresPool {
  // Connections are kept as long as the process lives, since webhooks come in bursts.
  return new PostgresPool({
    primary,
    applicationName: 'gatehouse queue',
    connections,
    statementMs,
    idleMs: 0,
    hashJoins,
  })
}
