import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { postgresAudit } from '../../src/storage/postgres/postgres-identity.ts'
import { anEvent } from '../contract/audit-scene.ts'
import { openIdentityDatabase } from '../support/postgres/identity.ts'
import { openClient } from '../support/postgres/with-client.ts'

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
  assert.deepEqual(numbers(await listing), [1, 2])
})

test('postgres: an export skips the number of a rolled-back transaction', async (t) => {
  const { audit, other } = await withOpenTransaction(t)
  await other.query('ROLLBACK')
  assert.deepEqual(numbers(await audit.listAfter(0, 10)), [2])
})

test('postgres: if a transaction stays open, an export stops before that transaction’s event, and appends don’t wait', async (t) => {
  const { audit, other } = await withOpenTransaction(t)
  const listing = audit.listAfter(0, 10)
  await audit.append(anEvent(3))
  assert.deepEqual(await listing, [])
  assert.deepEqual(numbers(await audit.listAfter(1, 10)), [2, 3])
  await other.query('COMMIT')
  assert.deepEqual(numbers(await audit.listAfter(0, 10)), [1, 2, 3])
})

function numbers(events: readonly { number: number }[]): number[] {
  return events.map(({ number }) => number)
}
