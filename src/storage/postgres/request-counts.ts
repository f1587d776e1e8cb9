import { type RequestCount, SlidingLog, type SlidingLogLimits } from '../../domain/limits/sliding-log.ts'
import { TickBatch } from './batches.ts'
import { textArray } from './binary-array.ts'
import type { PostgresDatabase } from './postgres-database.ts'

/**
 * Counts requests per key across all nodes, in a table. This node's own count rejects requests without a query, and
 * stands alone while the database is unreachable. Requests rejected by it are not in the table, so other nodes may
 * admit a key sooner than a single shared count would, but never above the limit.
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

interface CountedRequest {
  key: string
  nowMs: number
}

/**
 * Stores the times of a batch of requests. Returns only the keys that may be over the limit. A key's row keeps the last
 * `limit` times before the batch, followed by the batch's own times, so that each request in the batch can be checked
 * against the `limit` requests before it.
 */
const countRequests = `WITH counted AS (
    INSERT INTO request_counts AS counted (key, times)
    SELECT key, times FROM unnest($1::text[], $2::text[]) AS asked (key, listed), CAST(listed AS bigint[]) AS times
    ORDER BY key
    ON CONFLICT (key) DO UPDATE SET times =
      counted.times[greatest(1, cardinality(counted.times) - $3 + 1):] || excluded.times
    RETURNING key, times
  )
  SELECT key, array_to_string(times, ',') AS times FROM counted
  WHERE times[cardinality(times) - $3] > $4`

/** One row per key has its latest requests, in an unlogged table, which a crash may empty. Locked in key order. */
export function requestCounts(database: PostgresDatabase, { limit, windowMs }: { limit: number; windowMs: number }) {
  const batch = new TickBatch<CountedRequest, number>({ perform, maxItems: 500, concurrency: 2 })

  async function perform(requests: readonly CountedRequest[]): Promise<number[]> {
    const byKey = new Map<string, number[]>()
    for (const { key, nowMs } of requests) byKey.getOrInsertComputed(key, () => []).push(nowMs)
    const keys = [...byKey.keys()]
    const listed = keys.map((key) => `{${byKey.get(key)?.join(',')}}`)
    const rows = await database.pool.rows<{ key: string; times: string }>(countRequests, [
      textArray(keys),
      textArray(listed),
      limit,
      Math.min(...requests.map(({ nowMs }) => nowMs)) - windowMs,
    ])
    const times = new Map(rows.map((row) => [row.key, row.times.split(',').map(Number)]))
    const judged = new Map<string, number>()
    return requests.map(({ key, nowMs }) => {
      const all = times.get(key)
      if (all === undefined) return 0
      const index = judged.get(key) ?? 0
      judged.set(key, index + 1)
      const before = all.length - (byKey.get(key)?.length ?? 0) + index
      const hadRoom = before < limit || (all[before - limit] as number) + windowMs <= nowMs
      return hadRoom ? 0 : Math.max(1, (all[before + 1 - limit] as number) + windowMs - nowMs)
    })
  }

  return {
    /** Like {@link RequestCount.take}. Calls in one event loop tick share a statement. Throws StoreUnavailable. */
    take: (key: string, nowMs: number): Promise<number> => batch.add({ key, nowMs }),

    /** Like {@link RequestCount.prune}. Throws StoreUnavailable. */
    async prune(nowMs: number, atMost: number): Promise<number> {
      const rows = await database.pool.rows(
        `DELETE FROM request_counts WHERE key IN
           (SELECT key FROM request_counts WHERE times[cardinality(times)] <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED)
         RETURNING key`,
        [nowMs - windowMs, atMost],
      )
      return rows.length
    },
  }
}
