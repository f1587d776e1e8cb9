import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import * as limits from '../../src/domain/limits/limits.ts'
import type { RequestCount } from '../../src/domain/limits/sliding-log.ts'
import { PostgresDatabase } from '../../src/storage/postgres/postgres-database.ts'
import { postgresAudit } from '../../src/storage/postgres/postgres-identity.ts'
import { requestCounts, sharedCount } from '../../src/storage/postgres/request-counts.ts'
import type { IdentityStores } from '../../src/storage/sql/identity-stores.ts'
import { sql } from '../../src/storage/sql/sql.ts'
import { acme, aGrant, anEvent, next, nowMs } from '../contract/scene.ts'
import { openIdentityDatabase, openIdentityNodes } from '../support/postgres/identity.ts'
import { openClient } from '../support/postgres/with-client.ts'
import { atOnce, pluck } from '../support/together.ts'

test('postgres: expired tokens are deleted even if another node has many live tokens with lower numbers', async (t) => {
  const { nodes } = await openIdentityNodes(t, 2)
  const [{ grants: quiet }, { grants: busy }] = nodes as [IdentityStores, IdentityStores]
  const low = await quiet.allotNumber('access-token')
  const expired = await issueToken(busy, nowMs)
  assert.ok(expired > low)
  const laterMs = nowMs + 2_000 * limits.accessTokenLifetimeSeconds
  const live = await atOnce(20, () => issueToken(quiet, laterMs))
  assert.ok(live.every((number) => number < expired))
  assert.equal(await busy.prune(laterMs, 10), 1)
  assert.equal(await busy.findAccessToken(expired), undefined)
  for (const number of live) assert.ok(await busy.findAccessToken(number))
})

test('postgres: a node goes on to issue tokens after a newer release has added a column', async (t) => {
  const { databases, nodes } = await openIdentityNodes(t, 1)
  const [{ grants }, database] = [nodes[0]!, databases[0]!]
  await issueToken(grants, nowMs)
  await database.queryOnce(sql`ALTER TABLE token_families ADD COLUMN later bigint`)
  await issueToken(grants, nowMs)
  await database.queryOnce(sql`ALTER TABLE token_families DROP COLUMN later`)
})

/** Issues and redeems a code. Returns the number under which the access token is stored. */
async function issueToken(grants: IdentityStores['grants'], atMs: number): Promise<number> {
  const grant = { ...(await aGrant(grants, ['user.identify'])), codeExpiresAtMs: atMs + 60_000 }
  await grants.issueCode(grant, atMs)
  const { number: row, codeDigest: digest, redirectUri } = grant
  const code = { row, generation: 0, digest, applicationId: acme, redirectUri, clearTextVerifier: undefined }
  const tokens = await next(grants)
  assert.equal((await grants.redeemCode(code, tokens, atMs)).kind, 'redeemed')
  return tokens.accessNumber
}

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
  const waits = await atOnce(requests, () => count.take('192.0.2.1', 1_000))
  return waits.filter((waitMs) => waitMs === 0).length
}

const insert = `INSERT INTO audit_events (at_ms, kind, actor, detail) VALUES (1, 'sign-in', 'user', '{}')`

/** Opens an audit store on PostgreSQL with one event in an open transaction and a later event already committed. */
async function withOpenTransaction(t: TestContext) {
  const database = await openIdentityDatabase(t)
  const audit = postgresAudit(database)
  const other = await openClient(t, database.primary.url)
  await other.query('BEGIN')
  await other.query(insert)
  await audit.append(anEvent(2))
  return { audit, other }
}

test('postgres: an export waits for an open transaction and lists that transaction’s event before events with higher numbers', async (t) => {
  const { audit, other } = await withOpenTransaction(t)
  const listing = audit.listAfter(0, 10)
  await other.query('SELECT pg_sleep(0.1)')
  await other.query('COMMIT')
  assert.deepEqual(pluck(await listing, 'number'), [1, 2])
})

test('postgres: an export skips the number of a rolled-back transaction', async (t) => {
  const { audit, other } = await withOpenTransaction(t)
  await other.query('ROLLBACK')
  assert.deepEqual(pluck(await audit.listAfter(0, 10), 'number'), [2])
})

test('postgres: if a transaction stays open, an export stops before that transaction’s event, and appends don’t wait', async (t) => {
  const { audit, other } = await withOpenTransaction(t)
  const listing = audit.listAfter(0, 10)
  await audit.append(anEvent(3))
  assert.deepEqual(await listing, [])
  assert.deepEqual(pluck(await audit.listAfter(1, 10), 'number'), [2, 3])
  await other.query('COMMIT')
  assert.deepEqual(pluck(await audit.listAfter(0, 10), 'number'), [1, 2, 3])
})
