import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BotRuntime, type Frame, type ListeningBot, makeRuntime, post } from '../support/bot-runtime.ts'
import { eventually } from '../support/eventually.ts'
import type { World } from '../support/world.ts'
import { advanceSilently, dispatched, eventsIn, openLinked, untilFailedTimes } from './runtime-link-scene.ts'

describe('Runtime link: leases', () => {
  test('a heartbeat renews every lease that it lists; another key’s session with the same instance name doesn’t end this one', async (t) => {
    const { world, bot, runtime } = await openLinked(t)
    await post(world, bot)
    const { delivery } = await runtime.next('dispatch')
    await BotRuntime.ready(t, world, (await makeRuntime(world)).key)
    await advanceSilently(world, 600_000, runtime, [delivery])
    assert.deepEqual(await runtime.heartbeat([delivery]), { type: 'heartbeat', now: world.clock.nowMs(), lost: [] })
  })

  test('a runtime that reconnects within 10 s keeps the deliveries it lists in `working`, up to its credit', async (t) => {
    const { world, bot, key, runtime } = await openLinked(t, { credit: 2 })
    await post(world, bot, 'kept')
    await post(world, bot, 'dropped')
    const [kept, dropped] = (await runtime.deliveries(2)) as [Frame, Frame]
    await runtime.crash()
    await world.clock.advance(5_000)
    const again = await BotRuntime.ready(t, world, key, { credit: 1, working: [kept.delivery, 'ev1-1'] })
    assert.deepEqual(again.welcome.lost, ['ev1-1'])
    await advanceSilently(world, 30_000, again.runtime, [kept.delivery])
    again.runtime.send({ type: 'ack', deliveries: [kept.delivery] })
    const second = await dispatched(world, again.runtime)
    assert.deepEqual([second.id, second.attempt], [dropped.id, 2])
  })

  test('leases survive a restart of the service: leases listed in `working` are kept, other events are redelivered after 10 s', async (t) => {
    const { world, bot, key, runtime } = await openLinked(t, { credit: 1 })
    await post(world, bot, 'kept')
    const kept = await runtime.next('dispatch')
    const { runtime: gone } = await BotRuntime.ready(t, world, key, { instance: 'gone', credit: 1 })
    await post(world, bot, 'dropped')
    const dropped = await gone.next('dispatch')
    await world.restart()
    const { runtime: other } = await BotRuntime.ready(t, world, key, { instance: 'other' })
    const again = await BotRuntime.ready(t, world, key, { working: [kept.delivery], bots: [] })
    assert.deepEqual(again.welcome.lost, [])
    await advanceSilently(world, 9_000, other)
    const second = await dispatched(world, other)
    assert.deepEqual([second.id, second.attempt], [dropped.id, 2])
    assert.deepEqual((await again.runtime.heartbeat([kept.delivery])).lost, [])
  })

  test('our choice: a delivery that a reconnecting runtime does not list counts as failed from the moment the connection was lost', async (t) => {
    const { world, bot, key, runtime } = await openLinked(t)
    await post(world, bot)
    const first = await runtime.next('dispatch')
    await runtime.crash()
    await eventually(() => (world.logs().includes('runtime connection lost') ? true : undefined))
    await world.clock.advance(1_000)
    const again = await BotRuntime.ready(t, world, key)
    await advanceSilently(world, 3_999, again.runtime)
    const second = await dispatched(world, again.runtime)
    assert.deepEqual([second.id, second.attempt], [first.id, 2])
  })
})

test('nack with dead makes the event a dead letter immediately; nack with retryMs redelivers the event after that time, in whole milliseconds', async (t) => {
  const { world, bot, runtime } = await openLinked(t)
  await post(world, bot)
  const first = await runtime.next('dispatch')
  runtime.send({ type: 'nack', delivery: first.delivery, retryMs: 20_000.25 })
  await untilFailedTimes(world, bot, first.id, 1)
  await advanceSilently(world, 19_999, runtime)
  const second = await dispatched(world, runtime)
  assert.deepEqual([second.id, second.attempt, second.delivery === first.delivery], [first.id, 2, false])
  runtime.send({ type: 'nack', delivery: second.delivery, dead: true, error: 'no such order' })
  const [letter] = await deadLetters(world, bot, 1)
  assert.deepEqual([letter?.deadBecause, letter?.lastError], ['refused-by-runtime', 'no such order'])
})

async function deadLetters(world: World, { botId }: ListeningBot, count: number) {
  return eventually(async () => {
    const letters = await eventsIn(world, botId, 'dead', count + 1)
    return letters.length === count ? letters : undefined
  })
}
