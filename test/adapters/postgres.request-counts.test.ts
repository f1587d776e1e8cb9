import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RequestCount } from '../../src/domain/limits/sliding-log.ts'
import { PostgresDatabase } from '../../src/storage/postgres/postgres-database.ts'
import { requestCounts, sharedCount } from '../../src/storage/postgres/request-counts.ts'
import { sql } from '../../src/storage/sql/sql.ts'
import { openIdentityDatabase } from '../support/postgres/identity.ts'

const limit = { limit: 60, windowMs: 60_000 }

test('postgres: of a hundred simultaneous requests to two nodes, exactly sixty are allowed', async (t) => {
  const database = await openIdentityDatabase(t)
  const nodes = [requestCounts(database, limit), requestCounts(database, limit)]
  const waits = await Promise.all(Array.from({ length: 100 }, (_, index) => nodes[index % 2]!.take('192.0.2.1', 1_000)))
  assert.equal(waits.filter((waitMs) => waitMs === 0).length, 60)
})

test('postgres: an address is allowed sixty requests in any sixty seconds, and rejected requests count too', async (t) => {
  const count = requestCounts(await openIdentityDatabase(t), limit)
  const room = async (atMs: number) => (await count.take('192.0.2.1', atMs)) === 0
  for (let second = 0; second < 60; second += 1) assert.ok(await room(second * 1_000))
  assert.ok(!(await room(59_999)), 'the first one is still within sixty seconds')
  assert.ok(!(await room(60_500)), 'the refusal took the place of the first')
  assert.equal(await count.take('192.0.2.1', 60_501), 2_499, 'the wait is until the oldest of the last sixty drops out')
  assert.ok(await room(200_000))
  assert.equal(await count.take('192.0.2.2', 59_999), 0, 'another address has its own')
})

test('postgres: the sliding window of each request in a batch ends at that request’s own time', async (t) => {
  const count = requestCounts(await openIdentityDatabase(t), limit)
  await Promise.all(Array.from({ length: 60 }, () => count.take('192.0.2.1', 0)))
  const waits = await Promise.all([count.take('192.0.2.1', 59_999), count.take('192.0.2.1', 60_000)])
  assert.deepEqual(waits, [1, 0])
})

test('postgres: counts of addresses that were idle for a minute are deleted', async (t) => {
  const database = await openIdentityDatabase(t)
  const count = requestCounts(database, limit)
  await count.take('192.0.2.1', 1_000)
  await count.take('192.0.2.2', 50_000)
  assert.equal(await count.prune(61_000, 100), 1)
  assert.deepEqual(await database.queryOnce(sql`SELECT key FROM request_counts`), [{ key: '192.0.2.2' }])
})

test('postgres: all nodes share one request count, including a node that starts later', async (t) => {
  const database = await openIdentityDatabase(t)
  const [one, other] = [sharedCount(database, limit), sharedCount(database, limit)]
  assert.equal(await room(one, 40), 40)
  assert.equal(await room(other, 15), 15)
  assert.equal(await room(one, 10), 5)
  assert.equal(await room(sharedCount(database, limit), 1), 0)
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
