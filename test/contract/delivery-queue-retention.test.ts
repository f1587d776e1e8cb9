import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { BotId } from '../../src/domain/ids-and-secrets.ts'
import * as limits from '../../src/domain/limits/limits.ts'
import type { DeliveryQueue } from '../../src/domain/webhooks/delivery-queue.ts'
import { onEachQueue } from '../support/adapters/queue-engines.ts'
import { atOnce, pluck, tally } from '../support/together.ts'
import {
  claim,
  claimOne,
  greeter,
  guard,
  holder,
  inLine,
  list,
  newEvent,
  pruneAll,
  roomy,
  startMs,
} from './queue-scene.ts'

onEachQueue('DeliveryQueue, replay and retention', (open) => {
  test('a full queue rejects a replay', async (t) => {
    const { queue } = await open(t, { ...roomy, maxEventsPerBot: 1 })
    await queue.acknowledge(holder, [await claimOne(queue)], startMs)
    const [done] = await list(queue, greeter, 'done', 1)
    await queue.accept(newEvent())
    assert.deepEqual(await queue.replay(greeter, done?.id ?? '', startMs), { kind: 'full', of: 'bot' })
  })

  test('of simultaneous replays that are only for events not replayed before, one is accepted; any other replay is accepted again', async (t) => {
    const { queue } = await open(t)
    await queue.fail(holder, [{ delivery: await claimOne(queue), failedAtMs: startMs, dead: true }])
    const [{ id } = { id: '' }] = await list(queue, greeter, 'dead', 1)
    assert.deepEqual(tally(await atOnce(9, () => queue.replay(greeter, id, startMs, true))), {
      accepted: 1,
      unknown: 8,
    })
    const again = await queue.replay(greeter, id, startMs)
    assert.deepEqual(again, { kind: 'accepted', id: (await queue.log.find(greeter, id))?.replayedAs })
    assert.equal((await queue.figures()).waitingEvents, 2)
  })

  test('a waiting event becomes a dead letter 24 hours after it was accepted, even if an attempt has just failed', async (t) => {
    const { queue } = await open(t)
    const failing = await claimOne(queue, { path: 'failing' })
    await queue.accept(newEvent({ path: 'waiting' }))
    await queue.accept(newEvent({ path: 'young', acceptedAtMs: startMs + 1 }))
    await pruneAll(queue, startMs + limits.eventAgeLimitMs)
    await queue.fail(holder, [{ delivery: failing, failedAtMs: startMs + limits.eventAgeLimitMs }])
    const letters = await list(queue, greeter, 'dead', 9)
    assert.deepEqual(letters.map(({ path, deadBecause }) => [path, deadBecause]).sort(), [
      ['failing', 'expired'],
      ['waiting', 'expired'],
    ])
    assert.deepEqual(pluck(await claim(queue, { nowMs: startMs + limits.eventAgeLimitMs }), 'path'), ['young'])
  })

  test('finished events are removed after their retention period; dead letters have a longer one', async (t) => {
    const { queue } = await open(t)
    await queue.acknowledge(holder, [await claimOne(queue)], startMs)
    const dead = await claimOne(queue)
    await queue.fail(holder, [{ delivery: dead, failedAtMs: startMs, dead: true }])
    const left = async () => [
      (await list(queue, greeter, 'done', 9)).length,
      (await list(queue, greeter, 'dead', 9)).length,
    ]
    await pruneAll(queue, startMs + limits.acknowledgedRetentionMs - 1)
    assert.deepEqual(await left(), [1, 1])
    await pruneAll(queue, startMs + limits.acknowledgedRetentionMs)
    assert.deepEqual(await left(), [0, 1])
    await pruneAll(queue, startMs + limits.deadLetterRetentionMs)
    assert.deepEqual(await left(), [0, 0])
  })

  test('pruning finished events continues where it stopped, in bounded batches', async (t) => {
    const { queue } = await open(t)
    for (let n = 0; n < 7; n += 1) await queue.accept(newEvent())
    const looked = []
    for (let n = 0; n < 3; n += 1) looked.push(await queue.prune(startMs + limits.eventAgeLimitMs, 3))
    assert.deepEqual(looked, [3, 3, 1])
    assert.equal((await list(queue, greeter, 'dead', 9)).length, 7)
  })

  for (const state of ['done', 'dead'] as const) {
    const much = { events: 1e9, bytes: 1e9 }
    const noLimit = { ...much, eventsPerBot: 1e9, bytesPerBot: 1e9, outgoing: much }
    const openWith = (t: TestContext, limits: Partial<typeof noLimit>) =>
      open(t, roomy, { done: noLimit, dead: noLimit, [state]: { ...noLimit, ...limits } })
    /** Finishes events of the bot, each with a body of this size. */
    const finish = async (queue: DeliveryQueue, botId: BotId, count: number, bytes = 1_000) => {
      for (let n = 0; n < count; n += 1) {
        const acceptedAtMs = startMs + n
        const delivery = await claimOne(queue, { botId, acceptedAtMs, path: `${n}`, body: new Uint8Array(bytes) })
        if (state === 'done') await queue.acknowledge(holder, [delivery], startMs)
        else await queue.fail(holder, [{ delivery, failedAtMs: startMs, dead: true }])
      }
    }
    const bots = (prefix: string, count: number) => Array.from({ length: count }, (_, n) => `${prefix}-${n}` as BotId)
    /** Returns the paths of the bot's kept events, oldest first. */
    const kept = async (queue: DeliveryQueue, botId: BotId) =>
      (await list(queue, botId, state, 1_000)).map(({ path }) => path).reverse()

    test(`${state}: a bot beyond its share of bytes loses its oldest events only, not all of them`, async (t) => {
      const { queue, again } = await openWith(t, { bytesPerBot: 10_200 })
      await finish(queue, greeter, 12)
      await queue.prune(startMs, 100)
      // Closing the queue waits for removals in progress.
      const left = await kept(await again(startMs), greeter)
      assert.ok(left.length >= 9 && left.length <= 10, `${left.length} left`)
      assert.equal(left.at(-1), '11')
    })

    for (const limits of [{ events: 60 }, { bytes: 60_000 }]) {
      test(`${state}: bots with many events lose theirs when a total of ${JSON.stringify(limits)} is reached; another bot keeps all of its few`, async (t) => {
        const { queue, again } = await openWith(t, limits)
        await finish(queue, guard, 5)
        const loud = bots('loud', 6)
        for (const botId of loud) await finish(queue, botId, 14)
        const reopened = await again(startMs)
        await reopened.prune(startMs, 100)
        assert.deepEqual(await kept(reopened, guard), ['0', '1', '2', '3', '4'])
        const counts: number[] = []
        for (const botId of loud) counts.push((await kept(reopened, botId)).length)
        assert.ok(Math.min(...counts) >= 8 && Math.max(...counts) <= 10, counts.join())
        assert.equal((await kept(reopened, 'loud-0' as BotId)).at(-1), '13')
      })
    }

    test(`${state}: subscriptions, of which users create any number, displace only each other’s events`, async (t) => {
      const { queue } = await openWith(t, { events: 40, outgoing: { events: 30, bytes: 1e9 } })
      await finish(queue, greeter, 40)
      const outboxes = bots('subscription:loud', 20)
      await finish(queue, 'subscription:quiet' as BotId, 1)
      for (const outbox of outboxes) await finish(queue, outbox, 4)
      await queue.prune(startMs, 100)
      assert.equal((await kept(queue, greeter)).length, 40)
      assert.equal((await kept(queue, 'subscription:quiet' as BotId)).length, 1)
      const counts: number[] = []
      for (const outbox of outboxes) counts.push((await kept(queue, outbox)).length)
      assert.ok(Math.min(...counts) >= 1 && counts.reduce((sum, count) => sum + count, 1) <= 30, counts.join())
    })

    test(`${state}: when more bots than are trimmed at once keep equally much, each loses a little`, async (t) => {
      const { queue } = await openWith(t, { events: 200 })
      const all = bots('many', 60)
      for (const botId of all) await finish(queue, botId, 4, 10)
      await queue.prune(startMs, 100)
      const counts: number[] = []
      for (const botId of all) counts.push((await kept(queue, botId)).length)
      assert.ok(Math.min(...counts) >= 2, counts.join())
      assert.ok(counts.reduce((sum, count) => sum + count, 0) <= 200)
    })
  }

  test('discarding a bot also removes events that are still being accepted', async (t) => {
    const { queue } = await open(t)
    const accepting = [1, 2, 3].map((n) => queue.accept(n === 3 ? inLine('') : newEvent()))
    await queue.discard(greeter, await queue.lastAccepted(greeter), 'remove')
    for (const { kind } of await Promise.all(accepting)) assert.equal(kind, 'accepted')
    assert.deepEqual(await claim(queue), [])
    assert.equal((await queue.figures()).waitingEvents, 0)
  })
})
