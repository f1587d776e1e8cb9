import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BotId } from '../../src/domain/ids-and-secrets.ts'
import { BotRuntime, makeRuntime, provisionListeningBot, untilStored } from '../support/bot-runtime.ts'
import { provision } from '../support/people.ts'
import { accepted, openSetting } from '../support/webhook-senders.ts'
import type { World } from '../support/world.ts'
import { dispatched } from './runtime-link-scene.ts'

/** Leases waiting events of the bot. Returns the IDs of the deliveries. */
async function claim({ service: { queue, clock } }: World, botId: BotId, most: number): Promise<string[]> {
  const claimed = { holder: 'runtime', botIds: [botId], most, mostBytes: 1_000, nowMs: clock.nowMs() }
  return (await queue.claim(claimed)).deliveries.map(({ delivery }) => delivery)
}

test('webhooks of a flow created with the ID of a removed one don’t wait for those of the removed flow, which go out in the order accepted; when strict order is switched off and no further webhook arrives, waiting webhooks go out at once; our choice: so does a replay', async (t) => {
  const { world, bot, put, send } = await openSetting(t, { ordered: true })
  const { runtime } = await BotRuntime.ready(t, world, (await makeRuntime(world)).key)
  const next = async () => {
    const { delivery, id, body } = await dispatched(world, runtime)
    return { delivery, id, text: Buffer.from(body, 'base64').toString() }
  }
  const nothingArrives = async () => {
    await runtime.heartbeat()
    assert.deepEqual(runtime.unread, [])
  }
  await send('poison')
  const poison = await next()
  runtime.send({ type: 'nack', delivery: poison.delivery, error: 'no', retryMs: 60_000 })
  await untilStored(world, bot.botId, poison.id)
  for (const body of ['b', 'c']) await send(body)
  await nothingArrives()

  const flow = `/v1/bots/${bot.botId}/flows/${bot.flowId}`
  assert.equal((await provision(world, 'DELETE', flow)).status, 204)
  assert.deepEqual([(await next()).text, (await next()).text], ['b', 'c'])
  const created = { kind: 'event', name: 'Orders', webhook: { path: bot.path, requiresKey: false, ordered: true } }
  assert.equal((await provision(world, 'PUT', flow, created)).status, 201)
  for (const body of ['new', 'next', 'last']) await send(body)
  const { text, delivery } = await next()
  assert.equal(text, 'new')
  await nothingArrives()
  runtime.send({ type: 'ack', deliveries: [delivery] })
  const second = await next()
  assert.equal(second.text, 'next')
  runtime.send({ type: 'nack', delivery: second.delivery, error: 'no', retryMs: 60_000 })
  await untilStored(world, bot.botId, second.id)
  await nothingArrives()

  await put({ ordered: null })
  const last = await next()
  assert.equal(last.text, 'last')
  const replay = `/v1/bots/${bot.botId}/deliveries/${last.id}/replay`
  runtime.send({ type: 'ack', deliveries: [last.delivery] })
  await untilStored(world, bot.botId, last.id)
  assert.equal((await provision(world, 'POST', replay)).status, 202)
  assert.equal((await next()).text, 'last')
})

test('our choice: a later bot with the same ID gets none of the deleted bot’s events, not even one in flight, also before these are removed; their slow removal never removes an event for the later bot', async (t) => {
  const dedupe = { header: 'X-Id', windowSeconds: 3_600 }
  const { world, bot, put, send, bodies } = await openSetting(t, { dedupe })
  const { queue, bots, clock } = world.service
  for (const id of ['in flight', 'waiting']) assert.deepEqual(await send(id, { 'X-Id': id }), accepted)
  const [inFlight = ''] = await claim(world, bot.botId, 1)

  // The bot's events are removed only when the test lets them, as by a slow node.
  const discard = queue.discard.bind(queue)
  const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let removed: Promise<void> | undefined
  queue.discard = (...of) => {
    queue.discard = discard
    asked.resolve()
    removed = released.promise.then(() => discard(...of))
    return removed
  }
  await bots.records.remove(bot.botId)
  await asked.promise
  await provisionListeningBot(world.service)
  await put({ dedupe })
  await queue.fail('runtime', [{ delivery: inFlight, failedAtMs: clock.nowMs(), retryMs: 0 }])
  assert.deepEqual([await claim(world, bot.botId, 10), await bodies()], [[], []])
  // The deleted bot's deduplication marks are gone too.
  assert.deepEqual(await send('new', { 'X-Id': 'waiting' }), accepted)
  assert.deepEqual(await bodies(), ['new'])
  released.resolve()
  await removed
  assert.deepEqual(await bodies(), ['new'])
  assert.equal((await claim(world, bot.botId, 10)).length, 1)
})

test('our choice: an event in flight at the deletion of its bot can still be acknowledged', async (t) => {
  const { world, bot, send, bodies } = await openSetting(t, {})
  const { queue, bots, clock } = world.service
  const { delivered } = await queue.figures()
  await send('old')
  const [delivery = ''] = await claim(world, bot.botId, 1)
  await bots.records.remove(bot.botId)
  assert.deepEqual(await bodies(), ['old'])
  await queue.acknowledge('runtime', [delivery], clock.nowMs())
  assert.equal((await queue.figures()).delivered, delivered + 1)
})
