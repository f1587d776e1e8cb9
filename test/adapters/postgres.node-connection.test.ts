import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { NodeMessage } from '../../src/domain/bots/runtimes/assignment-changes.ts'
import { parseBotId } from '../../src/domain/ids-and-secrets.ts'
import { StoreUnavailable } from '../../src/domain/store-unavailable.ts'
import { DatabaseClock } from '../../src/storage/postgres/database-clock.ts'
import { nodeNews, openNodeConnection } from '../../src/storage/postgres/nodes/node-connection.ts'
import { PostgresPool } from '../../src/storage/postgres/postgres-pool.ts'
import { Primary } from '../../src/storage/postgres/primary.ts'
import { sql } from '../../src/storage/sql/sql.ts'
import { eventually } from '../support/eventually.ts'
import { openIdentityDatabase } from '../support/postgres/identity.ts'
import { emptyDatabase } from '../support/postgres/test-database.ts'
import { openWire } from '../support/postgres/wire.ts'
import { openClient } from '../support/postgres/with-client.ts'

const botId = parseBotId('bot-1')!

test('postgres: one of two nodes is the leader; when it closes, the other takes over', async (t) => {
  const { one, other } = await twoNodes(t)
  assert.deepEqual([one.node.isOurs, other.node.isOurs], [true, false])
  await one.node.close()
  await eventually(() => other.node.isOurs || undefined)
  await other.node.close()
  assert.equal(other.node.isOurs, false)
})

test('postgres: a node receives the other node’s broadcasts, but not its own', async (t) => {
  const { one, other } = await twoNodes(t)
  const heard: Record<string, (NodeMessage | 'missed')[]> = { one: [], other: [] }
  one.news.onMessage((news) => heard.one?.push(news))
  other.news.onMessage((news) => heard.other?.push(news))
  one.news.broadcast({ kind: 'bot', botId })
  await eventually(() => heard.other?.[0])
  assert.deepEqual(heard, { one: [], other: [{ kind: 'bot', botId }] })
})

test('postgres: a node that lost its connection is notified that it may have missed broadcasts', async (t) => {
  const { one, other, cut } = await twoNodes(t)
  const heard: (NodeMessage | 'missed')[] = []
  other.news.onMessage((news) => heard.push(news))
  await cut()
  assert.equal(await eventually(() => heard[0]), 'missed')
  one.news.broadcast({ kind: 'bot', botId })
  assert.deepEqual(await eventually(() => heard[1]), { kind: 'bot', botId })
})

async function twoNodes(t: TestContext) {
  const database = await openIdentityDatabase(t)
  const open = async () => {
    const onFault = () => {}
    const node = await openNodeConnection({ primary: database.primary, clock: new DatabaseClock(), onFault })
    t.after(() => node.close())
    return { node, news: nodeNews(node, database, onFault) }
  }
  // The nodes then open new connections.
  const cut = () =>
    database.queryOnce(sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = 'gatehouse node' AND datname = current_database()`)
  return { one: await open(), other: await open(), cut }
}

test('our choice: a node’s clock follows the database’s time, even while the database is unreachable', async (t) => {
  const url = await emptyDatabase()
  const wire = await openWire(t, url)
  const clock = new DatabaseClock()
  const node = await openNodeConnection({ primary: new Primary([wire.url]), clock, onFault: () => {} })
  t.after(() => node.close())
  const client = await openClient(t, url)
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
})

test('postgres: a new connection that answers only after its request timed out serves later requests', async (t) => {
  const wire = await openWire(t, await emptyDatabase())
  const options = { applicationName: 'test', connections: 2, statementMs: 60_000, idleMs: 0 }
  const pool = new PostgresPool({ ...options, primary: new Primary([wire.url]) })
  await pool.rows('SELECT 1')
  const held = wire.holdNext('SHOW transaction_read_only')
  t.mock.timers.enable({ apis: ['setTimeout'] })
  // Both find the connection idle. The second one opens another.
  const [first, second] = [pool.transaction(() => held.arrived), pool.transaction(async () => {})]
  const refused = assert.rejects(second, StoreUnavailable)
  await held.arrived
  t.mock.timers.tick(2_000)
  await Promise.all([first, refused])
  held.release()
  t.mock.timers.reset()
  await eventually(() => pool.figures.idle === 2 || undefined)
  await pool.close()
})
