import type { RequestCount } from '../../domain/limits/request-count.ts'
import { SlidingLog, type SlidingLogLimits } from '../../domain/limits/sliding-log.ts'
import type { PostgresDatabase } from './postgres-database.ts'
import { requestCounts } from './request-counts.ts'

/**
 * Counts the requests of each key over all nodes, in a table. What this node has counted is enough to refuse, which costs
 * the database nothing, and it is all that counts while the database is away.
 *
 * Requests that a node refuses by its own count are not counted in the table. Other nodes may therefore admit a key sooner
 * than one shared count would, but never more than the limit.
 */
export function sharedCount(database: PostgresDatabase, limits: SlidingLogLimits): RequestCount {
  const own = new SlidingLog(limits)
  const shared = requestCounts(database, limits)
  return {
    take(key, nowMs) {
      const waitMs = own.take(key, nowMs)
      return waitMs > 0 ? waitMs : shared.take(key, nowMs).catch(() => 0)
    },
    prune: shared.prune,
  }
}
