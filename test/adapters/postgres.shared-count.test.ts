import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { botStatusRequests } from '../../src/domain/limits/limits.ts'
import { NodeConnection } from '../../src/storage/postgres/node-connection.ts'
import { PostgresDatabase } from '../../src/storage/postgres/postgres-database.ts'
import { SharedCount } from '../../src/storage/postgres/shared-count.ts'
import { eventually } from '../support/eventually.ts'
import { cutNodes, openIdentityDatabase } from '../support/postgres/identity.ts'
import { HandClock } from '../support/world.ts'

const client = '192.0.2.1'

test('postgres: a node that is alone counts by itself, and asks the database nothing', async (t) => {
  const { openNode, rows } = await openDatabase(t)
  const node = await openNode()
  const waits = await node.take(100)
  assert.equal(waits.filter((waitMs) => waitMs === 0).length, 60)
  assert.ok(waits.every((waitMs) => waitMs === 0 || waitMs === 60_000))
  assert.deepEqual(await rows(), [])
})

test('postgres: what a node has counted alone holds for the next one that comes, and theirs for both', async (t) => {
  const { openNode } = await openDatabase(t)
  const one = await openNode()
  assert.equal(room(await one.take(40)), 40)
  const other = await openNode()
  assert.equal(room(await other.take(15)), 15)
  assert.equal(room(await one.take(10)), 5)
  assert.equal(room(await other.take(1)), 0)
})

test('postgres: requests are counted while another node comes, none of them twice or never', async (t) => {
  const { openNode } = await openDatabase(t)
  const one = await openNode()
  const coming = openNode()
  let had = 0
  for (let taken = 0; taken < 30; taken += 1) {
    had += room(await one.take(1))
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  assert.equal(had, 30)
  assert.equal(room(await (await coming).take(50)), 30)
})

test('postgres: of nodes that come at once, all count together', async (t) => {
  const { openNode } = await openDatabase(t)
  const nodes = await Promise.all([openNode(), openNode(), openNode()])
  const waits = await Promise.all(nodes.map((node) => node.take(40)))
  assert.equal(room(waits.flat()), 60)
})

test('postgres: a node that is left alone counts by itself a minute later, and what both counted holds', async (t) => {
  const { clock, openNode, rows } = await openDatabase(t)
  const [one, other] = [await openNode(), await openNode()]
  assert.equal(room(await other.take(50)), 50)
  await other.close()
  await eventually(() => one.timesAlone === 2 || undefined)
  assert.equal(room(await one.take(20)), 10)
  clock.jump(59_999)
  assert.equal(room(await one.take(1)), 0)
  clock.jump(60_000)
  const before = await rows()
  assert.equal(room(await one.take(70)), 60)
  assert.deepEqual(await rows(), before)
})

test('postgres: what a lone node had counted in the table before is not counted twice once it has company', async (t) => {
  const { clock, openNode } = await openDatabase(t)
  const [one, other] = [await openNode(), await openNode()]
  assert.equal(room(await other.take(1)), 1)
  await other.close()
  await eventually(() => one.timesAlone === 2 || undefined)
  clock.jump(30_000)
  assert.equal(room(await one.take(10)), 10)
  clock.jump(30_001)
  assert.equal(room(await one.take(10)), 10)
  assert.equal(room(await (await openNode()).take(60)), 40)
})

test('postgres: what two nodes have counted alone, one while the other was cut off, adds up', async (t) => {
  const { openNode, cut } = await openDatabase(t)
  const one = await openNode()
  assert.equal(room(await one.take(20)), 20)
  await cut()
  const other = await openNode()
  assert.equal(room(await other.take(40)), 40)
  await eventually(() => (one.timesMet === 1 && other.timesMet === 1) || undefined)
  assert.equal(room([...(await one.take(1)), ...(await other.take(1))]), 0)
})

test('postgres: what a node has counted holds after it was closed and another one was opened', async (t) => {
  const { openNode } = await openDatabase(t)
  const one = await openNode()
  assert.equal(room(await one.take(40)), 40)
  await one.close()
  assert.equal(room(await (await openNode()).take(40)), 20)
})

test('postgres: a lone node whose connection breaks tells what it has counted before another one counts', async (t) => {
  const { openNode, cut } = await openDatabase(t)
  const one = await openNode()
  assert.equal(room(await one.take(40)), 40)
  await cut()
  await eventually(() => one.timesAlone === 2 || undefined)
  assert.equal(room(await (await openNode()).take(40)), 20)
})

test('postgres: when nobody can tell what the others have counted, a node goes by its own', async (t) => {
  const { database, openNode } = await openDatabase(t)
  const itsOwn = new PostgresDatabase({ primary: database.primary, connections: 1 })
  const [one] = [await openNode(itsOwn), await openNode()]
  await itsOwn.close()
  assert.equal(room(await one.take(100)), 60)
})

function room(waits: readonly number[]): number {
  return waits.filter((waitMs) => waitMs === 0).length
}

async function openDatabase(t: TestContext) {
  const database = await openIdentityDatabase(t)
  await database.alone('TRUNCATE request_counts')
  const clock = new HandClock(1_000_000_000_000)
  return {
    database,
    clock,
    cut: () => cutNodes(database),
    rows: () => database.alone('SELECT key, times[1] AS first FROM request_counts'),
    openNode: (over = database) => openNode(t, over, clock),
  }
}

async function openNode(t: TestContext, database: PostgresDatabase, clock: HandClock) {
  const count = new SharedCount(database, clock, botStatusRequests)
  let timesAlone = 0
  let timesMet = 0
  const company = {
    beAlone: async () => {
      await count.beAlone()
      timesAlone += 1
    },
    cutOff: () => count.cutOff(),
    meet: async () => {
      await count.meet()
      timesMet += 1
    },
  }
  const connection = await NodeConnection.open({ database, primary: database.primary, company, onFault: () => {} })
  t.after(() => connection.close())
  // What comes in the millisecond in which it is seen to be alone is not counted alone yet.
  clock.jump(1)
  return {
    take: (times: number) => Promise.all(Array.from({ length: times }, async () => count.take(client, clock.nowMs()))),
    get timesAlone() {
      return timesAlone
    },
    get timesMet() {
      return timesMet
    },
    close: () => connection.close(),
  }
}
