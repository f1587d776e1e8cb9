import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { HeartbeatReport } from '../../src/domain/bots/status/snapshots.ts'
import { onEachDatabase } from '../support/adapters/identity-engines.ts'
import { aBot, aReport, botId, nowMs, withPeople } from './scene.ts'

onEachDatabase('SnapshotStore', withPeople, (open) => {
  async function openSnapshots(t: TestContext) {
    const { bots, snapshots } = await open(t)
    await bots.putBot(botId('one'), aBot(1, { publicStatus: true }), nowMs)
    return { snapshots, stored: async () => (await bots.findPublic({ kind: 'bot-id', id: botId('one') }))?.snapshot }
  }

  test('the most recently received heartbeat is kept with its nulls, in whatever order heartbeats are stored, unless it is later than now because the clock was set back', async (t) => {
    const { snapshots, stored } = await openSnapshots(t)
    for (const each of [heartbeat(20), heartbeat(30, { guildCount: 7 })]) await snapshots.applySnapshots([each], nowMs)
    await snapshots.applySnapshots([heartbeat(10)], 30)
    assert.deepEqual(await stored(), heartbeat(30, { guildCount: 7 }).snapshot)
    const unknown = { ready: false, presence: null, uptimeMs: null, guildCount: null, shardCount: null }
    await snapshots.applySnapshots([heartbeat(10, unknown)], 29)
    assert.deepEqual(await stored(), heartbeat(10, unknown).snapshot)
  })

  test('a goodbye marks the snapshot as left, a later heartbeat clears that mark, and a goodbye older than the heartbeat changes nothing', async (t) => {
    const { snapshots, stored } = await openSnapshots(t)
    const left = (leftAtMs: number) => ({ kind: 'left', botId: botId('one'), leftAtMs }) as const
    await snapshots.applySnapshots([left(5)], nowMs)
    assert.equal(await stored(), undefined)
    for (const each of [heartbeat(10), left(20)]) await snapshots.applySnapshots([each], nowMs)
    assert.deepEqual(await stored(), { ...heartbeat(10).snapshot, hasLeft: true })
    await snapshots.applySnapshots([heartbeat(30)], nowMs)
    assert.deepEqual(await stored(), heartbeat(30).snapshot)
    await snapshots.applySnapshots([left(29)], nowMs)
    assert.deepEqual(await stored(), heartbeat(30).snapshot)
  })
})

function heartbeat(reportedAtMs: number, report: Partial<HeartbeatReport> = {}) {
  return { kind: 'heartbeat', snapshot: { ...aReport('one', report), reportedAtMs, hasLeft: false } } as const
}
