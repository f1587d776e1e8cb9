import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BotRuntime } from '../support/bot-runtime.ts'
import { eventually } from '../support/eventually.ts'
import type { ListeningBot } from '../support/listening-bot.ts'
import type { World } from '../support/world.ts'
import { advanceSilently, dispatched, eventsIn, openSetting, post, untilFailedTimes } from './runtime-link-scene.ts'

describe('Runtime link: ack and nack', () => {
  test('an acknowledged event is not redelivered; acks and nacks that are late or have an unknown delivery ID are ignored', async (t) => {
    const { world, bot, key } = await openSetting(t)
    const { runtime } = await BotRuntime.ready(t, world, key)
    await post(world, bot)
    const { delivery } = await runtime.next('dispatch')
    runtime.send({ type: 'ack', deliveries: [delivery, 'ev1-1', '', 'nonsense'] })
    runtime.send({ type: 'ack', deliveries: [delivery] })
    runtime.send({ type: 'nack', delivery })
    await advanceSilently(world, 120_000, runtime)
    assert.deepEqual((await runtime.heartbeat([delivery])).lost, [delivery])
  })

  test('nack with dead makes the event a dead letter immediately; nack with retryMs redelivers the event after that time', async (t) => {
    const { world, bot, key } = await openSetting(t)
    const { runtime } = await BotRuntime.ready(t, world, key)
    await post(world, bot)
    const first = await runtime.next('dispatch')
    runtime.send({ type: 'nack', delivery: first.delivery, retryMs: 20_000 })
    await untilFailedTimes(world, bot, first.id, 1)
    await advanceSilently(world, 19_999, runtime)
    const second = await dispatched(world, runtime)
    assert.deepEqual([second.id, second.attempt, second.delivery === first.delivery], [first.id, 2, false])
    runtime.send({ type: 'nack', delivery: second.delivery, dead: true, error: 'no such order' })
    const [letter] = await deadLetters(world, bot, 1)
    assert.deepEqual([letter?.deadBecause, letter?.lastError], ['refused-by-runtime', 'no such order'])
  })

  test('our choice: a fractional retryMs is rounded to whole milliseconds', async (t) => {
    const { world, bot, key } = await openSetting(t)
    const { runtime } = await BotRuntime.ready(t, world, key)
    await post(world, bot)
    const { delivery, id } = await runtime.next('dispatch')
    runtime.send({ type: 'nack', delivery, retryMs: 20_000.25 })
    await untilFailedTimes(world, bot, id, 1)
    await advanceSilently(world, 19_999, runtime)
    assert.equal((await dispatched(world, runtime)).attempt, 2)
  })
})

async function deadLetters(world: World, { botId }: ListeningBot, count: number) {
  return eventually(async () => {
    const letters = await eventsIn(world, botId, 'dead', count + 1)
    return letters.length === count ? letters : undefined
  })
}
