import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { StoredMeteredBot } from '../../src/domain/bots/status/status-history-store.ts'
import type { StatusFigures, StatusRun } from '../../src/domain/bots/status/status-span.ts'
import { onEachDatabase } from '../support/adapters/identity-engines.ts'
import { pluck } from '../support/together.ts'
import { aBot, aReport, botId, nowMs, withPeople } from './scene.ts'

const one = botId('one')
const wholeUp = figures(300_000, 0, 0)

onEachDatabase('StatusHistoryStore', withPeople, (open) => {
  async function openHistory(t: TestContext) {
    const { bots, snapshots, statusHistory: history } = await open(t)
    for (const [index, id] of ['one', 'two', 'three'].entries()) {
      await bots.putBot(botId(id), aBot(index, { hostingEnabled: id === 'one' }), nowMs)
    }
    const add = (slot: number, added: StatusFigures, id = 'one') =>
      history.addToSlot(slot, [{ botId: botId(id), figures: added }])
    const rollUp = (today: number, dropSlotsUntil = 0) => history.rollUp([one], today, dropSlotsUntil)
    return { bots, snapshots, history, add, rollUp, found: async () => (await history.findHistory(one))! }
  }

  test('bots are listed in ID order, a page at a time, without deleted bots; so are those with slots', async (t) => {
    const { bots, history, add } = await openHistory(t)
    const [first, second] = await history.listMetered(undefined, 2)
    assert.deepEqual(first, metered())
    assert.deepEqual(second, metered({ id: botId('three'), hostingEnabled: false }))
    assert.deepEqual(pluck(await history.listMetered(second?.id, 2), 'id'), ['two'])
    for (const id of ['one', 'two', 'three']) await add(0, wholeUp, id)
    assert.deepEqual(await history.listWithSlots(undefined, 2), ['one', 'three'])
    assert.deepEqual(await history.listWithSlots(botId('three'), 2), ['two'])
    await bots.removeBot(botId('two'), nowMs)
    assert.deepEqual(await history.listMetered(second?.id, 2), [])
  })

  test('adjacent complete slots with equal figures are merged into one run; additions to the latest slot add up, and those to an earlier one are ignored; if two nodes measured the same period, a bot that was up on either of them counts as up', async (t) => {
    const { add, found } = await openHistory(t)
    const [down, part] = [figures(0, 300_000, 0), figures(1_000, 0, 0)]
    for (const slot of [10, 11, 12, 14]) await add(slot, wholeUp)
    await add(15, down)
    for (const slot of [16, 17]) await add(slot, part)

    await add(20, figures(100_000, 0, 0))
    await add(20, figures(50_000, 20_000, 30_000))
    await add(19, wholeUp)

    for (const slot of [30, 31]) await add(slot, down)
    const ofNodes = [figures(100_000, 200_000, 0), figures(100_000, 200_000, 0), figures(150_000, 150_000, 0), down]
    for (const measured of ofNodes) await add(31, measured)
    assert.deepEqual((await found()).slots, [
      run(10, 13, wholeUp),
      run(14, 15, wholeUp),
      run(15, 16, down),
      run(16, 17, part),
      run(17, 18, part),
      run(20, 21, figures(150_000, 20_000, 30_000)),
      run(30, 31, down),
      run(31, 32, figures(250_000, 50_000, 0)),
    ])
  })

  test('a bot is listed with its last report and the start and end of its known history', async (t) => {
    const { history, snapshots, add } = await openHistory(t)
    const listed = async () => (await history.listMetered(undefined, 1))[0]
    const heard = { ...aReport('one'), reportedAtMs: nowMs + 5, hasLeft: false }
    await snapshots.applySnapshots([{ kind: 'heartbeat', snapshot: heard }], nowMs)
    await add(10, wholeUp)
    assert.deepEqual(await listed(), metered({ reportedAtMs: nowMs + 5, knownFrom: 10, completeUntil: 11 }))
    await add(11, figures(299_999, 0, 0))
    assert.deepEqual(await listed(), metered({ reportedAtMs: nowMs + 5, knownFrom: 10, completeUntil: 11 }))
    await add(11, figures(0, 1, 0))
    assert.deepEqual(await listed(), metered({ reportedAtMs: nowMs + 5, knownFrom: 10, completeUntil: 12 }))
  })

  test('rollUp adds up slots into days, leaves stored days unchanged, and deletes slots before the requested one', async (t) => {
    const { add, rollUp, found } = await openHistory(t)
    for (let slot = 0; slot < 3 * 288; slot += 1) await add(slot, wholeUp)
    await add(3 * 288, figures(0, 300_000, 0))
    await rollUp(2)
    const day = figures(86_400_000, 0, 0)
    assert.deepEqual((await found()).days, [run(0, 2, day)])
    await rollUp(4, 3 * 288)
    assert.deepEqual(await found(), {
      bot: metered({ knownFrom: 3 * 288, completeUntil: 3 * 288 + 1 }),
      slots: [run(3 * 288, 3 * 288 + 1, figures(0, 300_000, 0))],
      days: [run(0, 3, day), run(3, 4, figures(0, 300_000, 0))],
    })
  })

  test('slots of several bots are listed in the order of the bots, without those that end before the requested one', async (t) => {
    const { history, add } = await openHistory(t)
    for (const slot of [8, 9, 10]) await add(slot, wholeUp)
    for (const slot of [7, 11, 13]) await add(slot, figures(0, 1, 2), 'three')
    const listed = await history.listSlots([botId('three'), botId('two'), one], 9)
    const part = figures(0, 1, 2)
    assert.deepEqual(listed, [[run(11, 12, part), run(13, 14, part)], [], [run(8, 11, wholeUp)]])
    assert.deepEqual(await history.listSlots([], 9), [])
  })

  test('expired days of history are deleted, up to the requested number at a time', async (t) => {
    const { history, add, rollUp, found } = await openHistory(t)
    for (const day of [0, 1, 2, 3]) await add(day * 288, figures(1_000 * day, 1, 0))
    await rollUp(4)
    assert.equal(await history.pruneDays(3, 2), 2)
    assert.equal(await history.pruneDays(3, 2), 1)
    assert.equal(await history.pruneDays(3, 2), 0)
    assert.deepEqual((await found()).days, [run(3, 4, figures(3_000, 1, 0))])
  })
})

function metered(bot: Partial<StoredMeteredBot> = {}): StoredMeteredBot {
  return {
    id: one,
    hostingEnabled: true,
    createdAtMs: nowMs,
    reportedAtMs: null,
    knownFrom: null,
    completeUntil: null,
    ...bot,
  }
}

function figures(upMs: number, downMs: number, hostingOffMs: number): StatusFigures {
  return { upMs, downMs, hostingOffMs }
}

function run(from: number, until: number, figures: StatusFigures): StatusRun {
  return { from, until, figures }
}
