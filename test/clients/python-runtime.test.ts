import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { BotRuntime, makeRuntime } from '../support/bot-runtime.ts'
import { advanceUntil, eventually } from '../support/eventually.ts'
import { type ListeningBot, provisionListeningBot } from '../support/listening-bot.ts'
import { openNodes } from '../support/nodes.ts'
import { provisionSeveralBots } from '../support/several-bots.ts'
import { openWorld, type World } from '../support/world.ts'
import { type Printed, PythonBot } from './python-bot.ts'

const example = join(import.meta.dirname, '../../clients/python/example/bot.py')

async function openSetting(t: TestContext, env: Record<string, string> = {}) {
  const world = await openWorld(t)
  const listening = await provisionListeningBot(world.service, { path: 'hooks/ok' })
  const { key, id } = await makeRuntime(world)
  const bot = new PythonBot(t, world, key, env)
  await online(world)
  return { world, listening, key, runtimeId: id, bot }
}

async function status(world: World): Promise<{ online: boolean; presence: string | null; guildCount: number | null }> {
  return (await fetch(`${world.baseUrl}/botstatus/greeter/api`)).json() as never
}

/**
 * Waits for the bot to be online or offline. Advances the world's clock meanwhile, because statuses are cached for a
 * second.
 */
async function online(world: World, wanted = true): Promise<void> {
  await advanceUntil(world.clock, async () => (await status(world)).online === wanted)
}

async function post(world: World, { botId }: ListeningBot, does: string, body: string | Uint8Array = 'hello') {
  await world.service.bots.flows.put(botId, `flow-${does}` as never, {
    kind: 'event',
    name: does,
    webhook: { path: `hooks/${does}-hook/${does}`, requiresKey: false },
  })
  const answer = await fetch(`${world.apiUrl}/${botId}/hooks/${does}-hook/${does}`, {
    method: 'POST',
    body: body as BodyInit,
    headers: { 'content-type': 'text/plain', 'x-request-id': 'r-1' },
  })
  assert.equal(answer.status, 202)
}

/** Asserts that the queue has nothing left for the bot, by connecting another runtime that hosts it. */
async function assertNothingIsLeft(t: TestContext, world: World): Promise<void> {
  const { key } = await makeRuntime(world)
  const { runtime } = await BotRuntime.ready(t, world, key)
  await world.clock.advance(60_000)
  await runtime.heartbeat()
  await world.clock.advance(60_000)
  await runtime.heartbeat()
  assert.deepEqual(runtime.unread, [])
}

describe('The Python client', () => {
  test('a webhook reaches the handler unchanged and is acknowledged when the handler returns', async (t) => {
    const { world, listening, bot } = await openSetting(t)
    const body = Uint8Array.from({ length: 256 }, (_, index) => index)
    await post(world, listening, 'ok', body)
    const [event] = await bot.prints('event')
    const { event: id, acceptedAt, headers, ...rest } = event as Printed
    assert.match(String(id), /./)
    assert.ok(Math.abs(Date.parse(String(acceptedAt)) - world.clock.nowMs()) < 60_000)
    assert.deepEqual(
      { ...(headers as object), 'user-agent': '' },
      { 'content-type': 'text/plain', 'x-request-id': 'r-1', 'user-agent': '' },
    )
    assert.deepEqual(rest, {
      attempt: 1,
      botId: 'greeter',
      flowId: 'flow-ok',
      path: 'hooks/ok-hook/ok',
      body: Buffer.from(body).toString('hex'),
    })
    await bot.prints('done')
    bot.command('leave')
    assert.equal(await bot.exited, 0)
    await assertNothingIsLeft(t, world)
  })

  test('webhooks for five bots that reach two PostgreSQL nodes in the same millisecond are each handled once', async (t) => {
    const nodes = await openNodes(t)
    const [world] = nodes
    const bots = await provisionSeveralBots(world, 5)
    const bot = new PythonBot(t, world, (await makeRuntime(world)).key)
    const sent = await bots.burst(nodes, 40)
    const handled = await bot.prints('event', sent.length)
    assert.deepEqual(handled.map(({ body }) => Buffer.from(String(body), 'hex').toString()).sort(), sent.sort())
    assert.equal(new Set(handled.map(({ event }) => event)).size, sent.length, 'IDs are unique across bots')
    await eventually(async () => ((await world.service.queue.figures()).delivered === sent.length ? true : undefined))
  })

  test('the first heartbeat reports bots immediately; a report that fails does not affect other bots', async (t) => {
    const { world, bot } = await openSetting(t)
    const { presence, guildCount } = await status(world)
    assert.deepEqual({ presence, guildCount }, { presence: 'idle', guildCount: 2 })
    await provisionListeningBot(world.service, { botId: 'broken' })
    await eventually(() => (bot.log.includes('this bot cannot be asked') ? true : undefined))
    await online(world)
  })

  test('a handler whose lease expired is cancelled, and the event is redelivered', async (t) => {
    const { world, listening, bot } = await openSetting(t)
    await post(world, listening, 'wait')
    const [first] = await bot.prints('event')
    // The client sends heartbeats in real time, so none is sent while the clock jumps, and the lease expires.
    await world.clock.advance(120_000)
    assert.deepEqual(await bot.prints('cancelled'), [{ cancelled: first?.event }])
    await advanceUntil(world.clock, () => bot.count('event') >= 2)
    const [, second] = await bot.prints('event', 2)
    assert.deepEqual([second?.event, second?.attempt], [first?.event, 2])
  })

  test('leave() cancels handlers after its timeout, and their events are redelivered without counting as an attempt', async (t) => {
    const { world, listening, bot } = await openSetting(t, { LEAVE_WITHIN: '0.2' })
    await post(world, listening, 'wait')
    const [first] = await bot.prints('event')
    bot.command('leave')
    assert.deepEqual(await bot.prints('cancelled'), [{ cancelled: first?.event }])
    assert.equal(await bot.exited, 0)
    const { key } = await makeRuntime(world)
    const { runtime } = await BotRuntime.ready(t, world, key)
    const { id, attempt } = await runtime.next('dispatch')
    assert.deepEqual([id, attempt], [first?.event, 1])
  })

  test('a removed or unknown key, or a newer session from the same instance, ends the client for good', async (t) => {
    const { world, listening, key, runtimeId, bot } = await openSetting(t)
    await post(world, listening, 'wait')
    await bot.prints('event')
    const second = new PythonBot(t, world, key)
    const [replaced] = await bot.prints('ended')
    assert.deepEqual([replaced?.ended, replaced?.code], ['refused', 4003])
    assert.equal(bot.count('cancelled'), 1)
    assert.equal(await bot.exited, 0)

    await eventually(() => (second.log.includes('hosting 1 bot') ? true : undefined))
    await world.service.bots.runtimes.remove(runtimeId, 'operator')
    const [removed] = await second.prints('ended')
    assert.deepEqual([removed?.ended, removed?.code], ['refused', 4001])

    const third = new PythonBot(t, world, 'svc_rk_unknown')
    const [refused] = await third.prints('ended')
    assert.deepEqual([refused?.ended, refused?.code], ['refused', 4001])
  })

  test('the client never logs its key, at any level', async (t) => {
    const { key, bot } = await openSetting(t)
    assert.match(bot.log, /hosting 1 bot/)
    assert.ok(!bot.log.includes(key))
  })
})

describe('The Python client’s example', () => {
  test('the example forwards each webhook to an incoming-webhook URL', async (t) => {
    const posted: unknown[] = []
    const sink = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      posted.push(JSON.parse(Buffer.concat(chunks).toString('utf8')))
      response.writeHead(204).end()
    })
    sink.listen(0, '127.0.0.1')
    t.after(() => sink.close())
    await once(sink, 'listening')
    const { port } = sink.address() as AddressInfo

    const world = await openWorld(t)
    const listening = await provisionListeningBot(world.service)
    const { key } = await makeRuntime(world)
    const bot = new PythonBot(t, world, key, { INCOMING_WEBHOOK_URL: `http://127.0.0.1:${port}/hook` }, example)
    await online(world)
    await post(world, listening, 'ok', 'Version 7 is out')
    await eventually(() => (posted.length > 0 ? true : undefined))
    assert.deepEqual(posted, [{ content: 'greeter · hooks/ok-hook/ok · Version 7 is out' }])
    bot.signal('SIGTERM')
    assert.equal(await bot.exited, 0)
    await assertNothingIsLeft(t, world)
  })
})
