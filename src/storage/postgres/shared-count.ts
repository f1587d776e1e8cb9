import type { RequestCount } from '../../domain/limits/request-count.ts'
import { SlidingLog, type SlidingLogLimits } from '../../domain/limits/sliding-log.ts'
import type { PostgresDatabase } from './postgres-database.ts'
import { requestCounts } from './request-counts.ts'

/**
 * Counts the requests of each key over all nodes, in a table. This node also counts in memory. Its own count suffices
 * to reject a request without a query, and is the only limit while the database is unreachable.
 *
 * Requests that a node rejects by its own count are not counted in the table. Other nodes may therefore admit a key
 * sooner than one shared count would, but never above the limit.
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
