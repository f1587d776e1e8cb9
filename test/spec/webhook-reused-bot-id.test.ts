import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { provisionListeningBot } from '../support/bot-runtime.ts'
import { eventually } from '../support/eventually.ts'
import { accepted, openSetting } from '../support/webhook-senders.ts'

const byHeader = { dedupe: { header: 'X-GitHub-Delivery', windowSeconds: 3_600 } }

/**
 * Opens a scene with a bot that has one accepted webhook, `old`. The test controls when the bot's events are removed.
 */
async function openScene(t: TestContext) {
  const setting = await openSetting(t, byHeader)
  const { world, bot, send, put } = setting
  const { queue, bots, clock } = world.service
  assert.deepEqual(await send('old', { 'X-GitHub-Delivery': 'a' }), accepted)

  const discard = queue.discard.bind(queue)
  const held: { release: () => void; done: Promise<void> }[] = []
  /** Holds back the next removal of events until the test releases it, like a slow node. */
  const holdNextDiscard = () => {
    queue.discard = (...args: Parameters<typeof discard>) => {
      queue.discard = discard
      const { promise, resolve } = Promise.withResolvers<void>()
      const done = promise.then(() => discard(...args))
      held.push({ release: resolve, done })
      return done
    }
  }
  const claim = async () =>
    (await queue.claim({ holder: 'runtime', botIds: [bot.botId], most: 10, mostBytes: 1_000, nowMs: clock.nowMs() }))
      .deliveries
  const bodies = async () => {
    const { events } = await queue.log.page(bot.botId, {}, { most: 10 })
    const found = await Promise.all(events.map(({ id }) => queue.log.find(bot.botId, id)))
    return found.map((event) => Buffer.from(event?.body ?? []).toString())
  }
  const remove = () => bots.records.remove(bot.botId)
  const createAgain = async () => {
    await provisionListeningBot(world.service)
    await put(byHeader)
  }
  return { ...setting, queue, clock, held, holdNextDiscard, claim, bodies, remove, createAgain }
}

test('our choice: removing a deleted bot’s events never removes an event for a later bot with the same ID', async (t) => {
  const { held, holdNextDiscard, bodies, remove, createAgain, send, claim } = await openScene(t)
  holdNextDiscard()
  await remove()
  const [slow] = await eventually(async () => (held.length > 0 ? held : undefined))
  await createAgain()
  assert.deepEqual(await send('new', { 'X-GitHub-Delivery': 'b' }), accepted)
  slow?.release()
  await slow?.done
  assert.deepEqual(await bodies(), ['new'])
  assert.equal((await claim()).length, 1)
})

test('our choice: a later bot with the same ID gets none of the deleted bot’s events, not even one in flight, also if their removal was interrupted', async (t) => {
  const { queue, clock, held, holdNextDiscard, bodies, remove, createAgain, send, claim } = await openScene(t)
  const [delivery] = await claim()
  holdNextDiscard()
  await remove()
  await eventually(async () => (held.length > 0 ? held : undefined))
  await createAgain()
  await queue.fail('runtime', [{ delivery: delivery?.delivery ?? '', failedAtMs: clock.nowMs(), retryMs: 0 }])
  assert.deepEqual([await claim(), await bodies()], [[], []])
  // The deleted bot's deduplication marks are gone too.
  assert.deepEqual(await send('new', { 'X-GitHub-Delivery': 'a' }), accepted)
  assert.deepEqual(await bodies(), ['new'])
})

test('our choice: an event in flight at the deletion can still be acknowledged', async (t) => {
  const { queue, clock, bodies, remove, claim } = await openScene(t)
  const [delivery] = await claim()
  await remove()
  assert.deepEqual(await bodies(), ['old'])
  await queue.acknowledge('runtime', [delivery?.delivery ?? ''], clock.nowMs())
  assert.equal((await queue.figures()).delivered, 1)
})
