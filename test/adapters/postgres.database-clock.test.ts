import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from 'pg'
import { StoreUnavailable } from '../../src/domain/store-unavailable.ts'
import { DatabaseClock } from '../../src/storage/postgres/database-clock.ts'
import { Primary } from '../../src/storage/postgres/primary.ts'
import { emptyDatabase } from '../support/postgres/test-database.ts'
import { Wire } from '../support/postgres/wire.ts'

test('our choice: a node’s clock follows the database’s time, even while the database is unreachable', async (t) => {
  const url = await emptyDatabase()
  const wire = await Wire.to(t, url)
  const clock = await DatabaseClock.open(new Primary([wire.url]))
  const client = new Client({ connectionString: url })
  await client.connect()
  const databaseMs = async () =>
    Number((await client.query('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now')).rows[0].now)
  for (const state of ['there', 'away']) {
    if (state === 'away') wire.cut()
    const before = await databaseMs()
    const nowMs = clock.nowMs()
    const after = await databaseMs()
    assert.ok(Number.isInteger(nowMs))
    // A clock reading is off by at most half its round trip. The tolerance allows for a busy machine.
    assert.ok(nowMs > before - 2_000 && nowMs < after + 2_000, `${before} ${nowMs} ${after}`)
  }
  await clock.close()
  await client.end()
})

test('our choice: opening the clock fails while the database is unreachable', async (t) => {
  const wire = await Wire.to(t, await emptyDatabase())
  wire.cut()
  await assert.rejects(DatabaseClock.open(new Primary([wire.url])), StoreUnavailable)
})
