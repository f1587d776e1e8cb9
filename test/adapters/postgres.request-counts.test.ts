import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RequestCount } from '../../src/domain/limits/sliding-log.ts'
import { PostgresDatabase } from '../../src/storage/postgres/postgres-database.ts'
import { requestCounts, sharedCount } from '../../src/storage/postgres/request-counts.ts'
import { sql } from '../../src/storage/sql/sql.ts'
import { openIdentityDatabase } from '../support/postgres/identity.ts'

const limit = { limit: 60, windowMs: 60_000 }

test('postgres: counts of addresses that were idle for a minute are deleted', async (t) => {
  const database = await openIdentityDatabase(t)
  const count = requestCounts(database, limit)
  await count.take('192.0.2.1', 1_000)
  await count.take('192.0.2.2', 50_000)
  assert.equal(await count.prune(61_000, 100), 1)
  assert.deepEqual(await database.queryOnce(sql`SELECT key FROM request_counts`), [{ key: '192.0.2.2' }])
})

test('postgres: a request rejected by the node’s own count is not sent to the database', async (t) => {
  const database = await openIdentityDatabase(t)
  const count = sharedCount(database, limit)
  await room(count, 60)
  await database.queryOnce(sql`TRUNCATE request_counts`)
  assert.equal(await room(count, 40), 0)
  assert.deepEqual(await database.queryOnce(sql`SELECT key FROM request_counts`), [])
})

test('postgres: while the database is unreachable, a node uses its own count', async (t) => {
  const { primary } = await openIdentityDatabase(t)
  const away = new PostgresDatabase({ primary, connections: 1 })
  await away.close()
  assert.equal(await room(sharedCount(away, limit), 100), 60)
})

/** Makes `requests` concurrent requests and returns how many of them are allowed. */
async function room(count: RequestCount, requests: number): Promise<number> {
  const waits = await Promise.all(Array.from({ length: requests }, () => count.take('192.0.2.1', 1_000)))
  return waits.filter((waitMs) => waitMs === 0).length
}
