import type { OnFault } from '../../../domain/attempt.ts'
import type { PostgresPool } from '../postgres-pool.ts'
import type { DayPartitions } from './day-partitions.ts'
import type { Distribution } from './distribution.ts'
import type { EventIds } from './event-ids.ts'

/** Dependencies of most parts of a node's queue. */
export interface QueueParts {
  /** Runs everything except acceptance, which has its own pool. */
  pool: PostgresPool
  days: DayPartitions
  distribution: Distribution
  ids: EventIds
  nodeId: string
  chance: () => number
  onFault: OnFault
}
