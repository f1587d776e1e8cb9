import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { alwaysOurs } from '../../src/domain/background-work.ts'
import { StatusHistory } from '../../src/domain/bots/status/status-history.ts'
import type { StatusHistoryStore } from '../../src/domain/bots/status/status-history-store.ts'
import { uptimeShare } from '../../src/domain/bots/status/status-span.ts'
import { aBot, aReport, botId } from '../contract/scene.ts'
import { openBotStores } from '../support/adapters/open-identity.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { heldBack } from '../support/together.ts'

const minute = 60_000
const slotMs = 5 * minute
const hour = 60 * minute
const day = 24 * hour
const one = botId('one')
const startMs = Date.UTC(2026, 0, 5, 12)

/** Opens a history that has been recording for 90 seconds, with a bot whose hosting is on by default. */
async function openHistory(t: TestContext, { hostingEnabled = true } = {}) {
  const clock = new ManualClock(startMs)
  const stores = await openBotStores(t)
  let history = new StatusHistory({ store: stores.statusHistory, duty: alwaysOurs, clock })
  await stores.bots.putBot(one, aBot(1, { hostingEnabled }), 0)
  await clock.advance(90_000)
  const scene = {
    clock,
    stores,
    get history() {
      return history
    },
    of: async () => (await history.of(one, clock.nowMs()))!,
    /** Sends a heartbeat every 30 seconds for the given time. */
    async beat(ms: number, ready = true) {
      for (const endMs = clock.nowMs() + ms; clock.nowMs() < endMs; await clock.advance(30_000))
        await scene.heard(ready)
    },
    async heard(ready = true) {
      history.meter.heartbeat(one, ready, clock.nowMs())
      const snapshot = { ...aReport('one', { ready }), reportedAtMs: clock.nowMs(), hasLeft: false }
      await stores.snapshots.applySnapshots([{ kind: 'heartbeat', snapshot }], clock.nowMs())
    },
    async switchHosting(on: boolean) {
      const outcome = await stores.bots.putBot(one, aBot(1, { hostingEnabled: on }), clock.nowMs())
      assert.ok(outcome.kind === 'changed')
      history.meter.changed(outcome.bot, outcome.before.hostingEnabled, clock.nowMs())
    },
    async restart(how: 'stopped' | 'killed', downMs: number) {
      if (how === 'stopped') await history.close()
      await clock.advance(downMs)
      history = new StatusHistory({ store: stores.statusHistory, duty: alwaysOurs, clock })
    },
  }
  return scene
}

/** Returns a new history that knows the last two minutes of a slot that has just ended. */
async function measureTwoMinutes(clock: ManualClock, store: StatusHistoryStore): Promise<StatusHistory> {
  await clock.advance(90_000)
  const history = new StatusHistory({ store, duty: alwaysOurs, clock })
  history.meter.heartbeat(one, true, clock.nowMs())
  await clock.advance(2 * minute)
  return history
}

type Scene = Awaited<ReturnType<typeof openHistory>>

async function sums(scene: Scene) {
  const { slots } = await scene.of()
  const sum = (of: 'upMs' | 'downMs' | 'hostingOffMs') => slots.reduce((total, slot) => total + slot[of], 0)
  return { upMs: sum('upMs'), downMs: sum('downMs'), hostingOffMs: sum('hostingOffMs') }
}

describe('our choice: the history of a bot (decision 0022)', () => {
  test('a bot’s history covers 24 hours in five-minute slots and 90 UTC days; the last slot and day are unfinished', async (t) => {
    const scene = await openHistory(t)
    const { slots, days } = await scene.of()
    assert.equal(slots.length, 288)
    assert.equal(days.length, 90)
    const last = { upMs: 0, downMs: 0, hostingOffMs: 0 }
    assert.deepEqual(slots.at(-1), { startMs, endMs: startMs + slotMs, ...last })
    assert.equal(slots[0]?.startMs, startMs - 287 * slotMs)
    assert.deepEqual(days.at(-1), { startMs: startMs - 12 * hour, endMs: startMs + 12 * hour, ...last })
    assert.equal(days[0]?.startMs, startMs - 12 * hour - 89 * day)
  })

  test('a bot counts as up while its status is online, which is for 90 seconds from each ready heartbeat', async (t) => {
    const scene = await openHistory(t)
    await scene.heard()
    await scene.clock.advance(100_000)
    assert.deepEqual(await sums(scene), { upMs: 90_000, downMs: 10_000, hostingOffMs: 0 })
    await scene.heard(false)
    await scene.clock.advance(10_000)
    assert.deepEqual(await sums(scene), { upMs: 90_000, downMs: 20_000, hostingOffMs: 0 })
    await scene.heard()
    await scene.clock.advance(5_000)
    scene.history.meter.left(one, scene.clock.nowMs())
    await scene.clock.advance(5_000)
    assert.deepEqual(await sums(scene), { upMs: 95_000, downMs: 25_000, hostingOffMs: 0 })
    await scene.clock.advance(10_000)
    await scene.heard(false)
    const heardAtMs = scene.clock.nowMs()
    await scene.clock.advance(85_000)
    // The heartbeat was in the slot before.
    assert.equal(scene.history.meter.left(one, scene.clock.nowMs()), heardAtMs)
  })

  test('time with hosting off is not downtime, and is excluded from the uptime share', async (t) => {
    const scene = await openHistory(t)
    await scene.beat(hour)
    await scene.switchHosting(false)
    await scene.clock.advance(2 * hour)
    await scene.switchHosting(true)
    await scene.clock.advance(30 * minute)
    await scene.beat(30 * minute)
    assert.deepEqual(await sums(scene), { upMs: 90 * minute, downMs: 30 * minute, hostingOffMs: 2 * hour })
    const { slots, days } = await scene.of()
    assert.deepEqual([uptimeShare(slots), uptimeShare(days)], [0.75, 0.75])
  })

  test('the first 90 seconds of a bot’s history are unknown, neither up nor down', async (t) => {
    const scene = await openHistory(t)
    await scene.heard()
    scene.history.meter.left(one, scene.clock.nowMs())
    await scene.clock.advance(hour)
    await scene.history.flush()
    await scene.restart('stopped', 0)
    await scene.clock.advance(hour)
    assert.deepEqual(await sums(scene), { upMs: 0, downMs: 2 * hour - 90_000, hostingOffMs: 0 })
  })

  test('a bot’s status before its first heartbeat counts as unknown, whether hosting is on or off', async (t) => {
    for (const flushEveryMs of [minute, 2 * hour]) {
      const scene = await openHistory(t)
      const { clock } = scene
      const unknown = { upMs: 0, downMs: 0, hostingOffMs: 0 }
      const idle = async (ms: number) => {
        for (const endMs = clock.nowMs() + ms; clock.nowMs() < endMs; ) {
          await clock.advance(Math.min(flushEveryMs, endMs - clock.nowMs()))
          await scene.history.flush()
        }
      }
      await idle(10 * minute)
      await scene.switchHosting(false)
      await idle(10 * minute)
      await scene.switchHosting(true)
      await idle(8 * minute)
      assert.deepEqual(await sums(scene), unknown)
      await scene.restart('stopped', 0)
      await idle(8 * minute)
      assert.deepEqual(await sums(scene), unknown)

      await scene.heard()
      await clock.advance(90_000)
      assert.deepEqual(await sums(scene), { upMs: 90_000, downMs: 0, hostingOffMs: 0 })
      await idle(30 * minute)
      const known = { upMs: 90_000, downMs: 30 * minute, hostingOffMs: 0 }
      assert.deepEqual(await sums(scene), known)
      const { slots, days } = await scene.of()
      await scene.restart('stopped', 0)
      assert.deepEqual(await scene.of(), { slots, days })
      assert.equal(uptimeShare(days), 90_000 / (90_000 + 30 * minute))
    }
  })

  test('the last hours of several bots include what is not stored yet, and end with the current hour', async (t) => {
    const scene = await openHistory(t)
    const { clock, stores, history } = scene
    const two = botId('two')
    await stores.bots.putBot(two, aBot(2, { hostingEnabled: true }), 0)
    await scene.beat(10 * minute)
    await history.flush()
    await clock.advance(startMs + hour + 3 * minute - clock.nowMs())
    const asked = [two, one].map((id) => ({ id, hostingEnabled: true, createdAtMs: 0, reportedAtMs: null }))
    const [none = [], hours = []] = await history.hoursOf(asked, clock.nowMs())
    assert.deepEqual([none.length, hours.length], [24, 24])
    assert.equal(uptimeShare(none), null)
    const slots = (await scene.of()).slots
    const sum = (from: number) => slots.filter(({ startMs: at }) => at >= from && at < from + hour)
    const up = (spans: readonly { upMs: number }[]) => spans.reduce((total, { upMs }) => total + upMs, 0)
    assert.deepEqual([up(hours.slice(-2, -1)), up(hours.slice(-1))], [up(sum(startMs)), up(sum(startMs + hour))])
    assert.equal(up(hours), 11 * minute)
  })

  test('a history contains a slot that is stored while the history is being read', async (t) => {
    const { clock, stores } = await openHistory(t)
    const { store, reached, release } = heldBack(stores.statusHistory, 'findHistory')
    const history = await measureTwoMinutes(clock, store)
    const early = history.of(one, clock.nowMs())
    await reached
    const flushed = history.flush()
    // Enough time for the flush to end, if it didn't wait for the read.
    for (let turn = 0; turn < 1_000; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    release()
    await flushed
    assert.deepEqual(await early, await history.of(one, clock.nowMs()))
  })

  test('a history contains a slot once while the store has not confirmed yet that the slot is stored', async (t) => {
    const { clock, stores } = await openHistory(t)
    const { store, reached, release } = heldBack(stores.statusHistory, 'addToSlot')
    const history = await measureTwoMinutes(clock, store)
    const flushed = history.flush()
    await reached
    const early = history.of(one, clock.nowMs())
    await store.findHistory(one)
    release()
    await flushed
    assert.deepEqual(await early, await history.of(one, clock.nowMs()))
  })

  test('a new bot’s state is unknown from its creation until its first heartbeat', async (t) => {
    const scene = await openHistory(t)
    const { stores, clock, history } = scene
    const two = botId('two')
    const outcome = await stores.bots.putBot(two, aBot(2, { hostingEnabled: true }), clock.nowMs())
    assert.ok('bot' in outcome)
    history.meter.changed(outcome.bot, undefined, clock.nowMs())
    await clock.advance(10 * minute)
    await history.flush()
    const { slots, days } = (await history.of(two, clock.nowMs()))!
    assert.deepEqual([uptimeShare(slots), uptimeShare(days)], [null, null])
  })

  test('a bot’s history survives a restart, whose time is unknown; a crash loses only what was measured since the last stored slot', async (t) => {
    const scene = await openHistory(t)
    await scene.beat(62 * minute)
    await scene.restart('stopped', minute)
    await scene.beat(30 * minute)
    assert.deepEqual(await sums(scene), { upMs: 92 * minute, downMs: 0, hostingOffMs: 0 })
    await scene.history.flush()
    assert.deepEqual(await sums(scene), { upMs: 92 * minute, downMs: 0, hostingOffMs: 0 })
    await scene.restart('killed', 0)
    // The last stored slot ended four and a half minutes ago.
    assert.deepEqual(await sums(scene), { upMs: 87.5 * minute, downMs: 0, hostingOffMs: 0 })
  })

  test('a bot that reports to one of two nodes has the same history whichever node stores it first', async (t) => {
    for (const order of ['here first', 'there first']) {
      const scene = await openHistory(t)
      const { clock, stores, history: here } = scene
      const there = new StatusHistory({ store: stores.statusHistory, duty: alwaysOurs, clock })
      await clock.advance(startMs + 10 * minute - clock.nowMs())
      for (const history of [here, there]) await history.flush()
      await scene.beat(10 * minute)
      for (const history of order === 'here first' ? [here, there] : [there, here]) await history.flush()
      const from = startMs / slotMs + 2
      const bothSlots = { from, until: from + 2, figures: { upMs: slotMs, downMs: 0, hostingOffMs: 0 } }
      assert.deepEqual((await stores.statusHistory.findHistory(one))?.slots, [bothSlots], order)
    }
  })

  test('slots are rolled up once a day without changing the history that is shown', async (t) => {
    const scene = await openHistory(t)
    for (let hours = 0; hours < 60; hours += 1) {
      await scene.beat(50 * minute)
      await scene.clock.advance(10 * minute)
      const before = await scene.of()
      await scene.history.flush()
      assert.deepEqual(await scene.of(), before)
    }
    const { days } = await scene.of()
    const perHour = { upMs: 51 * minute, downMs: 9 * minute }
    const aDay = { upMs: 24 * perHour.upMs, downMs: 24 * perHour.downMs, hostingOffMs: 0 }
    assert.deepEqual(days.at(-2), { startMs: startMs + 36 * hour, endMs: startMs + 60 * hour, ...aDay })
  })
})
