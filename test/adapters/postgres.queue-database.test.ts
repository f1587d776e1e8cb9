import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { BotId } from '../../src/domain/ids-and-secrets.ts'
import * as limits from '../../src/domain/limits/limits.ts'
import { StoreUnavailable } from '../../src/domain/store-unavailable.ts'
import { Primary } from '../../src/storage/postgres/primary.ts'
import { QueueLoad, queuePool } from '../../src/storage/postgres/queue/queue-parts.ts'
import { claimOf, greeter, guard, holder, newEvent, roomy, startMs } from '../contract/queue-scene.ts'
import { eventually } from '../support/eventually.ts'
import { openQueueDatabase, pathsOf, twoNodes } from '../support/postgres/queue.ts'
import { emptyDatabase, migratedDatabase } from '../support/postgres/test-database.ts'
import { openWire } from '../support/postgres/wire.ts'
import { ask } from '../support/postgres/with-client.ts'
import { pluck } from '../support/together.ts'

describe('our choice: queue database faults', () => {
  test('a row that the database rejects does not fail the rest of its batch', async (t) => {
    const { one } = await twoNodes(t)
    const headers = { contentType: 'a\0b', userAgent: undefined, forwardedFor: undefined, requestId: undefined }
    const accepted = Array.from({ length: 20 }, (_, n) =>
      one.accept(newEvent(n === 7 ? { headers } : { path: `${n}` })),
    )
    const outcomes = (await Promise.all(accepted)).map(({ kind }) => kind)
    assert.deepEqual(outcomes, [...Array(7).fill('accepted'), 'unavailable', ...Array(12).fill('accepted')])
    assert.equal((await pathsOf(one)).length, 19)
  })

  test('when a node’s connection to the others stops responding, the node opens another', async (t) => {
    const { url, openNode } = await openQueueDatabase(t)
    const wire = await openWire(t, url)
    const one = await openNode({ limits: roomy })
    const other = await openNode({ limits: roomy, primary: new Primary([wire.url]) })
    const notified: BotId[] = []
    other.onDue((botId) => notified.push(botId))
    wire.silence()
    // Retries until the new connection receives a notification.
    await eventually(async () => {
      await one.accept(newEvent())
      return notified.length > 0 || undefined
    })
  })

  test('polling finds events whose notification a node missed', async (t) => {
    const { one, other } = await twoNodes(t)
    await one.accept(newEvent())
    assert.deepEqual(await other.botsWithMissedEvents([guard, greeter], startMs), [greeter])
    assert.deepEqual(await other.botsWithMissedEvents([], startMs), [])
  })

  test('accept returns unavailable while the database does not respond, and succeeds again afterwards', async (t) => {
    const { url, openNode } = await openQueueDatabase(t)
    const wire = await openWire(t, url)
    const node = await openNode({ limits: roomy, primary: new Primary([wire.url]) })
    await node.accept(newEvent())
    wire.silence()
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => node.accept(newEvent())))
    assert.deepEqual(pluck(outcomes, 'kind'), Array(5).fill('unavailable'))
    assert.equal((await node.figures()).refusedUnavailable, 5)
    await eventually(async () => (await node.accept(newEvent())).kind === 'accepted' || undefined)
  })
})

describe('our choice: retention in the queue database', () => {
  test('finished events are partitioned by day; a partition is dropped once all its events are past retention', async (t) => {
    const { url, openNode } = await openQueueDatabase(t)
    const [one, other] = [await openNode({ limits: roomy }), await openNode({ limits: roomy })]
    await one.accept(newEvent())
    const [delivery] = (await one.claim(claimOf())).deliveries
    await one.acknowledge(holder, [delivery?.delivery ?? ''], startMs)
    const day = `queue_done_${Math.floor(startMs / 86_400_000)}`
    const state = async () => [
      (await ask(url, `SELECT 1 FROM pg_class WHERE relname = '${day}'`)).length,
      (await other.log.page(greeter, {}, { most: 9 })).events.length,
    ]
    assert.deepEqual(await state(), [1, 1])
    await one.prune(startMs + limits.acknowledgedRetentionMs, 100)
    assert.deepEqual(await state(), [1, 0])
    assert.deepEqual(await other.replay(greeter, delivery?.id ?? '', startMs), { kind: 'unknown' })
    // The database's clock was ahead, and has been set back.
    await one.prune(startMs, 100)
    assert.deepEqual(await state(), [1, 1])
    await one.prune(startMs + 2 * limits.acknowledgedRetentionMs, 100)
    assert.deepEqual(await state(), [0, 0])
    assert.deepEqual(await ask(url, 'SELECT done_events::int, done_bytes::int FROM queue_left'), [
      { done_events: 0, done_bytes: 0 },
    ])
  })

  test('an idle bot’s rows are deleted, and its next event creates them again', async (t) => {
    const { url, openNode } = await openQueueDatabase(t)
    const node = await openNode({ limits: roomy })
    await node.accept(newEvent())
    const laterMs = startMs + 40 * limits.eventAgeLimitMs
    for (let n = 0; n < 3; n += 1) await node.prune(laterMs, 100)
    assert.deepEqual(await ask(url, 'SELECT bot_id FROM queue_entered UNION SELECT bot_id FROM queue_left'), [])
    assert.deepEqual(await node.accept(newEvent({ acceptedAtMs: laterMs })), { kind: 'accepted' })
  })
})

test('our choice: bytes are read correctly and migrations have no time limit, whatever the settings of the database or the role', async () => {
  const settings = '-c bytea_output=escape -c array_nulls=off -c statement_timeout=1h -c lock_timeout=1h'
  const primary = new Primary([`${await emptyDatabase()}?options=${encodeURIComponent(settings)}`])
  const pool = queuePool(primary, 1)
  const stored = await pool.rows("SELECT decode('00ff', 'hex') AS bytes, ?::text[] AS texts", [[null]])
  assert.deepEqual(stored, [{ bytes: new Uint8Array([0, 255]), texts: [null] }])
  await pool.close()
  const client = await primary.connect('gatehouse migration')
  const names = ['bytea_output', 'statement_timeout', 'lock_timeout']
  const { rows } = await client.query(`SELECT ${names.map((name) => `current_setting('${name}') AS ${name}`)}`)
  assert.deepEqual(rows, [{ bytea_output: 'hex', statement_timeout: '0', lock_timeout: '0' }])
  await client.end()
})

test('a webhook that is being stored stays in the totals, although a reading of them misses it', async (t) => {
  const pool = queuePool(new Primary([await migratedDatabase()]), 1)
  t.after(() => pool.close())
  const load = new QueueLoad(pool, roomy, () => {})
  await load.read()
  load.enter(5)
  load.storing += 1
  await load.read()
  assert.deepEqual(load.size, { events: 1, bytes: 5 })
  load.close()
})

test('a statement after the database has closed its transaction’s connection is reported as unavailable', async () => {
  const url = await emptyDatabase()
  const pool = queuePool(new Primary([url]), 1)
  const closed = pool.transaction(async (transaction) => {
    const [{ pid } = {}] = await transaction.rows<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    assert.deepEqual(await ask(url, `SELECT pg_terminate_backend(${pid}, 60000)::int AS ended`), [{ ended: 1 }])
    await transaction.rows('SELECT 1 AS one')
  })
  await assert.rejects(closed, StoreUnavailable)
  await pool.close()
})

test('only errors of a host that is gone, read-only or refuses connections send the next connections to another host', async (t) => {
  const url = await emptyDatabase()
  const standby = `${url}?options=${encodeURIComponent('-c default_transaction_read_only=on')}`
  const hostFailures = ['57P01', '57P03', '25006', '28P01', '53300', '08P01', 'pool busy']
  for (const code of [...hostFailures, '57014', '53100', '58030', '08006', 'XX000']) {
    const primary = new Primary([url, standby])
    const pool = queuePool(primary, 1)
    t.after(() => pool.close())
    const raise = `DO $$ BEGIN RAISE SQLSTATE '${code}'; END $$`
    await assert.rejects(
      pool.transaction(async (transaction) => {
        if (code !== 'pool busy') return transaction.execute(raise)
        t.mock.timers.enable({ apis: ['setTimeout'] })
        const waiting = pool.rows('SELECT 1 AS one')
        t.mock.timers.tick(2_000)
        await waiting.finally(() => t.mock.timers.reset())
      }),
      StoreUnavailable,
    )
    assert.equal(primary.url, hostFailures.includes(code) ? standby : url, code)
  }
})

test('our choice: a node waits behind a transaction pooler, and says so', async () => {
  const url = await emptyDatabase()
  await ask(url, "CREATE FUNCTION pg_backend_pid() RETURNS integer LANGUAGE sql AS 'SELECT 1'")
  const pooled = `${url}?options=${encodeURIComponent('-c search_path=public,pg_catalog')}`
  await assert.rejects(new Primary([pooled]).connect('gatehouse node'), /it is a transaction pooler/)
})
