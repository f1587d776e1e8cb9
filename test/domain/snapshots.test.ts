import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Snapshots } from '../../src/domain/bots/status/snapshots.ts'
import { aBot, aReport, botId, nowMs } from '../contract/bot-stores.ts'
import { openBotStores } from '../support/adapters/open-bot-stores.ts'

const one = botId('one')

test('heartbeats and goodbyes that are flushed while the store is read override the rows that the read returns', async (t) => {
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
    await snapshots.flush()
    for (const stored of [before, await read()]) {
      const { reportedAtMs, hasLeft } = over(one, stored) ?? {}
      assert.deepEqual({ reportedAtMs, hasLeft }, expected)
    }
  }
})

test('a change that arrives while the store is read overrides the changes from before', async (t) => {
  const { bots, snapshots: store } = await openBotStores(t)
  await bots.putBot(one, aBot(1), nowMs)
  const snapshots = new Snapshots(store)
  snapshots.record(aReport('one'), nowMs)
  const over = snapshots.overlay()
  const flushed = snapshots.flush()
  snapshots.leave(one, nowMs + 1)
  assert.equal(over(one, undefined)?.hasLeft, true)
  await flushed
  assert.equal(over(one, undefined)?.hasLeft, true)
  await snapshots.flush()
  assert.equal(over(one, (await bots.findWithStatus(one))?.snapshot)?.hasLeft, true)
})
