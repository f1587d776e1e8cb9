import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { BotId, FlowId } from '../../src/domain/ids.ts'
import {
  acknowledgedRetentionMs,
  deadLetterRetentionMs,
  eventAgeLimitMs,
  leaseMs,
  runtimeErrorMaxCharacters,
} from '../../src/domain/limits.ts'
import type { Claim, DeliveryQueue, NewEvent, QueueLimits } from '../../src/domain/webhooks/delivery-queue.ts'
import type { EventLog, EventState } from '../../src/domain/webhooks/event-log.ts'
import { claimOf, greeter, guard, holder, newEvent, startMs } from './queue-scene.ts'

export interface QueueUnderTest {
  queue: LoggedQueue
  /** Closes it and opens it again on the same data, as a restart does. */
  again(nowMs: number): Promise<LoggedQueue>
}

/** A queue, and the log of the same events. */
export type LoggedQueue = DeliveryQueue & { readonly log: EventLog }

const roomy: QueueLimits = { maxEventsPerBot: 1_000, maxBytesPerBot: 1e9, maxEvents: 1_000, maxBytes: 1e9 }

/** Every adapter's queue. `open` brings an empty one, of which the jitter is none. */
export function deliveryQueueContract(
  name: string,
  open: (t: TestContext, limits: QueueLimits) => Promise<QueueUnderTest>,
): void {
  const opened = async (t: TestContext, limits = roomy) => (await open(t, limits)).queue

  describe(`${name}: DeliveryQueue, acceptance`, () => {
    test('an accepted event is claimed as it came', async (t) => {
      const queue = await opened(t)
      const event = newEvent({
        headers: { contentType: 'text/plain', userAgent: undefined, forwardedFor: 'ä, b', requestId: '' },
        body: Uint8Array.of(0, 255, 10),
      })
      assert.deepEqual(await queue.accept(event), { kind: 'accepted' })
      const [delivery] = await claim(queue)
      const { delivery: token, id, body, ...rest } = delivery ?? assert.fail('nothing to claim')
      const { body: sent, ...expected } = event
      assert.deepEqual(rest, { ...expected, attempt: 1, replayOf: undefined })
      assert.deepEqual(Buffer.from(body), Buffer.from(sent))
      assert.ok(token !== id)
      assert.match(id, /^[A-Za-z0-9_-]+$/)
    })

    test('bodies of all sizes come back byte for byte, also after a failed attempt', async (t) => {
      const queue = await opened(t)
      const sizes = [0, 1, 2_048, 2_049, 70_000, 1_048_576]
      for (const size of sizes) await queue.accept(newEvent({ body: new Uint8Array(size).fill(size % 251) }))
      for (const nowMs of [startMs, startMs + 5_000]) {
        const deliveries = await claim(queue, { nowMs })
        assert.deepEqual(
          deliveries.map(({ body }) => body.length),
          sizes,
        )
        for (const { body } of deliveries) assert.ok(body.every((byte) => byte === body.length % 251))
        await queue.fail(
          holder,
          deliveries.map(({ delivery }) => ({ delivery, failedAtMs: nowMs })),
        )
      }
    })

    test('a queue is full by events and by bytes, each bot for itself; what ends makes room', async (t) => {
      const queue = await opened(t, { ...roomy, maxEventsPerBot: 2, maxBytesPerBot: 10 })
      const accept = async (botId: BotId, bytes: number) =>
        (await queue.accept(newEvent({ botId, body: new Uint8Array(bytes) }))).kind
      assert.deepEqual(
        [await accept(greeter, 8), await accept(greeter, 3), await accept(greeter, 2)],
        ['accepted', 'full', 'accepted'],
      )
      assert.deepEqual(
        [await accept(greeter, 0), await accept(guard, 0), await accept(guard, 11)],
        ['full', 'accepted', 'full'],
      )
      const [first] = await claim(queue)
      assert.equal(await accept(greeter, 0), 'full')
      await queue.acknowledge(holder, [first?.delivery ?? ''], startMs)
      assert.equal(await accept(greeter, 8), 'accepted')
    })

    test('of what arrives at once as many are accepted as fit, in their order; other bots lose nothing by it', async (t) => {
      const queue = await opened(t, { ...roomy, maxEventsPerBot: 3 })
      // A queue may know a bot differently from its second event on.
      for (const botId of [greeter, guard]) await queue.accept(newEvent({ botId, body: Buffer.from('0') }))
      const botIds = [greeter, guard, greeter, guard, greeter, greeter]
      const outcomes = await Promise.all(
        botIds.map((botId, n) => queue.accept(newEvent({ botId, body: Buffer.from(String(n + 1)) }))),
      )
      assert.deepEqual(
        outcomes.map(({ kind }) => kind),
        ['accepted', 'accepted', 'accepted', 'accepted', 'full', 'full'],
      )
      const deliveries = await claim(queue, { botIds: [greeter, guard] })
      const bodies = (of: BotId) =>
        deliveries.filter(({ botId }) => botId === of).map(({ body }) => Buffer.from(body).toString())
      assert.deepEqual(
        [bodies(greeter), bodies(guard)],
        [
          ['0', '1', '3'],
          ['0', '2', '4'],
        ],
      )
    })

    test('the whole queue is full by events and by bytes, whoever they belong to', async (t) => {
      const byEvents = await opened(t, { ...roomy, maxEvents: 2 })
      for (const botId of [greeter, guard]) await byEvents.accept(newEvent({ botId }))
      assert.deepEqual(await byEvents.accept(newEvent()), { kind: 'full', of: 'queue' })
      const byBytes = await opened(t, { ...roomy, maxBytes: 10 })
      assert.deepEqual(await byBytes.accept(newEvent({ body: new Uint8Array(8) })), { kind: 'accepted' })
      const small = newEvent({ botId: guard, body: new Uint8Array(3) })
      assert.deepEqual(await byBytes.accept(small), { kind: 'full', of: 'queue' })
      const [delivery] = await claim(byBytes)
      await byBytes.acknowledge(holder, [delivery?.delivery ?? ''], startMs)
      assert.deepEqual(await byBytes.accept(small), { kind: 'accepted' })
    })

    test('figures tell what happened, and what waits', async (t) => {
      const queue = await opened(t, { ...roomy, maxEventsPerBot: 3, maxEvents: 4 })
      for (let n = 0; n < 4; n += 1) await queue.accept(newEvent())
      for (let n = 0; n < 2; n += 1) await queue.accept(newEvent({ botId: guard }))
      const [done, dead] = await claim(queue)
      await queue.acknowledge(holder, [done?.delivery ?? ''], startMs + 40)
      await queue.fail(holder, [{ delivery: dead?.delivery ?? '', failedAtMs: startMs, dead: true }])
      const { deliveryTimes, ...figures } = await queue.figures()
      assert.deepEqual([deliveryTimes.counts.reduce((sum, count) => sum + count), deliveryTimes.sumMs], [1, 40])
      assert.deepEqual(figures, {
        waitingEvents: 2,
        waitingBytes: 10,
        leasedEvents: 1,
        oldestAcceptedAtMs: startMs,
        accepted: 4,
        refusedBotFull: 1,
        refusedQueueFull: 1,
        refusedUnavailable: 0,
        delivered: 1,
        failedAttempts: 1,
        deadLetters: 1,
      })
    })

    test('of simultaneous acceptances exactly as many succeed as there is room for', async (t) => {
      const queue = await opened(t, { ...roomy, maxEventsPerBot: 10 })
      const outcomes = await Promise.all(Array.from({ length: 50 }, () => queue.accept(newEvent())))
      assert.equal(outcomes.filter(({ kind }) => kind === 'accepted').length, 10)
      assert.equal((await claim(queue)).length, 10)
    })

    test('of fifty at once with one mark one is an event, and later ones until its time is over are none', async (t) => {
      const { queue, again } = await open(t, roomy)
      const mark = { digest: new Uint8Array(32).fill(1), untilMs: startMs + 100 }
      const outcomes = await Promise.all(Array.from({ length: 50 }, () => queue.accept(newEvent(), mark)))
      assert.equal(outcomes.filter(({ kind }) => kind === 'accepted').length, 1)
      assert.equal(outcomes.filter(({ kind }) => kind === 'repeated').length, 49)
      const reopened = await again(startMs)
      const at = async (acceptedAtMs: number) => {
        const later = { ...mark, untilMs: acceptedAtMs + 100 }
        return (await reopened.accept(newEvent({ acceptedAtMs }), later)).kind
      }
      assert.deepEqual(
        [await at(startMs + 99), await at(startMs + 100), await at(startMs + 101)],
        ['repeated', 'accepted', 'repeated'],
      )
      assert.equal((await claim(reopened, { nowMs: startMs + 200 })).length, 2)
    })

    test('a mark is one bot’s; it takes no room, and what is not taken leaves none', async (t) => {
      const queue = await opened(t, { ...roomy, maxEventsPerBot: 1 })
      const mark = { digest: new Uint8Array(32).fill(1), untilMs: startMs + 100 }
      const accept = async (botId: BotId, fill: number) =>
        (await queue.accept(newEvent({ botId }), { ...mark, digest: mark.digest.map(() => fill) })).kind
      assert.deepEqual(
        [await accept(greeter, 1), await accept(guard, 1), await accept(greeter, 2)],
        ['accepted', 'accepted', 'full'],
      )
      const [delivery] = await claim(queue, { botIds: [greeter] })
      await queue.acknowledge(holder, [delivery?.delivery ?? ''], startMs)
      assert.deepEqual(
        [await accept(greeter, 1), await accept(greeter, 2), await accept(greeter, 3)],
        ['repeated', 'accepted', 'full'],
      )
    })

    test('marks go when their time is over, in batches, and with their bot', async (t) => {
      const queue = await opened(t)
      const accept = async (botId: BotId, fill: number) =>
        (await queue.accept(newEvent({ botId }), { digest: new Uint8Array(32).fill(fill), untilMs: startMs + fill }))
          .kind
      for (const fill of [1, 2, 3]) await accept(greeter, fill)
      await accept(guard, 9)
      assert.deepEqual([await queue.pruneMarks(startMs + 2, 1), await queue.pruneMarks(startMs + 2, 10)], [1, 1])
      assert.deepEqual([await accept(greeter, 2), await accept(greeter, 3)], ['accepted', 'repeated'])
      await queue.discard(greeter)
      assert.deepEqual([await accept(greeter, 3), await accept(guard, 9)], ['accepted', 'repeated'])
    })

    test('listeners are told of bots that got something to do, until they stop', async (t) => {
      const queue = await opened(t)
      const told: BotId[] = []
      const stop = queue.onDue((botId) => told.push(botId))
      await queue.accept(newEvent({ botId: guard }))
      const [delivery] = await claim(queue, { botIds: [guard] })
      await queue.release(holder, [delivery?.delivery ?? ''])
      stop()
      await queue.accept(newEvent())
      assert.deepEqual(told, [guard, guard])
    })
  })

  describe(`${name}: DeliveryQueue, claims`, () => {
    test('events of a bot are claimed in the order accepted, also when the clock was set back', async (t) => {
      const { queue, again } = await open(t, roomy)
      const times = [startMs, startMs - 3_600_000, startMs + 1, startMs - 7_200_000]
      for (const [at, acceptedAtMs] of times.entries()) await queue.accept(newEvent({ acceptedAtMs, path: `p${at}` }))
      const reopened = await again(startMs)
      const paths = (await claim(reopened, { nowMs: startMs + 10 })).map(({ path }) => path)
      assert.deepEqual(paths, ['p0', 'p1', 'p2', 'p3'])
    })

    test('a claim takes in turn over the bots, and tells which have more', async (t) => {
      const queue = await opened(t)
      for (let n = 0; n < 5; n += 1) await queue.accept(newEvent())
      await queue.accept(newEvent({ botId: guard }))
      const { deliveries, more } = await queue.claim(claimOf({ botIds: [greeter, guard], most: 3 }))
      assert.deepEqual(deliveries.map(({ botId }) => botId).sort(), [greeter, greeter, guard])
      assert.deepEqual(more, [greeter])
    })

    test('a bot with one event has its turn in the next claim, beside one with a hundred thousand waiting', async (t) => {
      const queue = await opened(t, { ...roomy, maxEventsPerBot: 100_000, maxEvents: 100_001 })
      for (let accepted = 0; accepted < 100_000; accepted += 1_000) {
        await Promise.all(Array.from({ length: 1_000 }, () => queue.accept(newEvent())))
      }
      const bots = { botIds: [greeter, guard], most: 4 }
      assert.deepEqual(
        (await claim(queue, bots)).map(({ botId }) => botId),
        [greeter, greeter, greeter, greeter],
      )
      await queue.accept(newEvent({ botId: guard }))
      const turn = (await claim(queue, bots)).map(({ botId }) => botId)
      assert.deepEqual(turn.sort(), [greeter, greeter, greeter, guard])
    })

    test('of fifty simultaneous claims each event goes to one', async (t) => {
      const queue = await opened(t)
      for (let n = 0; n < 30; n += 1) await queue.accept(newEvent())
      const claims = await Promise.all(
        Array.from({ length: 50 }, (_, at) => queue.claim(claimOf({ holder: `runtime/${at}`, most: 2 }))),
      )
      const ids = claims.flatMap(({ deliveries }) => deliveries.map(({ id }) => id))
      assert.deepEqual([ids.length, new Set(ids).size], [30, 30])
    })

    test('a claim ends once it has read enough bytes; the rest is there for the next', async (t) => {
      const queue = await opened(t)
      for (let n = 0; n < 4; n += 1) await queue.accept(newEvent({ body: new Uint8Array(60), path: `p${n}` }))
      const first = await claim(queue, { mostBytes: 100 })
      const second = await claim(queue, { mostBytes: 1_000 })
      assert.deepEqual(
        [...first, ...second].map(({ path }) => path),
        ['p0', 'p1', 'p2', 'p3'],
      )
      assert.equal(first.length, 2)
    })

    test('nothing is claimed for bots that are not named, nor for none', async (t) => {
      const queue = await opened(t)
      await queue.accept(newEvent())
      assert.deepEqual(await claim(queue, { botIds: [guard] }), [])
      assert.deepEqual(await claim(queue, { botIds: [] }), [])
      assert.deepEqual(await queue.botsWithEvents([guard, greeter]), [greeter])
    })
  })

  describe(`${name}: DeliveryQueue, strict order`, () => {
    const pathsOf = (deliveries: readonly { path: string }[]) => deliveries.map(({ path }) => path)
    const inOrder = (path: string, event: Partial<NewEvent> = {}) => newEvent({ path, ordered: true, ...event })

    test('an event is not handed out while an earlier one of its flow is unfinished', async (t) => {
      const queue = await opened(t)
      await Promise.all(['one', 'two', 'three'].map((path) => queue.accept(inOrder(path))))
      const [one, ...others] = await claim(queue)
      assert.deepEqual([one?.path, others], ['one', []])
      await queue.acknowledge(holder, [one?.delivery ?? ''], startMs)
      const [two, ...rest] = await claim(queue)
      assert.deepEqual([two?.path, rest], ['two', []])
      await queue.fail(holder, [{ delivery: two?.delivery ?? '', failedAtMs: startMs }])
      assert.deepEqual(await claim(queue, { nowMs: startMs + 4_999 }), [])
      assert.deepEqual(pathsOf(await claim(queue, { nowMs: startMs + 5_000 })), ['two'])
    })

    test('whoever hosts the bot is told when the next one’s turn has come', async (t) => {
      const queue = await opened(t)
      for (const path of ['one', 'two']) await queue.accept(inOrder(path))
      const [one] = await claim(queue)
      const told: BotId[] = []
      queue.onDue((botId) => told.push(botId))
      await queue.acknowledge(holder, [one?.delivery ?? ''], startMs)
      assert.deepEqual(told, [greeter])
      assert.deepEqual(pathsOf(await claim(queue)), ['two'])
    })

    test('a dead letter frees the way, whatever made it one', async (t) => {
      const queue = await opened(t)
      for (const path of ['refused', 'expired', 'free']) {
        await queue.accept(inOrder(path, { acceptedAtMs: path === 'free' ? startMs + 1 : startMs }))
      }
      const [refused] = await claim(queue)
      await queue.fail(holder, [{ delivery: refused?.delivery ?? '', failedAtMs: startMs, dead: true }])
      await pruneAll(queue, startMs + eventAgeLimitMs)
      assert.deepEqual(pathsOf(await claim(queue, { nowMs: startMs + eventAgeLimitMs })), ['free'])
    })

    test('other flows, and events of the flow from before it asked for order, go their own way', async (t) => {
      const queue = await opened(t)
      await queue.accept(newEvent({ path: 'before' }))
      for (const path of ['one', 'two']) await queue.accept(inOrder(path))
      await queue.accept(inOrder('elsewhere', { flowId: 'other' as FlowId }))
      assert.deepEqual(pathsOf(await claim(queue)).sort(), ['before', 'elsewhere', 'one'])
    })

    test('what is given back stays first; a replay goes last', async (t) => {
      const queue = await opened(t)
      for (const path of ['one', 'two']) await queue.accept(inOrder(path))
      const [one] = await claim(queue)
      await queue.replay(greeter, one?.id ?? '', startMs)
      await queue.release(holder, [one?.delivery ?? ''])
      const order: [string, boolean][] = []
      for (let n = 0; n < 3; n += 1) {
        const [next] = await claim(queue)
        order.push([next?.path ?? '', next?.replayOf !== undefined])
        await queue.acknowledge(holder, [next?.delivery ?? ''], startMs)
      }
      assert.deepEqual(order, [
        ['one', false],
        ['two', false],
        ['one', true],
      ])
    })

    test('order holds over a restart, whether the first is ready, waits for a retry, or is leased', async (t) => {
      for (const first of ['ready', 'waiting', 'leased']) {
        const { queue, again } = await open(t, roomy)
        for (const path of ['one', 'two']) await queue.accept(inOrder(path))
        const one = first === 'ready' ? undefined : (await claim(queue))[0]
        if (first === 'waiting') await queue.fail(holder, [{ delivery: one?.delivery ?? '', failedAtMs: startMs }])
        const reopened = await again(startMs)
        const claimed = await claim(reopened, { nowMs: startMs + 5_000 })
        assert.deepEqual(pathsOf(claimed), first === 'leased' ? [] : ['one'])
        const held = claimed[0] ?? one
        await reopened.acknowledge(holder, [held?.delivery ?? ''], startMs)
        assert.deepEqual(pathsOf(await claim(reopened)), ['two'])
      }
    })

    test('of 300 events of three flows, claimed by five and failing at random, each flow’s are finished in order', async (t) => {
      const queue = await opened(t)
      const flows = ['a', 'b', 'c'] as FlowId[]
      await Promise.all(
        Array.from({ length: 300 }, (_, n) => queue.accept(inOrder(`${n}`, { flowId: flows[n % 3] as FlowId }))),
      )
      const finished = new Map(flows.map((flow) => [flow, [] as number[]]))
      let nowMs = startMs
      for (let turn = 0; [...finished.values()].flat().length < 300; turn += 1) {
        const name = `runtime/${turn % 5}`
        for (const { delivery, flowId, path } of await claim(queue, { holder: name, nowMs })) {
          if ((turn * 7 + Number(path)) % 4 === 0) {
            await queue.fail(name, [{ delivery, failedAtMs: nowMs, retryMs: 1_000 }])
          } else {
            await queue.acknowledge(name, [delivery], nowMs)
            finished.get(flowId)?.push(Number(path))
          }
        }
        nowMs += 1_000
      }
      for (const [at, flow] of flows.entries()) {
        assert.deepEqual(
          finished.get(flow),
          Array.from({ length: 100 }, (_, n) => n * 3 + at),
        )
      }
    })
  })

  describe(`${name}: DeliveryQueue, what becomes of a lease`, () => {
    test('an acknowledged event is done: it is listed, and neither claimed nor counted', async (t) => {
      const queue = await opened(t)
      const delivery = await claimOne(queue)
      await queue.acknowledge(holder, [delivery], startMs + 7)
      const [done] = await list(queue, greeter, 'done', 10)
      assert.deepEqual([done?.state, done?.attempts, done?.finishedAtMs], ['done', 1, startMs + 7])
      assert.deepEqual(await queue.botsWithEvents([greeter]), [])
      assert.deepEqual(await queue.lapse(startMs + leaseMs), [])
    })

    test('answers of others, late ones and unknown ones change nothing', async (t) => {
      const queue = await opened(t)
      const delivery = await claimOne(queue)
      await queue.acknowledge('runtime/two', [delivery], startMs)
      await queue.fail('runtime/two', [{ delivery, failedAtMs: startMs, dead: true }])
      await queue.release('runtime/two', [delivery])
      assert.deepEqual(await queue.renew('runtime/two', [delivery], startMs), [delivery])
      assert.deepEqual(await queue.renew(holder, [delivery, 'ev1-1', ''], startMs), ['ev1-1', ''])
      await queue.fail(holder, [{ delivery, failedAtMs: startMs }])
      await queue.acknowledge(holder, [delivery], startMs)
      const [again] = await claim(queue, { nowMs: startMs + 5_000 })
      assert.equal(again?.attempt, 2)
    })

    test('a failed attempt waits; five waits are used up one after the other, the sixth failure is a dead letter', async (t) => {
      const queue = await opened(t)
      await queue.accept(newEvent())
      let nowMs = startMs
      for (const [at, waitMs] of [5_000, 30_000, 120_000, 600_000, 3_600_000].entries()) {
        const [delivery] = await claim(queue, { nowMs })
        assert.equal(delivery?.attempt, at + 1)
        await queue.fail(holder, [{ delivery: delivery?.delivery ?? '', failedAtMs: nowMs, error: `failure ${at}` }])
        assert.deepEqual(await claim(queue, { nowMs: nowMs + waitMs - 1 }), [])
        assert.deepEqual(await queue.botsWithRetriesDue(nowMs, nowMs + waitMs - 1), [])
        assert.deepEqual(await queue.botsWithRetriesDue(nowMs, nowMs + waitMs), [greeter])
        nowMs += waitMs
      }
      const [last] = await claim(queue, { nowMs })
      await queue.fail(holder, [{ delivery: last?.delivery ?? '', failedAtMs: nowMs, error: 'x'.repeat(10_000) }])
      const [letter] = await list(queue, greeter, 'dead', 10)
      assert.deepEqual([letter?.attempts, letter?.deadBecause], [6, 'attempts-spent'])
      assert.equal(letter?.lastError?.length, runtimeErrorMaxCharacters)
      assert.deepEqual(await queue.botsWithEvents([greeter]), [])
    })

    test('a retry and younger events are claimed by the time they are due', async (t) => {
      const queue = await opened(t)
      const delivery = await claimOne(queue, { path: 'retried' })
      await queue.fail(holder, [{ delivery, failedAtMs: startMs }])
      await queue.accept(newEvent({ path: 'before', acceptedAtMs: startMs + 4_000 }))
      await queue.accept(newEvent({ path: 'after', acceptedAtMs: startMs + 6_000 }))
      const paths = (await claim(queue, { nowMs: startMs + 6_000 })).map(({ path }) => path)
      assert.deepEqual(paths, ['before', 'retried', 'after'])
    })

    test('what is given back counts no attempt and keeps its place', async (t) => {
      const queue = await opened(t)
      for (const path of ['first', 'second']) await queue.accept(newEvent({ path }))
      const [first] = await claim(queue, { most: 1 })
      await queue.release(holder, [first?.delivery ?? ''])
      const deliveries = await claim(queue)
      assert.deepEqual(
        deliveries.map(({ path, attempt }) => [path, attempt]),
        [
          ['first', 1],
          ['second', 1],
        ],
      )
      assert.notEqual(deliveries[0]?.delivery, first?.delivery)
    })

    test('a lease that is not renewed lapses as a failed attempt, a renewed one does not', async (t) => {
      const queue = await opened(t)
      const lapsing = await claimOne(queue)
      const renewed = await claimOne(queue, { botId: guard })
      await queue.renew(holder, [renewed], startMs + 1)
      assert.deepEqual(await queue.lapse(startMs + leaseMs - 1), [])
      assert.deepEqual(await queue.lapse(startMs + leaseMs), [{ holder, delivery: lapsing }])
      assert.deepEqual(await queue.lapse(startMs + leaseMs), [])
      const [again] = await claim(queue, { nowMs: startMs + leaseMs + 5_000 })
      assert.equal(again?.attempt, 2)
    })

    test('resuming renews what is listed and fails the rest as of when the connection went', async (t) => {
      const queue = await opened(t)
      const kept = await claimOne(queue, { path: 'kept' })
      await claimOne(queue, { path: 'dropped' })
      const nowMs = startMs + 8_000
      const outcome = await queue.resume(holder, [kept, 'ev1-1'], { nowMs, failedAtMs: startMs })
      assert.deepEqual(outcome, { kept: [kept], lost: ['ev1-1'] })
      const [again] = await claim(queue, { nowMs, holder: 'runtime/two' })
      assert.deepEqual([again?.path, again?.attempt], ['dropped', 2])
      const lapsed = await queue.lapse(nowMs + leaseMs - 1)
      assert.deepEqual(lapsed, [])
    })
  })

  describe(`${name}: DeliveryQueue, over a restart`, () => {
    test('everything is as it was: ready, waiting, leased, done, dead', async (t) => {
      const { queue, again } = await open(t, roomy)
      const [done, dead, waiting, leased] = [
        await claimOne(queue, { path: 'done' }),
        await claimOne(queue, { path: 'dead' }),
        await claimOne(queue, { path: 'waiting' }),
        await claimOne(queue, { path: 'leased', body: new Uint8Array(5_000).fill(5) }),
      ]
      await queue.accept(newEvent({ path: 'ready' }))
      await queue.acknowledge(holder, [done], startMs)
      await queue.fail(holder, [{ delivery: dead, failedAtMs: startMs, dead: true }])
      await queue.fail(holder, [{ delivery: waiting, failedAtMs: startMs }])

      const reopened = await again(startMs + 1_000)
      assert.deepEqual(await reopened.orphans(), [holder])
      assert.deepEqual(await reopened.orphans(), [])
      assert.deepEqual(
        (await claim(reopened, { nowMs: startMs + 1_000 })).map(({ path }) => path),
        ['ready'],
      )
      const [retried] = await claim(reopened, { nowMs: startMs + 5_000 })
      assert.deepEqual([retried?.path, retried?.attempt], ['waiting', 2])
      assert.deepEqual(
        (await list(reopened, greeter, 'done', 9)).map(({ path }) => path),
        ['done'],
      )
      assert.deepEqual(
        (await list(reopened, greeter, 'dead', 9)).map(({ path }) => path),
        ['dead'],
      )
      assert.deepEqual(await reopened.renew(holder, [leased], startMs + 1_000), [])
      await reopened.fail(holder, [{ delivery: leased, failedAtMs: startMs + 1_000 }])
      const [again2] = await claim(reopened, { nowMs: startMs + 6_000 })
      assert.deepEqual([again2?.path, again2?.attempt, again2?.body.length], ['leased', 2, 5_000])
    })

    test('the room that is taken counts over a restart', async (t) => {
      const { queue, again } = await open(t, { ...roomy, maxEventsPerBot: 2 })
      await claimOne(queue)
      await queue.accept(newEvent())
      const reopened = await again(startMs)
      assert.equal((await reopened.accept(newEvent())).kind, 'full')
    })

    test('ids are not used twice', async (t) => {
      const { queue, again } = await open(t, roomy)
      const first = await claim(queue, {}, newEvent())
      const second = await claim(await again(startMs - 1_000), {}, newEvent({ acceptedAtMs: startMs - 1_000 }))
      assert.notEqual(first[0]?.id, second[0]?.id)
    })
  })

  describe(`${name}: DeliveryQueue, replay and retention`, () => {
    test('a replay is a new event with the old payload; the old record stays', async (t) => {
      const queue = await opened(t)
      const body = new Uint8Array(3_000).fill(3)
      await queue.accept(newEvent({ body }))
      const [original] = await claim(queue)
      await queue.fail(holder, [{ delivery: original?.delivery ?? '', failedAtMs: startMs, dead: true }])
      const nowMs = startMs + 60_000
      const outcome = await queue.replay(greeter, original?.id ?? '', nowMs)
      const [replayed] = await claim(queue, { nowMs })
      assert.deepEqual(outcome, { kind: 'replayed', id: replayed?.id })
      assert.deepEqual([replayed?.replayOf, replayed?.attempt, replayed?.acceptedAtMs], [original?.id, 1, nowMs])
      assert.deepEqual(Buffer.from(replayed?.body ?? []), Buffer.from(body))
      assert.equal((await list(queue, greeter, 'dead', 10)).length, 1)
    })

    test('another bot’s event and one that does not exist are unknown; a full queue takes no replay', async (t) => {
      const queue = await opened(t, { ...roomy, maxEventsPerBot: 1 })
      const delivery = await claimOne(queue)
      await queue.acknowledge(holder, [delivery], startMs)
      const [done] = await list(queue, greeter, 'done', 1)
      const id = done?.id ?? ''
      for (const [botId, name] of [
        [guard, id],
        [greeter, 'ev1'],
        [greeter, ''],
        [greeter, "ev' OR 1=1"],
      ] as const) {
        assert.deepEqual(await queue.replay(botId, name, startMs), { kind: 'unknown' })
      }
      await queue.accept(newEvent())
      assert.deepEqual(await queue.replay(greeter, id, startMs), { kind: 'full', of: 'bot' })
    })

    test('lists are newest first and hold no other bot’s events', async (t) => {
      const queue = await opened(t)
      for (let n = 0; n < 3; n += 1) {
        const delivery = await claimOne(queue, { path: `p${n}` })
        await queue.acknowledge(holder, [delivery], startMs + n)
      }
      await queue.acknowledge(holder, [await claimOne(queue, { botId: guard })], startMs)
      assert.deepEqual(
        (await list(queue, greeter, 'done', 2)).map(({ path }) => path),
        ['p2', 'p1'],
      )
    })

    test('after 24 h an event that waits is a dead letter; a failed attempt does not put that off', async (t) => {
      const queue = await opened(t)
      const failing = await claimOne(queue, { path: 'failing' })
      await queue.accept(newEvent({ path: 'waiting' }))
      await queue.accept(newEvent({ path: 'young', acceptedAtMs: startMs + 1 }))
      await pruneAll(queue, startMs + eventAgeLimitMs)
      await queue.fail(holder, [{ delivery: failing, failedAtMs: startMs + eventAgeLimitMs }])
      const letters = await list(queue, greeter, 'dead', 9)
      assert.deepEqual(letters.map(({ path, deadBecause }) => [path, deadBecause]).sort(), [
        ['failing', 'expired'],
        ['waiting', 'expired'],
      ])
      assert.deepEqual(
        (await claim(queue, { nowMs: startMs + eventAgeLimitMs })).map(({ path }) => path),
        ['young'],
      )
    })

    test('finished events are removed after their retention, dead letters later', async (t) => {
      const queue = await opened(t)
      await queue.acknowledge(holder, [await claimOne(queue)], startMs)
      const dead = await claimOne(queue)
      await queue.fail(holder, [{ delivery: dead, failedAtMs: startMs, dead: true }])
      const left = async () => [
        (await list(queue, greeter, 'done', 9)).length,
        (await list(queue, greeter, 'dead', 9)).length,
      ]
      await pruneAll(queue, startMs + acknowledgedRetentionMs - 1)
      assert.deepEqual(await left(), [1, 1])
      await pruneAll(queue, startMs + acknowledgedRetentionMs)
      assert.deepEqual(await left(), [0, 1])
      await pruneAll(queue, startMs + deadLetterRetentionMs)
      assert.deepEqual(await left(), [0, 0])
    })

    test('pruning goes on where it stopped, in batches of any size', async (t) => {
      const queue = await opened(t)
      for (let n = 0; n < 7; n += 1) await queue.accept(newEvent())
      const looked = []
      for (let n = 0; n < 3; n += 1) looked.push(await queue.prune(startMs + eventAgeLimitMs, 3))
      assert.deepEqual(looked, [3, 3, 1])
      assert.equal((await list(queue, greeter, 'dead', 9)).length, 7)
    })

    test('what a deleted bot leaves is removed, what is in flight excepted; other bots keep theirs', async (t) => {
      const { queue, again } = await open(t, { ...roomy, maxEventsPerBot: 3 })
      await queue.acknowledge(holder, [await claimOne(queue)], startMs)
      const waiting = await claimOne(queue)
      await queue.fail(holder, [{ delivery: waiting, failedAtMs: startMs }])
      const leased = await claimOne(queue)
      await queue.accept(newEvent({ body: new Uint8Array(5_000) }))
      await queue.accept(newEvent({ botId: guard }))
      await queue.discard(greeter)
      for (const reopen of [async () => queue, () => again(startMs)]) {
        const each = await reopen()
        assert.deepEqual(await list(each, greeter, 'done', 9), [])
        assert.deepEqual(await claim(each, { nowMs: startMs + 5_000 }), [])
        assert.deepEqual(await each.renew(holder, [leased], startMs), [])
        assert.deepEqual(await each.botsWithEvents([greeter, guard]), [greeter, guard])
      }
    })

    test('discarding takes dead letters of the bot, and nothing else', async (t) => {
      const queue = await opened(t)
      const end = async (botId: BotId, dead: boolean) => {
        const [delivery] = await claim(queue, { botIds: [botId] }, newEvent({ botId }))
        await queue.fail(holder, [{ delivery: delivery?.delivery ?? '', failedAtMs: startMs, dead, error: 'no' }])
        return delivery?.id ?? ''
      }
      const ids = [await end(greeter, true), await end(greeter, false), await end(guard, true), 'ev1', '']
      assert.equal(await queue.discardDead(greeter, ids), 1)
      assert.equal(await queue.discardDead(greeter, ids), 0)
      assert.deepEqual(await list(queue, greeter, 'dead', 9), [])
      assert.equal((await list(queue, greeter, 'ready', 9)).length, 1)
      assert.equal((await list(queue, guard, 'dead', 9)).length, 1)
    })

    test('a waiting event that is discarded is never handed out, whether new, waiting for its retry or in a line', async (t) => {
      const { queue, again } = await open(t, { ...roomy, maxEventsPerBot: 5, maxBytesPerBot: 10_025 })
      const failing = await claimOne(queue, { path: 'retried' })
      await queue.fail(holder, [{ delivery: failing, failedAtMs: startMs, error: 'no' }])
      await queue.accept(newEvent({ path: 'new', body: new Uint8Array(10_000) }))
      for (const path of ['head', 'second', 'third']) await queue.accept(newEvent({ path, ordered: true }))
      assert.deepEqual(await queue.accept(newEvent()), { kind: 'full', of: 'bot' })
      const idOf = new Map((await list(queue, greeter, 'ready', 9)).map(({ path, id }) => [path, id]))
      const told: BotId[] = []
      queue.onDue((botId) => told.push(botId))
      const discard = (path: string) => queue.discardWaiting(greeter, idOf.get(path) ?? '')
      assert.deepEqual([await discard('retried'), await discard('new'), await discard('second')], [true, true, true])
      const woken = told.length
      assert.equal(await discard('head'), true)
      assert.ok(told.length > woken, 'the next in line is due')
      assert.deepEqual([await discard('head'), await discard('new'), await discard('none')], [false, false, false])
      assert.equal(await queue.discardWaiting(guard, idOf.get('third') ?? ''), false, 'another bot’s')
      const { waitingEvents, waitingBytes, leasedEvents, deadLetters } = await queue.figures()
      assert.deepEqual([waitingEvents, waitingBytes, leasedEvents, deadLetters], [1, 5, 0, 0])
      // The room is free again, to the last event and byte.
      for (const size of [10_000, 5, 5, 5]) {
        assert.equal((await queue.accept(newEvent({ path: 'later', body: new Uint8Array(size) }))).kind, 'accepted')
      }
      assert.deepEqual(await queue.accept(newEvent({ body: new Uint8Array(0) })), { kind: 'full', of: 'bot' })
      const reopened = await again(startMs)
      const paths = (await claim(reopened, { nowMs: startMs + 5_000 })).map(({ path }) => path)
      assert.deepEqual(paths, ['third', 'later', 'later', 'later', 'later'])
    })

    test('discarding leaves an event that a runtime holds, or that is finished; the mark of a discarded one stays', async (t) => {
      const queue = await opened(t)
      const mark = { digest: new Uint8Array(32).fill(1), untilMs: startMs + 100 }
      const finish = async (event: Partial<NewEvent>, work: (delivery: string) => Promise<void>) => {
        const [delivery] = await claim(queue, {}, newEvent(event))
        await work(delivery?.delivery ?? '')
        return delivery?.id ?? ''
      }
      const done = await finish({}, (delivery) => queue.acknowledge(holder, [delivery], startMs))
      const dead = await finish({}, (delivery) => queue.fail(holder, [{ delivery, failedAtMs: startMs, dead: true }]))
      let held = ''
      const leased = await finish({}, async (delivery) => {
        held = delivery
      })
      for (const id of [done, dead, leased]) assert.equal(await queue.discardWaiting(greeter, id), false)
      assert.deepEqual(await queue.renew(holder, [held], startMs), [])
      await queue.acknowledge(holder, [held], startMs)
      await queue.accept(newEvent({ path: 'marked' }), mark)
      const [marked] = await list(queue, greeter, 'ready', 1)
      assert.equal(await queue.discardWaiting(greeter, marked?.id ?? ''), true)
      assert.deepEqual(await queue.accept(newEvent({ path: 'marked' }), mark), { kind: 'repeated' })
      assert.deepEqual(await claim(queue), [])
    })

    test('a concurrent discard and claim: exactly one gets the event', async (t) => {
      const queue = await opened(t)
      const ordered = [false, true]
      for (let n = 0; n < 40; n += 1) {
        await queue.accept(newEvent({ path: `${n}`, ordered: ordered[n % 2] as boolean }))
      }
      const events = await list(queue, greeter, 'ready', 40)
      const claims = Array.from({ length: 8 }, (_, at) => queue.claim(claimOf({ holder: `runtime/${at}`, most: 3 })))
      const gone = await Promise.all(events.map(({ id }) => queue.discardWaiting(greeter, id)))
      const discarded = events.filter((_, at) => gone[at]).map(({ id }) => id)
      const handedOut = (await Promise.all(claims)).flatMap(({ deliveries }) => deliveries.map(({ id }) => id))
      for (let more = await claim(queue); more.length > 0; more = await claim(queue)) {
        handedOut.push(...more.map(({ id }) => id))
        await queue.acknowledge(
          holder,
          more.map(({ delivery }) => delivery),
          startMs,
        )
      }
      assert.deepEqual(new Set(discarded).intersection(new Set(handedOut)), new Set())
      assert.equal(new Set([...discarded, ...handedOut]).size, discarded.length + handedOut.length)
      const left = (await queue.figures()).waitingEvents
      const leased = (await list(queue, greeter, 'leased', 40)).length
      const ready = (await list(queue, greeter, 'ready', 40)).length
      assert.deepEqual([left, discarded.length + handedOut.length + ready], [leased + ready, 40])
    })

    test('trying now makes a scheduled retry due, tells its bot, and leaves its attempts as they are', async (t) => {
      const { queue, again } = await open(t, roomy)
      const delivery = await claimOne(queue)
      await queue.fail(holder, [{ delivery, failedAtMs: startMs, error: 'no' }])
      const [{ id } = { id: '' }] = await list(queue, greeter, 'ready', 1)
      const nowMs = startMs + 1_000
      const told: BotId[] = []
      queue.onDue((botId) => told.push(botId))
      assert.equal(await queue.tryNow(guard, id, nowMs), false, 'another bot’s')
      assert.deepEqual(await claim(queue, { nowMs }), [])
      assert.equal(await queue.tryNow(greeter, id, nowMs), true)
      assert.deepEqual(told, [greeter])
      assert.equal(await queue.tryNow(greeter, id, nowMs), false, 'it is due already')
      const [listed] = await list(queue, greeter, 'ready', 1)
      assert.deepEqual([listed?.attempts, listed?.dueAtMs, listed?.lastError], [1, nowMs, 'no'])
      assert.deepEqual(await queue.botsWithRetriesDue(nowMs - 1, nowMs), [greeter])
      const reopened = await again(nowMs)
      const [retried] = await claim(reopened, { nowMs })
      assert.deepEqual([retried?.id, retried?.attempt], [id, 2])
      await reopened.fail(holder, [{ delivery: retried?.delivery ?? '', failedAtMs: nowMs }])
      assert.deepEqual(await claim(reopened, { nowMs: nowMs + 29_999 }), [], 'the second wait follows, as ever')
      assert.equal((await claim(reopened, { nowMs: nowMs + 30_000 })).length, 1)
    })

    test('trying now changes nothing of an event that was never tried, is held, finished or unknown', async (t) => {
      const queue = await opened(t)
      await queue.accept(newEvent({ path: 'head', ordered: true }))
      await queue.accept(newEvent({ path: 'behind', ordered: true }))
      const ids = (await list(queue, greeter, 'ready', 2)).map(({ id }) => id)
      const tryAll = () => Promise.all([...ids, 'ev1', ''].map((id) => queue.tryNow(greeter, id, startMs + 60_000)))
      assert.deepEqual(await tryAll(), [false, false, false, false])
      const [head, ...others] = await claim(queue)
      assert.deepEqual([head?.path, others], ['head', []])
      await queue.fail(holder, [{ delivery: head?.delivery ?? '', failedAtMs: startMs }])
      const [again] = await claim(queue, { nowMs: startMs + 5_000 })
      assert.deepEqual(await tryAll(), [false, false, false, false])
      assert.deepEqual(await queue.renew(holder, [again?.delivery ?? ''], startMs + 5_000), [])
      await queue.acknowledge(holder, [again?.delivery ?? ''], startMs + 5_000)
      assert.deepEqual(await tryAll(), [false, false, false, false])
    })

    test('trying now and claiming at once hand out a retry once', async (t) => {
      const queue = await opened(t)
      for (let n = 0; n < 20; n += 1) await queue.accept(newEvent())
      const failed = await claim(queue)
      await queue.fail(
        holder,
        failed.map(({ delivery }) => ({ delivery, failedAtMs: startMs })),
      )
      const nowMs = startMs + 5_000
      const claims = Array.from({ length: 10 }, (_, at) =>
        queue.claim(claimOf({ holder: `runtime/${at}`, most: 1, nowMs })),
      )
      const hurried = failed.map(({ id }) => queue.tryNow(greeter, id, nowMs - 1))
      const handedOut = (await Promise.all(claims)).flatMap(({ deliveries }) => deliveries)
      await Promise.all(hurried)
      handedOut.push(...(await claim(queue, { nowMs })))
      assert.deepEqual([handedOut.length, new Set(handedOut.map(({ id }) => id)).size], [20, 20])
      assert.ok(handedOut.every(({ attempt }) => attempt === 2))
    })

    test('a probe is a write that is durable when it resolves', async (t) => {
      const queue = await opened(t)
      await Promise.all([queue.probe(), queue.probe()])
    })
  })
}

async function claim(queue: DeliveryQueue, wanted: Partial<Claim> = {}, event?: NewEvent) {
  if (event !== undefined) await queue.accept(event)
  return (await queue.claim(claimOf(wanted))).deliveries
}

/** Accepts an event and claims it at once; the delivery's name. */
async function claimOne(queue: DeliveryQueue, event: Partial<NewEvent> = {}): Promise<string> {
  const accepted = newEvent(event)
  const [delivery] = await claim(queue, { botIds: [accepted.botId], most: 1 }, accepted)
  return delivery?.delivery ?? assert.fail('nothing to claim')
}

/** The bot's events in that state, newest first. */
async function list(queue: LoggedQueue, botId: BotId, state: EventState, most: number) {
  return (await queue.log.page(botId, { state }, { most })).events
}

async function pruneAll(queue: DeliveryQueue, nowMs: number): Promise<void> {
  while ((await queue.prune(nowMs, 100)) === 100);
}
