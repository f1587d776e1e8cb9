import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachQueue } from '../support/adapters/queue-engines.ts'
import { atOnce, pluck } from '../support/together.ts'
import { claimOf, greeter, guard, newEvent, startMs } from './queue-scene.ts'
import { claim, roomy } from './queue-under-test.ts'

onEachQueue('DeliveryQueue, claims', (open) => {
  test('a bot’s events are claimed in the order they were accepted, even if the clock was set back', async (t) => {
    const { queue, again } = await open(t)
    const times = [startMs, startMs - 3_600_000, startMs + 1, startMs - 7_200_000]
    for (const [at, acceptedAtMs] of times.entries()) await queue.accept(newEvent({ acceptedAtMs, path: `p${at}` }))
    const reopened = await again(startMs)
    const paths = (await claim(reopened, { nowMs: startMs + 10 })).map(({ path }) => path)
    assert.deepEqual(paths, ['p0', 'p1', 'p2', 'p3'])
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

  test('each event goes to exactly one of fifty simultaneous claims', async (t) => {
    const { queue } = await open(t)
    for (let n = 0; n < 30; n += 1) await queue.accept(newEvent())
    const claims = await atOnce(50, (at) => queue.claim(claimOf({ holder: `runtime/${at}`, most: 2 })))
    const ids = claims.flatMap(({ deliveries }) => deliveries.map(({ id }) => id))
    assert.deepEqual([ids.length, new Set(ids).size], [30, 30])
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
