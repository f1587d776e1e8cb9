import type { OnFault } from '../../../domain/background-work.ts'
import type { QueueLimits, RetentionLimits } from '../../../domain/limits/budget.ts'
import { PostgresPool } from '../postgres-pool.ts'
import type { Primary } from '../primary.ts'
import { Bookkeeping } from './bookkeeping.ts'
import { Distribution } from './distribution.ts'
import { EventIds } from './event-ids.ts'
import { PostgresCounts } from './postgres-counts.ts'
import { QueueLoad } from './queue-load.ts'
import { Retention } from './retention.ts'
import { WakeUp } from './wake-up.ts'

export interface PostgresQueueOptions {
  primary: Primary
  /** The queue's limits, which must be the same on all nodes. */
  limits: QueueLimits
  kept?: RetentionLimits | undefined
  /** Unique to this process, across all nodes and restarts. Must not contain spaces. */
  nodeId: string
  nowMs: number
  /** Returns a random number from 0 (inclusive) to 1 (exclusive), for retry jitter. */
  chance: () => number
  /** Called with errors from rows or steps that failed without stopping the others. They are retried. */
  onFault?: OnFault | undefined
}

/** Number of lanes of acceptance. Each has one batch in flight at a time. */
export const acceptanceLanes = 3
/** Maximum duration of a queue statement, so that webhooks don't wait longer than this if the database hangs. */
export const statementMs = 2_000
/** Size of the pool for claims and all other work except acceptance. */
const claimConnections = 3

/** Dependencies that the parts of a node's queue share. */
export type QueueParts = ReturnType<typeof createParts>

export function createParts({ primary, limits, kept, nodeId, chance, onFault = () => {} }: PostgresQueueOptions) {
  const pool = queuePool(primary, claimConnections)
  const retention = new Retention(pool, kept)
  const load = new QueueLoad(pool, limits, () => retention.trimTotals())
  const wakeUp = new WakeUp(primary, nodeId)
  const tracked = { ids: new EventIds(), counts: new PostgresCounts(pool), load, retention, wakeUp }
  const books = new Bookkeeping(tracked)
  const writers = queuePool(primary, acceptanceLanes)
  const distribution = new Distribution()
  return { ...tracked, pool, writers, limits, distribution, books, nodeId, chance, onFault }
}

/** Opens a pool for one kind of queue work, so that different kinds of work don't wait for each other. */
export function queuePool(primary: Primary, connections: number): PostgresPool {
  // Webhooks come in bursts, so idle connections are kept for the life of the process.
  return new PostgresPool({ primary, applicationName: 'gatehouse queue', connections, statementMs, idleMs: 0 })
}
