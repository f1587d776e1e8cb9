import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Bot, BotRef, BotStore } from '../../src/domain/bots/bot.ts'
import { type SnapshotChange, Snapshots } from '../../src/domain/bots/status/snapshots.ts'
import { StatusBoard } from '../../src/domain/bots/status/status-board.ts'
import { aBot as aBotOf, aReport, botId, snowflake, userId } from '../contract/bot-stores.ts'
import { openBotStores } from '../support/adapters/open-bot-stores.ts'
import { ManualClock } from '../support/world.ts'

const one = botId('one')

/** Opens a board on a store whose reads resolve only when the test resolves them. */
function openBoard() {
  const clock = new ManualClock(1_000_000)
  const asked: ((name: string) => void)[] = []
  const bots = {
    findPublic: () =>
      new Promise((resolve) => asked.push((name) => resolve({ bot: { ...aBot, name }, snapshot: undefined }))),
  } as unknown as BotStore
  const snapshots = new Snapshots({ applySnapshots: async () => {} })
  return { clock, asked, snapshots, board: new StatusBoard({ bots, snapshots, clock }) }
}

const aBot: Bot = {
  id: one,
  ownerId: userId('ada'),
  name: 'One',
  chatPlatformId: snowflake(1),
  avatar: null,
  plan: 'free',
  hostingEnabled: true,
  hostingLocation: null,
  publicStatus: true,
  createdAtMs: 0,
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
    await clock.advance(1)
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
    await stores.bots.putBot(botId('closed'), { ...aBotOf(1), publicStatus: false }, 0)
    await stores.bots.putBot(botId('deleted'), { ...aBotOf(2), publicStatus: true }, 0)
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
    const flushing = snapshots.flush()
    snapshots.leave(one, 2)
    snapshots.record(aReport('two', { guildCount: 9 }), 2)
    await assert.rejects(flushing, /no room/)
    const expected = [
      { ...aReport('one'), reportedAtMs: 1, hasLeft: true },
      { ...aReport('two', { guildCount: 9 }), reportedAtMs: 2, hasLeft: false },
    ]
    for (const snapshot of expected) assert.deepEqual(snapshots.overlay()(snapshot.botId, undefined), snapshot)
    failing = false
    await snapshots.flush()
    await snapshots.flush()
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
