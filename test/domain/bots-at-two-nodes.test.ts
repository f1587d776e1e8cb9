import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { Audit } from '../../src/domain/audit/audit.ts'
import { alwaysOurs } from '../../src/domain/background-work.ts'
import { createBots } from '../../src/domain/bots/bots.ts'
import type { BotEvents } from '../../src/domain/bots/deleted-bots.ts'
import type { GatewaySnapshot } from '../../src/domain/bots/status/snapshots.ts'
import * as limits from '../../src/domain/limits/limits.ts'
import { postgresIdentity } from '../../src/storage/postgres/postgres-identity.ts'
import { aBot, aReport, botId, secrets, withPeople } from '../contract/scene.ts'
import { eventually } from '../support/eventually.ts'
import { openIdentityDatabase } from '../support/postgres/identity.ts'
import { ManualClock } from '../support/world.ts'

const one = botId('one')
const minute = 60_000
const startMs = Date.UTC(2026, 0, 5, 12)

const nothing = async () => {}
/** A fake queue that contains no events. */
const noEvents: BotEvents = { lastAccepted: async () => 0, applyFlowSettings: nothing, discard: nothing }

/** Opens two nodes on one database, adds the public, hosted bot `one`, and advances the clock by ten minutes. */
async function openTwoNodes(t: TestContext) {
  const clock = new ManualClock(startMs - 10 * minute)
  const stores = await withPeople(postgresIdentity(await openIdentityDatabase(t)))
  const audit = new Audit({ store: stores.audit, secrets, clock })
  const onFault = (error: unknown) => assert.fail(String(error))
  const node = () =>
    createBots({
      ...stores,
      ownersManageFlows: false,
      queue: noEvents,
      audit,
      secrets,
      clock,
      duty: alwaysOurs,
      onFault,
    })
  const [here, there] = [node(), node()]
  await stores.bots.putBot(one, aBot(1, { publicStatus: true, hostingEnabled: true }), 0)
  await clock.advance(10 * minute)
  for (const { history } of [here, there]) await history.flush()
  /**
   * Waits until the stored snapshot satisfies `is`. Heartbeats are written in the background, and a status read too
   * early would be cached for a second.
   */
  const stored = (is: (snapshot: GatewaySnapshot) => boolean, advanceMs = 0) =>
    eventually(async () => {
      if (advanceMs > 0) await clock.advance(advanceMs)
      const snapshot = (await stores.bots.findWithStatus(one))?.snapshot
      return snapshot !== undefined && is(snapshot) ? snapshot : undefined
    })
  return { clock, stores, stored, here, there }
}

describe('our choice: bots whose runtimes are connected to different nodes (decision 0022)', () => {
  test('a bot that reports to one node has the same history whichever node stores it first', async (t) => {
    for (const order of ['here first', 'there first']) {
      const { clock, stores, stored, here, there } = await openTwoNodes(t)
      for (let beats = 0; beats < 20; beats += 1) {
        const heardAtMs = clock.nowMs()
        here.heartbeats.record([aReport('one')])
        // A tick that occurs during a write is skipped, so this heartbeat may not be written until the next tick.
        await stored(({ reportedAtMs }) => reportedAtMs === heardAtMs, limits.sharedHeartbeatFlushMs)
        await clock.advance(heardAtMs + 30_000 - clock.nowMs())
      }
      const nodes = order === 'here first' ? [here, there] : [there, here]
      for (const { history } of nodes) await history.flush()
      const last = (await stores.statusHistory.findHistory(one))?.slots.at(-1)
      assert.deepEqual(last?.figures, { upMs: 5 * minute, downMs: 0, hostingOffMs: 0 }, order)
      assert.equal(last.until - last.from, 2, 'both slots are one run')
    }
  })
})
