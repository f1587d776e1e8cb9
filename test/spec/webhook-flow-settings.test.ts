import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { BotRuntime, makeRuntime, untilStored } from '../support/bot-runtime.ts'
import { provision } from '../support/people.ts'
import { accepted, openSetting } from '../support/webhook-senders.ts'
import { dispatched } from './runtime-link-scene.ts'

/** Opens a setting with a runtime that reads the bodies of its deliveries. */
async function openScene(t: TestContext, webhook: object = { ordered: true }) {
  const setting = await openSetting(t, webhook)
  const { world, bot, put, send: sendRaw } = setting
  const { key } = await makeRuntime(world)
  const { runtime } = await BotRuntime.ready(t, world, key)
  const send = async (...bodies: string[]) => {
    for (const body of bodies) assert.deepEqual(await sendRaw(body), accepted)
  }
  const next = async () => {
    const { delivery, id, attempt, body } = await dispatched(world, runtime)
    return { delivery, id, attempt, text: Buffer.from(body, 'base64').toString() }
  }
  const texts = async (count: number) => {
    const found: string[] = []
    while (found.length < count) found.push((await next()).text)
    return found
  }
  const nothingArrives = async () => {
    await runtime.heartbeat()
    assert.deepEqual(runtime.unread, [])
  }
  /** Sends `poison`, `b` and `c`. The first attempt of `poison` fails, and is retried after a minute. */
  const poison = async () => {
    await send('poison')
    const { delivery, id } = await next()
    runtime.send({ type: 'nack', delivery, error: 'no', retryMs: 60_000 })
    await untilStored(world, bot.botId, id)
    await send('b', 'c')
  }
  const flow = `/v1/bots/${bot.botId}/flows/${bot.flowId}`
  const createAgain = async (changed = webhook) => {
    assert.equal((await provision(world, 'DELETE', flow)).status, 204)
    const created = { kind: 'event', name: 'Orders', webhook: { path: bot.path, requiresKey: false, ...changed } }
    assert.equal((await provision(world, 'PUT', flow, created)).status, 201)
  }
  return { ...setting, put, sendRaw, runtime, send, next, texts, nothingArrives, poison, createAgain }
}

test('our choice: when strict order is switched on, webhooks wait for an earlier one that is in flight or failed', async (t) => {
  const { put, runtime, send, next, texts, nothingArrives, world, bot } = await openScene(t, { ordered: false })
  await send('in flight')
  const { delivery, id } = await next()
  await put({ ordered: true })
  await send('b', 'c')
  await nothingArrives()
  runtime.send({ type: 'nack', delivery, error: 'no', retryMs: 60_000 })
  await untilStored(world, bot.botId, id)
  await nothingArrives()
  await world.clock.advance(60_000)
  const again = await next()
  assert.deepEqual([again.text, again.attempt], ['in flight', 2])
  runtime.send({ type: 'ack', deliveries: [again.delivery] })
  assert.deepEqual(await texts(1), ['b'])
  await nothingArrives()
})

test('webhooks of a flow created with the ID of a removed one don’t wait for those of the removed flow', async (t) => {
  const { poison, createAgain, send, next, texts, runtime, nothingArrives } = await openScene(t)
  await poison()
  await createAgain()
  await send('new', 'next')
  assert.deepEqual(await texts(2), ['b', 'c'])
  const { text, delivery } = await next()
  assert.equal(text, 'new')
  await nothingArrives()
  runtime.send({ type: 'ack', deliveries: [delivery] })
  assert.deepEqual(await texts(1), ['next'])
})

test('our choice: webhooks of a removed flow go out in the order accepted', async (t) => {
  const { poison, texts, world, bot } = await openScene(t)
  await poison()
  const { status } = await provision(world, 'DELETE', `/v1/bots/${bot.botId}/flows/${bot.flowId}`)
  assert.equal(status, 204)
  assert.deepEqual(await texts(2), ['b', 'c'])
})

test('when strict order is switched off and no further webhook arrives, waiting webhooks go out at once; our choice: so does a replay', async (t) => {
  const { put, poison, texts, world, bot } = await openScene(t)
  await poison()
  const deliveries = `/v1/bots/${bot.botId}/deliveries`
  const { items } = (await provision(world, 'GET', `${deliveries}?state=waiting`)).json
  await put({ ordered: null })
  assert.deepEqual(await texts(2), ['b', 'c'])
  assert.equal((await provision(world, 'POST', `${deliveries}/${items[0].id}/replay`)).status, 202)
  assert.deepEqual(await texts(1), ['c'])
})

test('our choice: a webhook is no duplicate of one for a removed flow with the same ID', async (t) => {
  const dedupe = { dedupe: { header: 'X-GitHub-Delivery' } }
  const { sendRaw, createAgain, events } = await openScene(t, dedupe)
  const send = () => sendRaw('hello', { 'X-GitHub-Delivery': 'a' })
  for (let times = 0; times < 2; times += 1) assert.deepEqual(await send(), accepted)
  assert.equal(await events(), 1)
  await createAgain()
  for (let times = 0; times < 2; times += 1) assert.deepEqual(await send(), accepted)
  assert.equal(await events(), 2)
})

test('our choice: a shorter dedupe window counts for webhooks accepted before the change', async (t) => {
  const within = (windowSeconds: number) => ({ dedupe: { header: 'X-GitHub-Delivery', windowSeconds } })
  const { sendRaw, put, events, world } = await openScene(t, within(3_600))
  const send = () => sendRaw('hello', { 'X-GitHub-Delivery': 'a' })
  await send()
  await put(within(60))
  await world.clock.advance(59_999)
  await send()
  assert.equal(await events(), 1)
  await world.clock.advance(1)
  await send()
  assert.equal(await events(), 2)
})
