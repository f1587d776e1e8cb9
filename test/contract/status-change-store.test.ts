import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import * as limits from '../../src/domain/limits/limits.ts'
import { onEachDatabase } from '../support/adapters/identity-engines.ts'
import { aBot, botId, nowMs, withPeople } from './scene.ts'

const one = botId('one')
const two = botId('two')

onEachDatabase('StatusHistoryStore: changes', withPeople, (open) => {
  const opened = async (t: TestContext) => {
    const { bots, announcements, ...stores } = await open(t)
    await bots.putBot(one, aBot(1), nowMs)
    await bots.putBot(two, aBot(2), nowMs)
    const announce = (previous: string | undefined, state: string, sinceMs: number, id = one) =>
      announcements.announce([{ botId: id, subject: 'connection', previous, state, sinceMs }])
    return { ...stores, bots, announcements, announce }
  }

  test('a change announced by several nodes simultaneously is stored once; a bot’s first announced status is not stored as a change', async (t) => {
    const { announcements, statusHistory, announce } = await opened(t)
    await announce(undefined, 'online', 1)
    await Promise.all([2, 3, 4].map((atMs) => announce('online', 'offline', atMs)))
    const [change, ...others] = await statusHistory.changesOf(one)
    assert.equal(change?.state, 'offline')
    assert.deepEqual(others, [])
    await announce('offline', 'hosting-off', 9)
    await announce('online', 'offline', 10)
    assert.deepEqual(await statusHistory.changesOf(one), [change, { atMs: 9, state: 'hosting-off' }])
    const queue = { botId: one, subject: 'queue', previous: undefined, state: 'nearly-full', sinceMs: 11 } as const
    await announcements.announce([queue, queue])
    assert.equal((await statusHistory.changesOf(one)).length, 2)
    assert.deepEqual(await statusHistory.changesOf(two), [])
  })

  test('a bot keeps a limited number of status changes; the oldest are deleted', async (t) => {
    const { statusHistory, announce } = await opened(t)
    await announce(undefined, 'online', 1)
    await announce(undefined, 'online', 1, two)
    await announce('online', 'offline', 2, two)
    const states = ['online', 'offline'] as const
    for (let at = 0; at < limits.statusChangesPerBot + 5; at += 1) {
      await announce(states[at % 2], states[(at + 1) % 2]!, at + 10)
    }
    const kept = await statusHistory.changesOf(one)
    assert.equal(kept.length, limits.statusChangesPerBot)
    assert.deepEqual([kept[0]?.atMs, kept.at(-1)?.atMs], [15, limits.statusChangesPerBot + 14])
    assert.equal((await statusHistory.changesOf(two)).length, 1)
  })

  test('old status changes are pruned', async (t) => {
    const { statusHistory, announce, pruneExpired } = await opened(t)
    await announce(undefined, 'online', 1)
    await announce('online', 'offline', 10)
    await announce('offline', 'online', 20)
    await announce('online', 'offline', 30)
    assert.equal(await pruneExpired('status_changes', 29, 5), 2)
    assert.deepEqual(await statusHistory.changesOf(one), [{ atMs: 30, state: 'offline' }])
  })
})
