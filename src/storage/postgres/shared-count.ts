import { type RequestCount, SlidingLog, type SlidingLogLimits } from '../../domain/limits/sliding-log.ts'
import type { PostgresDatabase } from './postgres-database.ts'
import { requestCounts } from './request-counts.ts'

/**
 * Counts requests per key across all nodes, in a table. This node also keeps its own count in memory. It uses that
 * count to reject requests without a query, and relies on it alone while the database is unreachable.
 *
 * Requests that a node rejects based on its own count are not counted in the table. Other nodes may therefore admit a
 * key sooner than a single shared count would, but never above the limit.
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
