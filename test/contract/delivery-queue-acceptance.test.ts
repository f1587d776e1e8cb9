import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BotId, parseBotId } from '../../src/domain/ids.ts'
import { onEachQueue } from '../support/adapters/queue-engines.ts'
import { pluck, tally } from '../support/together.ts'
import { greeter, guard, holder, inLine, newEvent, startMs } from './queue-scene.ts'
import { claim, roomy } from './queue-under-test.ts'

onEachQueue('DeliveryQueue, acceptance', (open) => {
  test('an accepted event is claimed unchanged', async (t) => {
    const { queue } = await open(t)
    const event = newEvent({
      headers: { contentType: 'text/plain', userAgent: undefined, forwardedFor: 'ä, b', requestId: '' },
      body: Uint8Array.of(0, 255, 10),
    })
    assert.deepEqual(await queue.accept(event), { kind: 'accepted' })
    const [delivery] = await claim(queue)
    const { delivery: token, id, body, ...rest } = delivery ?? assert.fail('nothing to claim')
    const { body: sent, ordered: _, ...expected } = event
    assert.deepEqual(rest, { ...expected, attempt: 1, replayOf: undefined })
    assert.deepEqual(Buffer.from(body), Buffer.from(sent))
    assert.ok(token !== id)
    assert.match(id, /^[A-Za-z0-9_-]+$/)
  })

  test('bodies of all sizes are claimed byte for byte, even after a failed attempt', async (t) => {
    const { queue } = await open(t)
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

  test('bots that fill the queue can’t take all of it: an event of another bot is still accepted', async (t) => {
    const { queue } = await open(t, { ...roomy, maxEvents: 200 })
    const fill = async (botId: BotId) => {
      for (let accepted = 0; ; accepted += 1) {
        const outcome = await queue.accept(newEvent({ botId, body: new Uint8Array(1) }))
        if (outcome.kind === 'accepted') continue
        assert.deepEqual(outcome, { kind: 'full', of: 'bot' })
        return accepted
      }
    }
    const counts = [await fill(greeter), await fill(parseBotId('second')!), await fill(parseBotId('third')!)]
    assert.deepEqual(counts, [160, 32, 7])
    assert.deepEqual(await queue.accept(newEvent({ botId: guard })), { kind: 'accepted' })
  })

  test('the queue’s metrics count past outcomes and waiting events', async (t) => {
    const { queue } = await open(t, { ...roomy, maxEventsPerBot: 3, maxEvents: 4 })
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

  test('one of fifty concurrent events with the same dedupe mark is accepted; later ones are duplicates until the mark expires', async (t) => {
    const { queue, again } = await open(t)
    const mark = { digest: new Uint8Array(32).fill(1), untilMs: startMs + 100 }
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => queue.accept(newEvent(), mark)))
    assert.deepEqual(tally(outcomes), { accepted: 1, repeated: 49 })
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

  test('a dedupe mark belongs to one bot, takes no queue space, and is not stored for a rejected event', async (t) => {
    const { queue } = await open(t, { ...roomy, maxEventsPerBot: 1 })
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

  test('expired dedupe marks are pruned in batches, and discarding a bot removes its marks', async (t) => {
    const { queue } = await open(t)
    const accept = async (botId: BotId, fill: number) =>
      (await queue.accept(newEvent({ botId }), { digest: new Uint8Array(32).fill(fill), untilMs: startMs + fill })).kind
    for (const fill of [1, 2, 3]) await accept(greeter, fill)
    await accept(guard, 9)
    assert.deepEqual([await queue.pruneMarks(startMs + 2, 1), await queue.pruneMarks(startMs + 2, 10)], [1, 1])
    assert.deepEqual([await accept(greeter, 2), await accept(greeter, 3)], ['accepted', 'repeated'])
    await queue.discard(greeter, await queue.lastAccepted(greeter), 'keep')
    assert.deepEqual([await accept(greeter, 3), await accept(guard, 9)], ['accepted', 'repeated'])
  })

  test('discarding a bot’s events up to a given event leaves later events and other bots’ events', async (t) => {
    const { queue } = await open(t)
    const accept = async (botId: BotId, path: string) => queue.accept(newEvent({ botId, path }))
    for (const path of ['done', 'dead', 'leased', 'waiting']) await accept(greeter, path)
    await accept(guard, 'other bot')
    const [done, dead] = await claim(queue, { botIds: [greeter], most: 3 })
    await queue.acknowledge(holder, [done?.delivery ?? ''], startMs)
    await queue.fail(holder, [{ delivery: dead?.delivery ?? '', failedAtMs: startMs, dead: true }])
    const bound = await queue.lastAccepted(greeter)
    await accept(greeter, 'later')
    const left = async (botId: BotId) => (await queue.log.page(botId, {}, { most: 10 })).events.map(({ path }) => path)

    await queue.discard(greeter, bound, 'keep')
    assert.deepEqual(await left(greeter), ['later', 'leased'])
    await queue.discard(greeter, bound, 'remove')
    assert.deepEqual(await left(greeter), ['later'])
    assert.deepEqual(await left(guard), ['other bot'])
    assert.deepEqual(pluck(await claim(queue, { botIds: [greeter] }), 'path'), ['later'])
    assert.equal((await queue.figures()).waitingEvents, 2)
  })

  test('discarding strictly ordered events leaves the later ones deliverable', async (t) => {
    const { queue } = await open(t)
    for (const path of ['first', 'second']) await queue.accept(inLine(path))
    const bound = await queue.lastAccepted(greeter)
    await queue.accept(inLine('third'))
    await queue.discard(greeter, bound, 'keep')
    assert.deepEqual(pluck(await claim(queue), 'path'), ['third'])
  })
})
