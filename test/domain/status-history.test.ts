import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { alwaysOurs } from '../../src/domain/background-work.ts'
import { StatusHistory } from '../../src/domain/bots/status/status-history.ts'
import type { StatusHistoryStore } from '../../src/domain/bots/status/status-history-store.ts'
import { uptimeShare } from '../../src/domain/bots/status/status-span.ts'
import { aBot, aReport, botId } from '../contract/scene.ts'
import { openBotStores } from '../support/adapters/open-identity.ts'
import { budget } from '../support/budget.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { heldBack } from '../support/together.ts'

const minute = 60_000
const slotMs = 5 * minute
const hour = 60 * minute
const day = 24 * hour
const tickMs = 10_000
const one = botId('one')
const startMs = Date.UTC(2026, 0, 5, 12)

/** Opens a history that has just begun to record, with a bot whose hosting is on. */
async function openHistory(t: TestContext) {
  const clock = new ManualClock(startMs)
  const stores = await openBotStores(t)
  const outcome = await stores.bots.putBot(one, aBot(1, { hostingEnabled: true }), 0)
  assert.ok(outcome.kind === 'created')
  const open = () => new StatusHistory({ store: stores.statusHistory, duty: alwaysOurs, clock })
  const scene = {
    clock,
    stores,
    bot: outcome.bot,
    history: open(),
    of: async () => (await scene.history.of(one, clock.nowMs()))!,
    async heard(ready: boolean) {
      scene.history.meter.heartbeat(one, ready, clock.nowMs())
      const snapshot = { ...aReport('one', { ready }), reportedAtMs: clock.nowMs(), hasLeft: false }
      await stores.snapshots.applySnapshots([{ kind: 'heartbeat', snapshot }], clock.nowMs())
    },
    /** Sends a heartbeat every 30 seconds for the given time. */
    async beat(ms: number) {
      for (const endMs = clock.nowMs() + ms; clock.nowMs() < endMs; await clock.advance(30_000)) await scene.heard(true)
    },
    async switchHosting(on: boolean) {
      const changed = await stores.bots.putBot(one, aBot(1, { hostingEnabled: on }), clock.nowMs())
      assert.ok(changed.kind === 'changed')
      scene.history.meter.changed(changed.bot, changed.before.hostingEnabled, clock.nowMs())
    },
    async restart(how: 'stopped' | 'killed', downMs: number) {
      if (how === 'stopped') await scene.history.close()
      await clock.advance(downMs)
      scene.history = open()
    },
  }
  return scene
}

/** Returns a new history that knows the last two minutes of a slot that has just ended. */
async function measureTwoMinutes(clock: ManualClock, store: StatusHistoryStore): Promise<StatusHistory> {
  await clock.advance(3 * minute)
  const history = new StatusHistory({ store, duty: alwaysOurs, clock })
  history.meter.heartbeat(one, true, clock.nowMs())
  await clock.advance(2 * minute)
  return history
}

type Scene = Awaited<ReturnType<typeof openHistory>>
type State = 'up' | 'down' | 'hostingOff' | 'unknown'

/** A plain history, with a state for every ten seconds. Its acts also happen to the bot and the service of the scene. */
class PlainHistory {
  readonly #scene: Scene
  readonly #states: State[] = []
  /** Number of states that survive a crash. */
  #stored = 0
  #hosted = true
  #wasHeard = false
  #onlineUntilMs = 0
  /** After a start, unless the bot sends a heartbeat or its record changes. */
  #unknownUntilMs = startMs + 90_000

  constructor(scene: Scene) {
    this.#scene = scene
  }

  readonly #nowMs = () => this.#scene.clock.nowMs()

  readonly acts = {
    wait: async (ticks: number) => {
      for (let tick = 0; tick < ticks; tick += 1) this.#states.push(this.#stateAt(this.#nowMs() + tick * tickMs))
      await this.#scene.clock.advance(ticks * tickMs)
    },
    heartbeat: async (number: number) => {
      if (!this.#hosted) return
      const ready = number % 4 > 0
      await this.#scene.heard(ready)
      this.#wasHeard = true
      this.#unknownUntilMs = Math.min(this.#unknownUntilMs, this.#nowMs())
      this.#onlineUntilMs = this.#nowMs() + (ready ? 90_000 : 0)
    },
    leave: async () => {
      this.#scene.history.meter.left(one, this.#nowMs())
      this.#onlineUntilMs = 0
    },
    switchHosting: async () => {
      this.#hosted = !this.#hosted
      await this.#scene.switchHosting(this.#hosted)
      this.#unknownUntilMs = Math.min(this.#unknownUntilMs, this.#nowMs())
    },
    flush: async () => {
      await this.#scene.history.flush()
      this.#stored = (Math.floor(this.#nowMs() / slotMs) * slotMs - startMs) / tickMs
    },
    stop: () => this.#restart('stopped'),
    kill: () => this.#restart('killed'),
  }

  /** The service is down until the next slot begins. */
  async #restart(how: 'stopped' | 'killed'): Promise<void> {
    const kept = how === 'stopped' ? this.#states.length : this.#stored
    // If nothing is stored about a bot, the service can't tell that it had a heartbeat. The model always knows.
    if (this.#wasHeard && !this.#states.slice(0, kept).some((state) => state !== 'unknown')) return
    const downMs = slotMs - (this.#nowMs() % slotMs)
    await this.#scene.restart(how, downMs)
    this.#states.fill('unknown', kept)
    this.#states.push(...Array<State>(downMs / tickMs).fill('unknown'))
    this.#stored = this.#states.length
    this.#onlineUntilMs = 0
    this.#unknownUntilMs = this.#nowMs() + 90_000
  }

  #stateAt(ms: number): State {
    if (!this.#wasHeard || ms < this.#unknownUntilMs) return 'unknown'
    if (!this.#hosted) return 'hostingOff'
    return ms < this.#onlineUntilMs ? 'up' : 'down'
  }

  /** Returns the last spans of this length, of which the last is unfinished. */
  spans(count: number, lengthMs: number) {
    const firstMs = (Math.floor(this.#nowMs() / lengthMs) + 1 - count) * lengthMs
    return Array.from({ length: count }, (_, at) => {
      const [beginMs, endMs] = [firstMs + at * lengthMs, firstMs + (at + 1) * lengthMs]
      const [from, to] = [beginMs, endMs].map((ms) => Math.max(0, (ms - startMs) / tickMs))
      const inside = this.#states.slice(from, to)
      const sum = (of: State) => inside.filter((state) => state === of).length * tickMs
      return { startMs: beginMs, endMs, upMs: sum('up'), downMs: sum('down'), hostingOffMs: sum('hostingOff') }
    })
  }
}

describe('our choice: the history of a bot (decision 0022)', () => {
  test('a history has 288 slots of five minutes and 90 days (UTC): a bot is up for 90 seconds from each ready heartbeat; its time is unknown before its first one, while the service is down, for 90 seconds after that, and if a crash lost it', async (t) => {
    const act = fc.tuple(
      fc.constantFrom('wait', 'wait', 'heartbeat', 'heartbeat', 'leave', 'switchHosting', 'flush', 'stop', 'kill'),
      fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 1, max: 45 }) }, { weight: 1, arbitrary: fc.constant(2_500) }),
    )
    const runs = fc.asyncProperty(fc.boolean(), fc.array(act, { maxLength: 60 }), async (isNew, acts) => {
      const scene = await openHistory(t)
      const plain = new PlainHistory(scene)
      if (isNew) scene.history.meter.changed(scene.bot, undefined, startMs)
      for (const [name, number] of acts) {
        await plain.acts[name](number)
        const { slots, days } = await scene.of()
        assert.deepEqual([slots, days], [plain.spans(288, slotMs), plain.spans(90, day)])
      }
    })
    await fc.assert(runs, { numRuns: 60 * budget, seed: 20_260_105 })
  })

  test('time with hosting off, and unknown time, do not count for the uptime share', () => {
    const span = { upMs: 3 * hour, downMs: hour, hostingOffMs: 5 * hour }
    assert.equal(uptimeShare([span, { ...span, upMs: 0, downMs: 0 }]), 0.75)
    assert.equal(uptimeShare([{ ...span, upMs: 0, downMs: 0 }]), null)
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
})
