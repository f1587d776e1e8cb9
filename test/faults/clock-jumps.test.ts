import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseBotId } from '../../src/domain/ids-and-secrets.ts'
import { BotRuntime, type Frame, makeRuntime, post, provisionListeningBot } from '../support/bot-runtime.ts'
import { ada, codeFor, openAda, openClient, provision, redeem, refresh, signIn, userinfo } from '../support/people.ts'
import { heartbeat, id, openScene } from '../support/status-bot.ts'

const minute = 60_000
const day = 24 * 60 * minute

for (const ms of [-day, -5 * minute, minute]) {
  const direction = ms < 0 ? 'back' : 'forward'
  test(`our choice: after the clock moves ${direction} ${Math.abs(ms) / minute} minutes, issued codes and tokens are valid, and webhooks are accepted and delivered in order`, async (t) => {
    const { world, client, browser } = await openClient(t)
    const { json } = await redeem(world, client, await codeFor(world, browser, client))
    const code = await codeFor(world, browser, client)
    const bot = await provisionListeningBot(world.service)
    await post(world, bot, 'before')
    world.clock.jump(ms)
    await post(world, bot, 'after')
    assert.equal((await userinfo(world, json.access_token)).status, 200)
    assert.equal((await redeem(world, client, code)).status, 200)
    const refreshed = await refresh(world, client, json.refresh_token)
    assert.equal(refreshed.status, 200)
    assert.equal((await refresh(world, client, json.refresh_token)).json.error, 'invalid_grant', 'reuse is still known')
    const account = await browser.get(`${world.baseUrl}/account`)
    assert.equal(account.status, 200)
    const { key } = await makeRuntime(world)
    const { runtime } = await BotRuntime.ready(t, world, key)
    const deliveries = await runtime.deliveries(2)
    const bodies = deliveries.map(({ body }) => Buffer.from(body, 'base64').toString())
    assert.deepEqual(bodies, ['before', 'after'])

    for (const { delivery } of deliveries) runtime.send({ type: 'nack', delivery, retryMs: 0 })
    const second = [await runtime.nextInTime(world.clock, 'dispatch'), await runtime.nextOfType('dispatch')]
    runtime.send({ type: 'bye' })
    await runtime.closed
    const next = await BotRuntime.ready(t, world, key)
    const again = await next.runtime.deliveries(2)
    const attempts = (each: readonly Frame[]) => each.map((frame) => 'attempt' in frame && [frame.id, frame.attempt])
    assert.deepEqual(attempts(again).sort(), attempts(second).sort(), 'released at once')
  })
}

test('our choice: webhooks expire after 24 hours and a few minutes, also if the clock was ahead when an earlier one came', async (t) => {
  const { world } = await openAda(t)
  const bot = await provisionListeningBot(world.service)
  world.clock.jump(30 * day)
  await post(world, bot, 'ahead')
  world.clock.jump(-30 * day)
  await post(world, bot, 'in time')
  await world.clock.advance(day + 10 * minute)
  const { json } = await provision(world, 'GET', `/v1/bots/${bot.botId}/deliveries`)
  const states = json.items.map(({ state }: { state: string }) => state)
  assert.deepEqual(states, ['dead', 'waiting'])
})

test('our choice: after the clock moves back one day, a rate-limited sign-in waits no longer than before', async (t) => {
  const { world } = await openAda(t)
  for (let failures = 0; failures < 10; failures += 1) await signIn(world, { ...ada, password: 'not this one' })
  world.clock.jump(-day)
  const slowed = await signIn(world, ada)
  assert.deepEqual([slowed.status, slowed.headers.get('retry-after')], [429, '900'])
  await world.clock.advance(15 * minute)
  assert.equal((await signIn(world, ada)).status, 303)
})

test('our choice: after the clock moves back one day, a bot’s next heartbeat counts, and its bye takes it offline', async (t) => {
  const { world, record } = await openScene(t)
  const beat = async (guildCount: number) => {
    heartbeat(world, { guildCount })
    await world.clock.advance(20_000)
    assert.partialDeepStrictEqual(await (await record(id)).json(), { online: true, guildCount })
  }
  await beat(1)
  world.clock.jump(-day)
  await beat(2)
  world.service.bots.heartbeats.leave([parseBotId(id)!], 0)
  assert.partialDeepStrictEqual(await (await record(id)).json(), { online: false })
})
