import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { BotRuntime, type Frame, makeRuntime } from '../support/bot-runtime.ts'
import { eventually } from '../support/eventually.ts'
import { type ListeningBot, provisionListeningBot } from '../support/listening-bot.ts'
import { openNodes } from '../support/nodes.ts'
import { openWorld, type World } from '../support/world.ts'
import { untilNotReading } from './runtime-link-scene.ts'

const protocols = ['gatehouse.copies.v1']

/** Opens a session for copies, sends `ready` and waits for the welcome. */
async function openCopies(t: TestContext, world: Pick<World, 'apiUrl'>, key: string, ready: object) {
  const copies = new BotRuntime(t, world, { key, protocols })
  await copies.next('hello')
  copies.send({ type: 'ready', instance: 'one', agent: 'test/1', credit: 16, ...ready })
  return { copies, welcome: await copies.next('welcome') }
}

async function post(world: Pick<World, 'apiUrl'>, { botId, path }: ListeningBot, body: string): Promise<void> {
  const answer = await fetch(`${world.apiUrl}/${botId}/${path}`, { method: 'POST', body })
  assert.equal(answer.status, 202)
}

const bodyOf = ({ body }: Frame) => Buffer.from(body, 'base64').toString()

describe('our choice: the subprotocol gatehouse.copies.v1 sends copies of new events (decision 0100)', () => {
  test('a copy has the same members as a dispatch, and the bot’s runtime still receives the event', async (t) => {
    const world = await openWorld(t)
    const bot = await provisionListeningBot(world.service)
    const { key } = await makeRuntime(world)
    // A session for copies with the same instance name doesn't replace this one.
    const { runtime } = await BotRuntime.ready(t, world, key)
    const { copies, welcome } = await openCopies(t, world, key, { bots: [bot.botId] })
    assert.deepEqual(welcome, { type: 'welcome', bots: [bot.botId], refused: [], lost: [] })
    await post(world, bot, 'hello')
    const { delivery, traceparent, ...dispatched } = await runtime.next('dispatch')
    const { delivery: copied, ...copy } = await copies.next('dispatch')
    assert.deepEqual(copy, dispatched)
    assert.equal(copied, copy.id)
    copies.send({ type: 'nack', delivery: copied, dead: true })
    const heartbeat = await copies.heartbeat([copied], [{ botId: bot.botId, ready: true, presence: 'dnd' }])
    assert.deepEqual(heartbeat, { type: 'heartbeat', now: world.clock.nowMs(), lost: [] })
    runtime.send({ type: 'ack', deliveries: [delivery] })
    const done = await eventually(async () => {
      const { events } = await world.service.queue.log.page(bot.botId, { state: 'done' }, { most: 9 })
      return events[0]
    })
    assert.deepEqual([done.id, done.attempts], [copy.id, 1])
    const status = (await (await fetch(`${world.baseUrl}/botstatus/${bot.botId}/api`)).json()) as { online: boolean }
    assert.equal(status.online, false, 'a bot report from a session for copies is ignored')
  })

  test('copies arrive in the order in which events were accepted, up to the session’s credit; acks return credit', async (t) => {
    const world = await openWorld(t)
    const bot = await provisionListeningBot(world.service)
    const { key } = await makeRuntime(world)
    const { copies } = await openCopies(t, world, key, { bots: [bot.botId], credit: 2 })
    for (let n = 1; n <= 40; n += 1) await post(world, bot, String(n))
    const read: string[] = []
    while (read.length < 40) {
      const pair = [await copies.nextInTime(world.clock, 'dispatch'), await copies.nextInTime(world.clock, 'dispatch')]
      await copies.heartbeat()
      read.push(...pair.map(bodyOf))
      copies.send({ type: 'ack', deliveries: pair.map(({ delivery }) => delivery) })
    }
    assert.deepEqual(
      read,
      Array.from({ length: 40 }, (_, n) => String(n + 1)),
    )
  })

  test('a copy session receives copies of events that another node accepted, even if the broadcast is lost', async (t) => {
    const [one, other] = await openNodes(t)
    const bot = await provisionListeningBot(one.service)
    const { key } = await makeRuntime(one)
    const { copies } = await openCopies(t, other, key, { bots: [bot.botId] })
    for (let n = 1; n <= 12; n += 1) await post(n % 2 === 0 ? one : other, bot, String(n))
    const read: string[] = []
    while (read.length < 12) read.push(bodyOf(await copies.nextInTime(one.clock, 'dispatch')))
    assert.deepEqual(
      read,
      Array.from({ length: 12 }, (_, n) => String(n + 1)),
    )
  })

  test('a copy session reports each refused webhook once, from the start of the session; of similar refusals within 5 seconds it reports only the last', async (t) => {
    const world = await openWorld(t)
    const bot = await provisionListeningBot(world.service, { requiresKey: true })
    const { key } = await makeRuntime(world)
    const send = (path: string, headers: Record<string, string> = {}) =>
      fetch(`${world.apiUrl}/${bot.botId}/${path}`, { method: 'POST', headers, body: '{}' })
    await send('before')
    const { copies } = await openCopies(t, world, key, { bots: [bot.botId] })
    await send(bot.path)
    await world.clock.advance(1_000)
    await send(bot.path)
    const lastAt = world.clock.nowMs()
    await send('missing/svc_rk_secret')
    const common = { type: 'refusal', botId: bot.botId, clientIp: '127.0.0.1' }
    const refusal = () => copies.nextInTime(world.clock, 'refusal')
    const [one, other] = [await refusal(), await refusal()]
    assert.deepEqual(
      new Set([one, other]),
      new Set([
        { ...common, flowId: bot.flowId, cause: 'key-missing', at: lastAt },
        { ...common, path: 'missing/svc_••••', cause: 'path-unknown', at: lastAt },
      ]),
    )
    for (let second = 0; second < 70; second += 5) {
      await world.clock.advance(5_000)
      await copies.heartbeat()
    }
    assert.deepEqual(copies.unread, [], 'storing a refusal does not report it again')
    await send(bot.path, { 'svc-key': 'wrong' })
    const { at, ...wrong } = await refusal()
    assert.deepEqual(wrong, { ...common, flowId: bot.flowId, cause: 'key-wrong' })
  })

  test('a copy session reports webhooks that another node refused once that node has stored the refusals', async (t) => {
    const [one, other] = await openNodes(t)
    const bot = await provisionListeningBot(one.service, { requiresKey: true })
    const { key } = await makeRuntime(one)
    const { copies } = await openCopies(t, other, key, { bots: [bot.botId] })
    await one.clock.advance(1_000)
    await fetch(`${one.apiUrl}/${bot.botId}/${bot.path}`, { method: 'POST', body: '{}' })
    await one.service.refusalLog.flush()
    const { flowId, cause } = await copies.nextInTime(one.clock, 'refusal')
    assert.deepEqual([flowId, cause], [bot.flowId, 'key-missing'])
  })

  test('a copy session receives copies only for bots that its key may host; turning hosting off stops copies, and turning it on resumes them', async (t) => {
    const world = await openWorld(t)
    const bot = await provisionListeningBot(world.service)
    const { key, id } = await makeRuntime(world, [bot.botId])
    const { copies, welcome } = await openCopies(t, world, key, { bots: [bot.botId, 'stranger'] })
    assert.deepEqual(welcome.refused, [{ botId: 'stranger', reason: 'not_allowed' }])
    const hosting = (hostingEnabled: boolean) => provisionListeningBot(world.service, { hostingEnabled })
    await hosting(false)
    assert.deepEqual(await copies.next('bots'), { type: 'bots', add: [], remove: [bot.botId] })
    await post(world, bot, 'unseen')
    await hosting(true)
    assert.deepEqual(await copies.next('bots'), { type: 'bots', add: [bot.botId], remove: [] })
    await post(world, bot, 'seen')
    assert.equal(bodyOf(await copies.nextInTime(world.clock, 'dispatch')), 'seen')
    await world.service.bots.runtimes.remove(id, 'operator')
    assert.deepEqual(await copies.closed, { code: 4001, reason: 'the runtime was removed' })
  })

  test('a copy session must name 1 to 10 bots; a wrong key closes the session with 4001, and silence closes it with 4008', async (t) => {
    const world = await openWorld(t)
    const { key } = await makeRuntime(world)
    for (const bots of [undefined, [], Array.from({ length: 11 }, (_, n) => `b${n}`)]) {
      const copies = new BotRuntime(t, world, { key, protocols })
      await copies.next('hello')
      copies.send({ type: 'ready', instance: 'one', agent: 'test/1', credit: 16, bots })
      assert.deepEqual(await copies.next('error'), {
        type: 'error',
        code: 'malformed',
        message: 'ready/bots: name 1 to 10 bots to receive copies of their events',
      })
      assert.equal((await copies.closed).code, 4002)
    }
    const stranger = new BotRuntime(t, world, { key: 'svc_rk_wrong', protocols })
    assert.equal((await stranger.closed).code, 4001)
    const silent = new BotRuntime(t, world, { key, protocols })
    await silent.next('hello')
    await world.clock.advance(76_000)
    assert.equal((await silent.closed).code, 4008)
  })

  test('a copy session that sends heartbeats but reads nothing for a minute is closed with 1013', async (t) => {
    const world = await openWorld(t)
    const bot = await provisionListeningBot(world.service)
    const { key } = await makeRuntime(world)
    const { copies } = await openCopies(t, world, key, { bots: [bot.botId], credit: 1_000 })
    copies.pause()
    const body = 'x'.repeat(1_048_576)
    for (let n = 0; n < 24; n += 1) await post(world, bot, body)
    await untilNotReading(world, copies, { type: 'heartbeat', bots: [], working: [] })
    copies.resume()
    assert.deepEqual(await copies.closed, { code: 1013, reason: 'the runtime stopped reading' })
  })

  test('a copy session that sends other frames but no "ready" is closed with 4008', async (t) => {
    const world = await openWorld(t)
    const { key } = await makeRuntime(world)
    const copies = new BotRuntime(t, world, { key, protocols })
    await copies.next('hello')
    for (let n = 0; n < 3; n += 1) {
      await world.clock.advance(25_000)
      copies.send({ type: 'weather' })
      await world.service.queue.probe()
    }
    await world.clock.advance(1_000)
    assert.deepEqual(await copies.closed, { code: 4008, reason: 'no "ready" within 75 seconds' })
  })

  test('a node accepts up to 64 copy sessions', async (t) => {
    const world = await openWorld(t)
    const { key } = await makeRuntime(world)
    for (let n = 0; n < 64; n += 1) await new BotRuntime(t, world, { key, protocols }).next('hello')
    const further = new BotRuntime(t, world, { key, protocols })
    assert.deepEqual(await further.closed, { code: 1013, reason: 'this node already has 64 sessions for copies' })
  })
})
