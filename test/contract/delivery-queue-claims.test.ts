import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BotId } from '../../src/domain/ids-and-secrets.ts'
import * as limits from '../../src/domain/limits/limits.ts'
import { Dispatcher } from '../../src/domain/webhooks/dispatcher.ts'
import { onEachQueue } from '../support/adapters/queue-engines.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { heldBack, pluck } from '../support/together.ts'
import {
  claim,
  claimOf,
  claimOne,
  greeter,
  guard,
  holder,
  inLine,
  lineInOrder,
  newEvent,
  roomy,
  startMs,
} from './queue-scene.ts'

onEachQueue('DeliveryQueue, claims', (open) => {
  test('a bot’s events have IDs of their own and are claimed in the order they were accepted, even if the clock was set back, also during a restart', async (t) => {
    const { queue, again } = await open(t)
    const accept = (to: typeof queue, path: string, acceptedAtMs: number) => to.accept(newEvent({ path, acceptedAtMs }))
    await accept(queue, 'p0', startMs)
    await accept(queue, 'p1', startMs - 3_600_000)
    const reopened = await again(startMs - 7_200_000)
    await accept(reopened, 'p2', startMs - 7_200_000)
    await accept(reopened, 'p3', startMs + 1)
    const claimed = await claim(reopened, { nowMs: startMs + 10 })
    assert.deepEqual(pluck(claimed, 'path'), ['p0', 'p1', 'p2', 'p3'])
    assert.equal(new Set(pluck(claimed, 'id')).size, 4)
  })

  test('a bot with one event is served by the next claim, even if another bot has a hundred thousand waiting events', async (t) => {
    const { queue } = await open(t, { ...roomy, maxEventsPerBot: 100_000, maxEvents: 100_001 })
    for (let accepted = 0; accepted < 100_000; accepted += 1_000) {
      await Promise.all(Array.from({ length: 1_000 }, () => queue.accept(newEvent())))
    }
    const bots = { botIds: [greeter, guard], most: 4 }
    assert.deepEqual(pluck(await claim(queue, bots), 'botId'), [greeter, greeter, greeter, greeter])
    await queue.accept(newEvent({ botId: guard }))
    const turn = (await claim(queue, bots)).map(({ botId }) => botId)
    assert.deepEqual(turn.sort(), [greeter, greeter, greeter, guard])
  })

  test('a bot with many events stays in `more` until all are claimed in order, even if the other bots of the claim have none', async (t) => {
    const { queue } = await open(t)
    const idle = Array.from({ length: 9 }, (_, n) => `idle-${n}` as BotId)
    for (let n = 0; n < 20; n += 1) await queue.accept(n === 10 ? inLine('p10') : newEvent({ path: `p${n}` }))
    const paths: string[] = []
    for (let botIds = [...idle, greeter]; botIds.length > 0; ) {
      const { deliveries, more } = await queue.claim(claimOf({ botIds, most: 10 }))
      paths.push(...deliveries.map(({ path }) => path))
      botIds = more
    }
    const inOrder = Array.from({ length: 20 }, (_, n) => `p${n}`)
    assert.deepEqual(paths, inOrder)
  })

  test('a claim stops once it reaches its byte limit; the next claim returns the rest', async (t) => {
    const { queue } = await open(t)
    for (let n = 0; n < 4; n += 1) await queue.accept(newEvent({ body: new Uint8Array(60), path: `p${n}` }))
    const first = await claim(queue, { mostBytes: 100 })
    const second = await claim(queue, { mostBytes: 1_000 })
    assert.deepEqual(pluck([...first, ...second], 'path'), ['p0', 'p1', 'p2', 'p3'])
    assert.equal(first.length, 2)
  })
})

onEachQueue('DeliveryQueue', (open) => {
  test('a runtime that no longer hosts a bot doesn’t get the bot’s events of a claim under way, and no attempt is counted', async (t) => {
    const { queue } = await open(t)
    for (const botId of [greeter, guard]) await queue.accept(newEvent({ botId }))
    const dispatcher = new Dispatcher({ queue, clock: new ManualClock(startMs), onFault: assert.ifError })
    const sent: BotId[] = []
    const all = Promise.withResolvers<void>()
    const receiver = { holder, room: (most: number) => most, evicted: assert.fail, claimed: all.resolve }
    const deliver = ({ botId }: { botId: BotId }) => sent.push(botId)
    const both = { botIds: [greeter, guard], window: 9, working: [] }
    const { attachment } = await dispatcher.attach({ ...receiver, deliver }, both)
    attachment.open([])
    dispatcher.unhost(attachment, guard)
    await all.promise
    assert.deepEqual(sent, [greeter])
    assert.deepEqual(pluck(await claim(queue, { botIds: [greeter, guard] }), 'attempt'), [1])
  })

  test('a session whose connection is lost during a claim doesn’t send its events, and no attempt is counted, even if it reconnects twice meanwhile', async (t) => {
    const { queue } = await open(t)
    await queue.accept(newEvent())
    const { store, reached, release } = heldBack(queue, 'claim')
    const dispatcher = new Dispatcher({ queue: store, clock: new ManualClock(startMs), onFault: assert.ifError })
    const receiver = { holder, room: (most: number) => most, deliver: () => assert.fail('sent'), evicted: () => {} }
    const { attachment } = await dispatcher.attach(receiver, { botIds: [greeter], window: 9, working: [] })
    attachment.open([])
    await reached
    dispatcher.lose(attachment)
    const replaced = dispatcher.attach(receiver, { botIds: [], window: 9, working: ['unknown'] })
    const latest = dispatcher.attach(receiver, { botIds: [], window: 9, working: [] })
    // Long enough to fail the holder's leases.
    for (let times = 0; times < 9; times += 1) await queue.probe()
    release()
    await latest
    assert.deepEqual((await replaced).lost, [])
    assert.deepEqual(pluck(await claim(queue), 'attempt'), [1])
  })

  test('botsWithRetriesDue reports a retry that comes due even if an earlier retry of the bot is overdue', async (t) => {
    const { queue } = await open(t)
    await queue.accept(newEvent())
    await queue.accept(newEvent())
    const [first, second] = await claim(queue, { most: 2 })
    const fail = (delivery = '', retryMs = 0) =>
      queue.fail(holder, [{ delivery, failedAtMs: startMs, error: 'no', retryMs }])
    await fail(first?.delivery, 1_000)
    await fail(second?.delivery, 5_000)
    assert.deepEqual(await queue.botsWithRetriesDue(startMs + 4_000, startMs + 5_000), [greeter])
  })

  test('a lease that is not renewed expires as a failed attempt; a renewed lease does not expire', async (t) => {
    const { queue } = await open(t)
    const lapsing = await claimOne(queue)
    const renewed = await claimOne(queue, { botId: guard })
    await queue.renew(holder, [renewed], startMs + 1)
    assert.deepEqual(await queue.failExpired(startMs + limits.leaseMs - 1), [])
    assert.deepEqual(await queue.failExpired(startMs + limits.leaseMs), [{ holder, delivery: lapsing }])
    assert.deepEqual(await queue.failExpired(startMs + limits.leaseMs), [])
    const [again] = await claim(queue, { nowMs: startMs + limits.leaseMs + 5_000 })
    assert.equal(again?.attempt, 2)
  })

  test('thousands of waiting events of a flow with strict order are released and held back again', async (t) => {
    const { queue, setStrict } = await open(t, { ...roomy, maxEventsPerBot: 5_000, maxEvents: 5_000 })
    for (let n = 0; n < 9; n += 1) await Promise.all(Array.from({ length: 500 }, () => queue.accept(inLine('waiting'))))
    await setStrict([])
    await queue.applyFlowSettings(greeter)
    assert.equal((await claim(queue)).length, 100)
    await setStrict([lineInOrder])
    await queue.applyFlowSettings(greeter)
    assert.deepEqual(await claim(queue), [])
  })
})
