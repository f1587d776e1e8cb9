import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type BotRef, type BotStore, newBotDefaults } from '../../src/domain/bots/bot.ts'
import { RuntimeConnections } from '../../src/domain/bots/runtimes/runtime-connections.ts'
import { type SnapshotChange, Snapshots } from '../../src/domain/bots/status/snapshots.ts'
import { StatusBoard } from '../../src/domain/bots/status/status-board.ts'
import { createStatusWatch } from '../../src/domain/bots/status/status-watch.ts'
import { aBot, aKey, aReport, botId, nowMs, runtimeId, snowflake } from '../contract/scene.ts'
import { openBotStores } from '../support/adapters/open-identity.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { worldStartMs } from '../support/postgres/test-database.ts'
import { heldBack, pluck } from '../support/together.ts'

const one = botId('one')

/** Opens a board on a store whose reads of the bot `one` resolve only when the test resolves them. */
function openBoard() {
  const clock = new ManualClock(1_000_000)
  const asked: ((name: string) => void)[] = []
  const bot = { ...newBotDefaults, ...aBot(1), id: one, createdAtMs: 0 }
  const bots = {
    findPublic: () => new Promise((resolve) => asked.push((name) => resolve({ bot: { ...bot, name } }))),
  } as unknown as BotStore
  const snapshots = new Snapshots({ applySnapshots: async () => {} })
  return { clock, asked, board: new StatusBoard({ bots, snapshots, clock }) }
}

describe('The status board', () => {
  test('the status board reads once for concurrent callers, and caches the result for a second', async () => {
    const { clock, asked, board } = openBoard()
    const readings = [board.read('one'), board.read('one'), board.read('one')]
    assert.equal(asked.length, 1)
    asked[0]?.('One')
    for (const reading of readings) assert.equal((await reading)?.status.name, 'One')
    await clock.advance(999)
    assert.equal(board.recall('one'), await readings[0])
    clock.jump(-3_600_000)
    assert.equal(board.recall('one'), undefined, 'the clock was set back')
    await clock.advance(3_600_001)
    assert.equal(board.recall('one'), undefined)
  })

  test('a status read that began before a change is neither cached nor shared with callers after the change', async () => {
    const { asked, board } = openBoard()
    const before = board.read('one')
    board.changed(one)
    const after = board.read('one')
    assert.equal(asked.length, 2)
    asked[1]?.('New')
    assert.equal((await after)?.status.name, 'New')
    asked[0]?.('Old')
    assert.equal((await before)?.status.name, 'Old')
    assert.equal(board.recall('one')?.status.name, 'New')
  })

  test('each read of the status of an unknown, deleted or non-public bot performs exactly one lookup, even when repeated', async (t) => {
    const stores = await openBotStores(t)
    let lookUps = 0
    const bots = {
      findPublic: (ref: BotRef) => {
        lookUps += 1
        return stores.bots.findPublic(ref)
      },
    } as unknown as BotStore
    const snapshots = new Snapshots({ applySnapshots: async () => {} })
    const board = new StatusBoard({ bots, snapshots, clock: new ManualClock(1_000_000) })
    await stores.bots.putBot(botId('closed'), { ...aBot(1), publicStatus: false }, 0)
    await stores.bots.putBot(botId('deleted'), { ...aBot(2), publicStatus: true }, 0)
    await stores.bots.removeBot(botId('deleted'), 0)
    const texts = ['unknown', 'closed', 'deleted', snowflake(1), snowflake(2), snowflake(3)]
    for (const text of [...texts, ...texts]) assert.equal(await board.read(text), undefined)
    assert.equal(lookUps, 12)
  })
})

describe('Storing heartbeats', () => {
  test('heartbeats that could not be stored are retried, and newer heartbeats replace them', async () => {
    const stored: SnapshotChange[][] = []
    let failing = true
    const snapshots = new Snapshots({
      async applySnapshots(changes) {
        if (failing) throw new Error('no room')
        stored.push([...changes])
      },
    })
    snapshots.record(aReport('one'), 1)
    snapshots.record(aReport('two'), 1)
    const flushing = snapshots.flush(0)
    snapshots.leave(one, 2)
    snapshots.record(aReport('two', { guildCount: 9 }), 2)
    await assert.rejects(flushing, /no room/)
    const expected = [
      { ...aReport('one'), reportedAtMs: 1, hasLeft: true },
      { ...aReport('two', { guildCount: 9 }), reportedAtMs: 2, hasLeft: false },
    ]
    for (const snapshot of expected) assert.deepEqual(snapshots.overlay()(snapshot.botId, undefined), snapshot)
    failing = false
    await snapshots.flush(0)
    await snapshots.flush(0)
    assert.deepEqual(stored, [expected.map((snapshot) => ({ kind: 'heartbeat', snapshot }))])
  })

  test('a snapshot in memory overrides the stored one only if it is newer', () => {
    const snapshots = new Snapshots({ applySnapshots: async () => {} })
    const stored = { ...aReport('one', { guildCount: 1 }), reportedAtMs: 10, hasLeft: false }
    assert.equal(snapshots.overlay()(one, stored), stored)
    snapshots.record(aReport('one'), 9)
    assert.equal(snapshots.overlay()(one, stored), stored)
    snapshots.record(aReport('one'), 11)
    assert.equal(snapshots.overlay()(one, stored)?.guildCount, 3)
  })
})

test('heartbeats and goodbyes that arrive or are flushed while the store is read override the rows that the read returns', async (t) => {
  const { bots, snapshots: store } = await openBotStores(t)
  await bots.putBot(one, aBot(1), nowMs)
  const snapshots = new Snapshots(store)
  const read = async () => (await bots.findWithStatus(one))?.snapshot
  const steps: [step: () => void, expected: { reportedAtMs: number; hasLeft: boolean }][] = [
    [() => snapshots.record(aReport('one'), nowMs), { reportedAtMs: nowMs, hasLeft: false }],
    [() => snapshots.leave(one, nowMs + 1), { reportedAtMs: nowMs, hasLeft: true }],
    [() => snapshots.record(aReport('one'), nowMs + 2), { reportedAtMs: nowMs + 2, hasLeft: false }],
  ]
  for (const [step, expected] of steps) {
    step()
    const over = snapshots.overlay()
    const before = await read()
    await snapshots.flush(0)
    for (const stored of [before, await read()]) {
      const { reportedAtMs, hasLeft } = over(one, stored) ?? {}
      assert.deepEqual({ reportedAtMs, hasLeft }, expected)
    }
  }

  snapshots.record(aReport('one'), nowMs + 3)
  const over = snapshots.overlay()
  const flushed = snapshots.flush(0)
  snapshots.leave(one, nowMs + 4)
  for (const stored of [undefined, await read()]) assert.equal(over(one, stored)?.hasLeft, true)
  await flushed
  assert.equal(over(one, undefined)?.hasLeft, true)
})

test('a bot whose heartbeat is flushed while another bot’s event is published is not reported as offline', async (t) => {
  const { announcements, statusHistory, bots, snapshots: store } = await openBotStores(t)
  const clock = new ManualClock(worldStartMs)
  const [one, two] = [botId('one'), botId('two')]
  for (const [at, id] of [one, two].entries()) await bots.putBot(id, aBot(at, { hostingEnabled: true }), worldStartMs)
  const snapshots = new Snapshots(store)
  const published: string[] = []
  let flushesOnPublish = false
  const watch = createStatusWatch({
    announcements,
    statusHistory,
    snapshots,
    async publish({ is, bot }) {
      published.push(`${is} ${bot.id}`)
      if (flushesOnPublish) await snapshots.flush(0)
    },
    clock,
    onFault: (error) => assert.fail(String(error)),
  })
  await clock.advance(90_000)
  await watch.compare(true)
  for (const id of [one, two]) snapshots.record(aReport(id), clock.nowMs())
  await watch.compare(true)
  assert.deepEqual(published.splice(0), ['online one', 'online two'])

  flushesOnPublish = true
  snapshots.leave(one, clock.nowMs())
  await watch.compare(true)
  await watch.compare(true)
  assert.deepEqual(published, ['offline one'])
})

test('a connection whose end is flushed while the store is read is listed as ended', async (t) => {
  const stores = await openBotStores(t)
  const { store, reached, release } = heldBack(stores.runtimeConnections, 'listConnections')
  const id = runtimeId('r1')
  await stores.runtimes.addRuntime({ id, name: 'Attic', ownerId: null, botIds: null }, aKey('runtime key'), 9, nowMs)
  const clock = new ManualClock(worldStartMs)
  const onFault = (error: unknown) => assert.fail(String(error))
  const connections = new RuntimeConnections({ store, clock, flushEveryMs: 1_000, onFault })
  const connection = connections.open(id, { instance: 'one', agent: 'test/1' })
  await connections.flush()
  connection.ended()
  const early = connections.list([id])
  await reached
  await connections.flush()
  release()
  const ended = (await early).get(id)
  assert.deepEqual(pluck(ended ?? [], 'endedAtMs'), [worldStartMs])
  assert.deepEqual(ended, (await connections.list([id])).get(id))
})
