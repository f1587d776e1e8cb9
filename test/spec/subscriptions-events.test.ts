import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type BotId, parseApplicationId, parseBotId, parseUserId } from '../../src/domain/ids-and-secrets.ts'
import { post, provisionListeningBot } from '../support/bot-runtime.ts'
import type { ReceivedEvent } from '../support/event-receiver.ts'
import { advanceUntil } from '../support/eventually.ts'
import { adaWithClient, codeFor, redeem, refresh, signedIn, testOrigin } from '../support/people.ts'
import { discardEvents } from '../support/webhook-senders.ts'
import { inDatabase } from '../support/world-database.ts'
import { openScene } from './subscriptions-scene.ts'

function assertEvent(event: ReceivedEvent | undefined, type: string, data: object) {
  assert.deepEqual([event?.json.type, event?.json.data], [type, data])
}

/**
 * Asserts that the subscriptions `one` and `two` receive one event each, although the queue only has room for one of them
 * until the busy bot's events are discarded.
 */
async function assertBothReceiveOnce(
  { world, receiver, receivedInTime }: Awaited<ReturnType<typeof openScene>>,
  busy: BotId,
): Promise<void> {
  await advanceUntil(world.clock, () => receiver.received.length > 0)
  await world.clock.advance(20_000)
  assert.equal(receiver.received.length, 1)
  await discardEvents(world, busy)
  for (const path of ['/one', '/two']) await receivedInTime(path)
  await world.clock.advance(20_000)
  assert.deepEqual(receiver.received.map(({ path }) => path).toSorted(), ['/one', '/two'])
}

describe('our choice: events about bots', () => {
  test('bot.online and bot.offline are sent once per change, to the owner’s and the platform’s subscriptions only; the first bot.online has no offlineForMs; a bot is not offline because PostgreSQL lost its snapshot', async (t) => {
    const { world, receiver, subscribe, receivedInTime, report } = await openScene(t)
    const both = ['bot.online', 'bot.offline']
    await subscribe('ada', both, 'ada')
    await subscribe('platform', both)
    await subscribe('bob', both, 'bob')
    await subscribe('other', ['queue.nearly_full'], 'ada')
    const reportAt = (ready: boolean) => {
      report(ready)
      return { botId: 'bot-1', botName: 'Lantern', lastHeartbeatAt: new Date(world.clock.nowMs()).toISOString() }
    }
    // As a crash of PostgreSQL does.
    const loseSnapshots = async () => {
      await world.clock.advance(20_000)
      await inDatabase(world, 'identity', { sqlite: 'DELETE FROM snapshots', postgres: 'TRUNCATE snapshots' })
      await world.clock.advance(60_000)
    }
    report(false)
    await world.clock.advance(60_000)
    const first = reportAt(true)
    const [online] = await receivedInTime('/ada')
    assertEvent(online, 'bot.online', { ...first, state: 'online' })
    await loseSnapshots()
    const last = reportAt(true)
    await world.clock.advance(90_000)
    const [, offline] = await receivedInTime('/ada', 2)
    assertEvent(offline, 'bot.offline', { ...last, state: 'offline' })
    assert.ok(Date.parse(offline!.json.timestamp) - Date.parse(last.lastHeartbeatAt) > 90_000)
    report(true)
    await receivedInTime('/ada', 3)
    report(false)
    const [, , , connecting] = await receivedInTime('/ada', 4)
    assert.equal(connecting!.json.data.state, 'connecting')
    report(true)
    await receivedInTime('/ada', 5)
    await loseSnapshots()
    const [, , , , , lost] = await receivedInTime('/ada', 6)
    assertEvent(lost, 'bot.offline', { ...last, state: 'offline', lastHeartbeatAt: null })

    const platform = await receivedInTime('/platform', 6)
    const ids = (events: typeof platform) => events.map(({ headers }) => headers['webhook-id']).toSorted()
    assert.deepEqual(ids(platform), ids(receiver.at('/ada')))
    assert.equal(receiver.received.length, 12)
  })

  test('bot.offline is sent at once after bye, however short ago the node started; offlineForMs counts from then, also if hosting was off in between', async (t) => {
    const { world, receiver, call, subscribe, receivedInTime, report } = await openScene(t)
    await subscribe('ada', ['bot.online', 'bot.offline'], 'ada')
    report(true)
    await receivedInTime('/ada')
    report(true)
    const leftAtMs = world.clock.nowMs()
    world.service.bots.heartbeats.leave([parseBotId('bot-1')!], 0)
    const [, offline] = await receivedInTime('/ada', 2)
    assert.equal(offline?.json.type, 'bot.offline')
    assert.ok(Date.parse(offline.json.timestamp) - leftAtMs < 40_000)
    const { json: bot } = await call('GET', 'bots/bot-1')
    for (const hostingEnabled of [false, true]) {
      const { ownerId, name, chatPlatformId } = bot
      await call('PUT', 'bots/bot-1', { ownerId, name, chatPlatformId, hostingEnabled })
      await world.clock.advance(60_000)
    }
    report(true)
    const [, , online] = await receivedInTime('/ada', 3)
    const { lastHeartbeatAt, offlineForMs } = online!.json.data
    assert.equal(offlineForMs, Date.parse(lastHeartbeatAt) - Date.parse(offline.json.timestamp))
    assert.equal(receiver.received.length, 3)
  })

  test('a disabled owner misses events, which the platform still receives; once enabled, the owner gets later events', async (t) => {
    const { receiver, call, subscribe, receivedInTime, report } = await openScene(t)
    const both = ['bot.online', 'bot.offline']
    await subscribe('ada', both, 'ada')
    await subscribe('platform', both)
    await call('POST', 'users/ada/disable')
    report(true)
    await receivedInTime('/platform')
    await call('POST', 'users/ada/enable')
    report(false)
    const [connecting] = await receivedInTime('/ada')
    assert.equal(connecting!.json.data.state, 'connecting')
    assert.equal(receiver.at('/ada').length, 1)
  })

  test('queue.nearly_full is sent when a queue reaches 80 % of its limit, and again only after it was below 60 %', async (t) => {
    const { world, receiver, subscribe, receivedInTime } = await openScene(t, { QUEUE_MAX_EVENTS_PER_BOT: '5' })
    const bot = await provisionListeningBot(world.service)
    await subscribe('full', ['queue.nearly_full'], 'ada')
    const send = () => post(world, bot, 'x')
    const passTime = () => world.clock.advance(20_000)
    for (let n = 0; n < 4; n += 1) await send()
    const [first] = await receivedInTime('/full')
    const data = { botId: 'greeter', botName: 'greeter', events: 4, bytes: 4, maxEvents: 5, maxBytes: 268_435_456 }
    assertEvent(first, 'queue.nearly_full', data)

    const discard = async (count: number) => {
      const { events } = await world.service.queue.log.page(bot.botId, {}, { most: count })
      for (const { id } of events) await world.service.queue.discardWaiting(bot.botId, id)
    }
    await discard(1)
    await passTime()
    await send()
    await passTime()
    assert.equal(receiver.received.length, 1)
    await discard(2)
    await passTime()
    await send()
    await send()
    await receivedInTime('/full', 2)
  })

  test('queue.nearly_full is sent once to each subscription, although the queue had no room for all of them', async (t) => {
    const limits = { QUEUE_MAX_EVENTS_PER_BOT: '5', QUEUE_MAX_EVENTS: '6' }
    const scene = await openScene(t, limits)
    const { world, subscribe } = scene
    const busy = await provisionListeningBot(world.service, { botId: 'busy' })
    const bot = await provisionListeningBot(world.service)
    for (const id of ['one', 'two']) await subscribe(id, ['queue.nearly_full'], 'ada')
    for (const one of [busy, bot, bot, bot, bot]) await post(world, one, 'x')
    await assertBothReceiveOnce(scene, busy.botId)
  })

  test('delivery.dead is one event per bot for all its new dead letters; dead letters of subscriptions cause no event', async (t) => {
    const { world, receiver, call, subscribe, receivedInTime, delivery } = await openScene(t)
    const bot = await provisionListeningBot(world.service)
    await subscribe('dead', ['delivery.dead'], 'ada')
    await subscribe('broken', ['bot.online'], 'ada')
    receiver.responses.set('/broken', { status: 410 })
    await call('POST', 'subscriptions/broken/test')
    await delivery('broken', 'dead')
    for (const body of ['one', 'two']) await post(world, bot, body)
    const { events } = await world.service.queue.log.page(bot.botId, {}, { most: 5 })
    world.clock.jump(24 * 3_600_000)
    await world.clock.advance(60_000)
    const [event] = await receivedInTime('/dead')
    const deliveries = events
      .map(({ id }) => ({ flowId: 'orders', id, because: 'expired' }))
      .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    const greeter = { botId: 'greeter', botName: 'greeter' }
    assertEvent(event, 'delivery.dead', { ...greeter, count: 2, causes: { expired: 2 }, deliveries })
    assert.equal(receiver.at('/dead').length, 1)
  })

  test('delivery.dead is sent once to each subscription, although the queue had no room for all of them', async (t) => {
    const scene = await openScene(t, { QUEUE_MAX_EVENTS: '3' })
    const { world, receiver, subscribe } = scene
    const bot = await provisionListeningBot(world.service)
    const busy = await provisionListeningBot(world.service, { botId: 'busy' })
    for (const id of ['one', 'two']) await subscribe(id, ['delivery.dead'], 'ada')
    await post(world, bot, 'x')
    world.clock.jump(24 * 3_600_000)
    for (const body of ['fills', 'the queue']) await post(world, busy, body)
    await world.clock.advance(60_000)
    await assertBothReceiveOnce(scene, busy.botId)
    assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 1)
  })
})

const types = ['refresh_token.reused', 'client_secret.revoked', 'authorization.revoked']

async function openApplication(t: Parameters<typeof openScene>[0]) {
  const scene = await openScene(t)
  const client = await adaWithClient(scene.world)
  const browser = await signedIn(scene.world)
  const about = { applicationId: 'acme', clientId: client.clientId, applicationName: 'Acme Dashboard' }
  const withdraw = async () => {
    await browser.submitAt(`${scene.world.baseUrl}/account/applications`, {}, '/account/applications/withdrawal')
  }
  return { ...scene, client, browser, about, withdraw }
}

describe('our choice: events about applications', () => {
  test('refresh_token.reused, client_secret.revoked and authorization.revoked are sent to the application’s owner', async (t) => {
    const { world, receiver, client, browser, about, withdraw, subscribe, receivedInTime } = await openApplication(t)
    await codeFor(world, browser, client)
    await withdraw()
    await subscribe('ada', types, 'ada')
    await subscribe('bob', types, 'bob')
    const tokens = (await redeem(world, client, await codeFor(world, browser, client))).json
    await refresh(world, client, tokens.refresh_token)
    await world.clock.advance(60_000)
    await refresh(world, client, tokens.refresh_token)
    const [reused] = await receivedInTime('/ada')
    assertEvent(reused, 'refresh_token.reused', { ...about, userId: 'ada', probableCause: 'theft' })

    await withdraw()
    const [, revoked] = await receivedInTime('/ada', 2)
    assertEvent(revoked, 'authorization.revoked', { ...about, userId: 'ada' })

    await world.service.applications.clients.recordSecretUse()
    await world.service.applications.secrets.rotate(parseUserId('ada')!, parseApplicationId('acme')!, testOrigin)
    const [, , rotated] = await receivedInTime('/ada', 3)
    const { lastUsedAt } = rotated!.json.data
    assertEvent(rotated, 'client_secret.revoked', { ...about, lastFour: client.clientSecret.slice(-4), lastUsedAt })
    assert.match(lastUsedAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/)
    assert.ok(lastUsedAt >= world.clock.iso() && Date.parse(lastUsedAt) <= world.clock.nowMs())
    assert.deepEqual(receiver.at('/bob'), [])
    // Events from before the first subscription are not sent.
    assert.equal(receiver.received.length, 3)
  })

  test('an event stored just before the service stopped is sent after the restart; an event that is read again is not sent twice', async (t) => {
    const { world, receiver, client, browser, withdraw, subscribe, receivedInTime } = await openApplication(t)
    await subscribe('ada', types, 'ada')
    await codeFor(world, browser, client)
    await withdraw()
    await world.restart()
    await receivedInTime('/ada')
    await inDatabase(world, 'identity', 'UPDATE audit_reader SET number = 0')
    await codeFor(world, browser, client)
    await withdraw()
    await receivedInTime('/ada', 2)
    assert.equal(receiver.received.length, 2)
  })
})
