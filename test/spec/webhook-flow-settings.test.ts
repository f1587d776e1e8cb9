import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { BotRuntime, makeRuntime, untilStored } from '../support/bot-runtime.ts'
import { provision } from '../support/people.ts'
import { accepted, openSetting } from '../support/webhook-senders.ts'
import { dispatched } from './runtime-link-scene.ts'

/** Opens a setting with a runtime that reads the bodies of its deliveries. */
async function openScene(t: TestContext) {
  const setting = await openSetting(t, { ordered: true })
  const { world, bot, send: sendRaw } = setting
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
  return { ...setting, runtime, send, next, texts, nothingArrives, poison }
}

test('webhooks of a flow created with the ID of a removed one don’t wait for those of the removed flow, which go out in the order accepted', async (t) => {
  const { world, bot, poison, send, next, texts, runtime, nothingArrives } = await openScene(t)
  await poison()
  const flow = `/v1/bots/${bot.botId}/flows/${bot.flowId}`
  assert.equal((await provision(world, 'DELETE', flow)).status, 204)
  assert.deepEqual(await texts(2), ['b', 'c'])
  const created = { kind: 'event', name: 'Orders', webhook: { path: bot.path, requiresKey: false, ordered: true } }
  assert.equal((await provision(world, 'PUT', flow, created)).status, 201)
  await send('new', 'next')
  const { text, delivery } = await next()
  assert.equal(text, 'new')
  await nothingArrives()
  runtime.send({ type: 'ack', deliveries: [delivery] })
  assert.deepEqual(await texts(1), ['next'])
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
