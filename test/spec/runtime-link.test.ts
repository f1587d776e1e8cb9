import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { BotRefusal } from '../../src/domain/bots/bot-refusal.ts'
import { type BotId, parseBotId, parseUserId, type UserId } from '../../src/domain/ids.ts'
import type { EventState } from '../../src/domain/webhooks/event-log.ts'
import { botsFrames, welcomeFrames } from '../../src/surfaces/runtime-link/service-frames.ts'
import { BotRuntime, type Frame, makeRuntime } from '../support/bot-runtime.ts'
import { eventually } from '../support/eventually.ts'
import { type ListeningBot, provisionListeningBot } from '../support/listening-bot.ts'
import { RawConnection } from '../support/raw-http.ts'
import { openWorld, type World } from '../support/world.ts'

interface Setting {
  world: World
  bot: ListeningBot
  key: string
}

async function openSetting(t: TestContext, env: Record<string, string> = {}): Promise<Setting> {
  const world = await openWorld(t, env)
  const bot = await provisionListeningBot(world.service)
  const { key } = await makeRuntime(world)
  return { world, bot, key }
}

/** Resolves once a runtime holds an event of the bot. */
async function somethingLeased(world: World, { botId }: ListeningBot): Promise<void> {
  await eventually(async () => {
    const { events } = await world.service.queue.log.page(botId, { state: 'leased' }, { most: 1 })
    return events.length > 0 ? true : undefined
  })
}

async function post(world: World, { botId, path, key }: ListeningBot, body = 'hello', headers = {}): Promise<void> {
  const answer = await fetch(`${world.apiUrl}/${botId}/${path}`, {
    method: 'POST',
    body,
    headers: { 'svc-key': key, ...headers },
  })
  assert.equal(answer.status, 202)
}

/** Moves time on while the runtime proves life, and shows that nothing is sent to it meanwhile. */
async function quietly(world: World, ms: number, runtime: BotRuntime, working: readonly string[] = []): Promise<void> {
  for (let left = ms; left > 0; left -= 30_000) {
    await world.clock.advance(Math.min(left, 30_000))
    await runtime.beat(working)
  }
}

/** Moves time on while the runtime proves life and works on whatever is sent to it. */
async function lively(world: World, ms: number, runtime: BotRuntime): Promise<void> {
  for (let left = ms; left > 0; left -= 30_000) {
    await world.clock.advance(Math.min(left, 30_000))
    // Time runs ahead of the disk here, so that is waited for: a claim must not lapse while it is being written.
    await world.service.queue.probe()
    runtime.send({ type: 'heartbeat', bots: [], working: runtime.unread })
    await runtime.any('heartbeat')
  }
}

/**
 * The next delivery. On PostgreSQL the ticks of a jump run ahead of the database, so time moves on in steps of a second
 * until it comes.
 */
async function dispatched(world: World, runtime: BotRuntime): Promise<Frame> {
  for (let steps = world.databaseUrl === undefined ? 0 : 60; steps > 0; steps -= 1) {
    await world.service.queue.probe()
    runtime.send({ type: 'heartbeat', bots: [], working: runtime.unread })
    await runtime.any('heartbeat')
    if (runtime.unread.length > 0) break
    await world.clock.advance(1_000)
  }
  return runtime.next('dispatch')
}

describe('Opening a session', () => {
  test('hello is the first frame', async (t) => {
    const { world, key } = await openSetting(t)
    const runtime = new BotRuntime(t, world, { key })
    const { session, ...hello } = await runtime.next('hello')
    assert.deepEqual(hello, { type: 'hello', heartbeatMs: 30_000, leaseMs: 90_000, maxCredit: 1_024 })
    assert.match(session, /^[A-Za-z0-9]+$/)
  })

  test('ready is answered by welcome: all that the key may host, when no bots are named', async (t) => {
    const { world, bot, key } = await openSetting(t)
    await provisionListeningBot(world.service, { botId: 'sleeper', hostingEnabled: false })
    const { welcome } = await BotRuntime.ready(t, world, key)
    assert.deepEqual(welcome, { type: 'welcome', bots: [bot.botId], refused: [], lost: [] })
  })

  test('bots that are named and not hosted are refused with a reason', async (t) => {
    const { world, bot } = await openSetting(t)
    const sleeper = await provisionListeningBot(world.service, { botId: 'sleeper', hostingEnabled: false })
    const other = await provisionListeningBot(world.service, { botId: 'other' })
    const { key } = await makeRuntime(world, [bot.botId, sleeper.botId])
    const { welcome } = await BotRuntime.ready(t, world, key, { bots: [bot.botId, sleeper.botId, other.botId] })
    assert.deepEqual(welcome.bots, [bot.botId])
    assert.deepEqual(welcome.refused, [
      { botId: 'sleeper', reason: 'hosting_off' },
      { botId: 'other', reason: 'not_allowed' },
    ])
  })

  test('a wrong or missing key: the socket opens and is closed with 4001', async (t) => {
    const { world } = await openSetting(t)
    for (const key of [undefined, 'svc_rk_wrong']) {
      const runtime = new BotRuntime(t, world, { key })
      assert.equal((await runtime.closed).code, 4001)
    }
  })

  test('a missing subprotocol is 4002, and so is another one', async (t) => {
    const { world, key } = await openSetting(t)
    for (const protocols of [[], ['chat.v2']]) {
      const runtime = new BotRuntime(t, world, { key, protocols })
      assert.equal((await runtime.closed).code, 4002)
    }
  })

  test('a key that is withdrawn ends its sessions with 4001', async (t) => {
    const { world } = await openSetting(t)
    const { id, key } = await makeRuntime(world)
    const { runtime } = await BotRuntime.ready(t, world, key)
    await world.service.bots.runtimes.remove(id, 'operator')
    assert.equal((await runtime.closed).code, 4001)
  })
})

describe('Frames', () => {
  test('unknown types and members are ignored', async (t) => {
    const { world, key } = await openSetting(t)
    const { runtime } = await BotRuntime.ready(t, world, key, { colour: 'green' })
    runtime.send({ type: 'weather', degrees: 21 })
    runtime.send({ type: 'constructor' })
    assert.deepEqual((await runtime.beat()).lost, [])
  })

  const malformed: [string, object | string][] = [
    ['no JSON', 'ready'],
    ['no object', '[]'],
    ['no type', {}],
    ['a type that is no string', { type: 7 }],
    ['ready without instance', { type: 'ready', agent: 'a', credit: 1 }],
    ['ready with an empty instance', { type: 'ready', instance: '', agent: 'a', credit: 1 }],
    ['ready with a credit that is no count', { type: 'ready', instance: 'i', agent: 'a', credit: -1 }],
    ['ack without deliveries', { type: 'ack' }],
    ['nack with a wait that is no number', { type: 'nack', delivery: 'd', retryMs: 'soon' }],
    [
      'heartbeat with an unknown presence',
      { type: 'heartbeat', bots: [{ botId: 'b', ready: true, presence: 'gone' }], working: [] },
    ],
    ['credit that is no count', { type: 'credit', n: 1.5 }],
    [
      'log with an unknown level',
      { type: 'log', entries: [{ botId: 'b', level: 'loud', message: 'm', at: '2026-01-05T12:00:00Z' }] },
    ],
  ]
  for (const [condition, frame] of malformed) {
    test(`a malformed frame is an error frame and 4002: ${condition}`, async (t) => {
      const { world, key } = await openSetting(t)
      const { runtime } = await BotRuntime.ready(t, world, key)
      runtime.send(frame)
      const { code, message } = await runtime.next('error')
      assert.equal(code, 'malformed')
      assert.ok(message.length > 10)
      assert.equal((await runtime.closed).code, 4002)
    })
  }

  test('our choice: a time in a log that is none, a binary frame, and frames out of order are 4002 too', async (t) => {
    const { world, bot, key } = await openSetting(t)
    const faults: ((runtime: BotRuntime) => void)[] = [
      (runtime) =>
        runtime.send({ type: 'log', entries: [{ botId: bot.botId, level: 'info', message: 'm', at: 'noon' }] }),
      (runtime) => runtime.sendBinary(Buffer.from('{"type":"bye"}')),
      (runtime) => runtime.send({ type: 'ready', instance: 'two', agent: 'a', credit: 1 }),
    ]
    for (const fault of faults) {
      const { runtime } = await BotRuntime.ready(t, world, key)
      fault(runtime)
      await runtime.next('error')
      assert.equal((await runtime.closed).code, 4002)
    }
    const runtime = new BotRuntime(t, world, { key })
    await runtime.next('hello')
    runtime.send({ type: 'ack', deliveries: [] })
    assert.equal((await runtime.next('error')).code, 'out-of-order')
    assert.equal((await runtime.closed).code, 4002)
  })

  test('a frame over 2 MiB is 1009', async (t) => {
    const { world, key } = await openSetting(t)
    const { runtime } = await BotRuntime.ready(t, world, key)
    runtime.send('x'.repeat(2 * 1_048_576 + 1))
    assert.equal((await runtime.closed).code, 1009)
  })
})

describe('Dispatch', () => {
  test('an accepted webhook is dispatched to the runtime that hosts the bot', async (t) => {
    const { world, bot, key } = await openSetting(t)
    const { runtime } = await BotRuntime.ready(t, world, key)
    const body = Uint8Array.of(0, 1, 254, 255)
    await fetch(`${world.apiUrl}/${bot.botId}/${bot.path}?secret=1`, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/x-bytes',
        'user-agent': 'sender/1',
        'x-forwarded-for': '192.0.2.7',
        'x-request-id': 'r-1',
        'x-other': 'not forwarded',
        authorization: 'Bearer not-forwarded',
      },
    })
    const { delivery, id, ...dispatch } = await runtime.next('dispatch')
    assert.deepEqual(dispatch, {
      type: 'dispatch',
      attempt: 1,
      botId: bot.botId,
      flowId: bot.flowId,
      path: bot.path,
      acceptedAt: world.clock.nowMs(),
      clientIp: dispatch.clientIp,
      headers: {
        'content-type': 'application/x-bytes',
        'user-agent': 'sender/1',
        'x-forwarded-for': '192.0.2.7',
        'x-request-id': 'r-1',
      },
      body: Buffer.from(body).toString('base64'),
    })
    assert.match(dispatch.clientIp, /^(127\.0\.0\.1|::1)$/)
    assert.ok(delivery !== id && delivery.length > 0 && id.length > 0)
  })

  test('a header that was not sent is absent; repeated ones go through joined, as received', async (t) => {
    const { world, bot, key } = await openSetting(t)
    const { runtime } = await BotRuntime.ready(t, world, key)
    const connection = await RawConnection.to(t, world.apiUrl)
    const headers = 'Host: h\r\nContent-Length: 0\r\nX-Forwarded-For: 192.0.2.1\r\nX-Forwarded-For: 192.0.2.2'
    connection.write(`POST /${bot.botId}/${bot.path} HTTP/1.1\r\n${headers}\r\n\r\n`)
    assert.deepEqual((await runtime.next('dispatch')).headers, { 'x-forwarded-for': '192.0.2.1, 192.0.2.2' })
  })

  test('clientIp is the peer, and behind a trusted proxy what that one says', async (t) => {
    const { world, bot, key } = await openSetting(t, { TRUST_PROXY: '1' })
    const { runtime } = await BotRuntime.ready(t, world, key)
    await post(world, bot, 'x', { 'x-forwarded-for': '198.51.100.1, 203.0.113.9' })
    assert.equal((await runtime.next('dispatch')).clientIp, '203.0.113.9')
  })

  test('a body of 1 MiB is dispatched whole', async (t) => {
    const { world, bot, key } = await openSetting(t)
    const { runtime } = await BotRuntime.ready(t, world, key)
    const body = 'ab'.repeat(524_288)
    await post(world, bot, body)
    assert.equal(Buffer.from((await runtime.next('dispatch')).body, 'base64').toString(), body)
  })

  test('what was accepted while no runtime was there is dispatched when one comes, in the order accepted', async (t) => {
    const { world, bot, key } = await openSetting(t)
    for (let n = 0; n < 40; n += 1) await post(world, bot, String(n))
    const { runtime } = await BotRuntime.ready(t, world, key, { credit: 100 })
    const dispatched = await runtime.deliveries(40)
    assert.deepEqual(
      dispatched.map(({ body }) => Number(Buffer.from(body, 'base64').toString())),
      Array.from({ length: 40 }, (_, n) => n),
    )
  })

  test('each dispatch costs one credit; ack gives it back', async (t) => {
    const { world, bot, key } = await openSetting(t)
    for (let n = 0; n < 5; n += 1) await post(world, bot, String(n))
    const { runtime } = await BotRuntime.ready(t, world, key, { credit: 2 })
    const [first, second] = await runtime.deliveries(2)
    await runtime.beat([first?.delivery, second?.delivery])
    runtime.send({ type: 'ack', deliveries: [first?.delivery, second?.delivery] })
    await runtime.deliveries(2)
    assert.deepEqual((await runtime.beat()).lost, [])
  })

  test('credit sets the window', async (t) => {
    const { world, bot, key } = await openSetting(t)
    for (let n = 0; n < 5; n += 1) await post(world, bot, String(n))
    const { runtime } = await BotRuntime.ready(t, world, key, { credit: 0 })
    await runtime.beat()
    runtime.send({ type: 'credit', n: 3 })
    const held = (await runtime.deliveries(3)).map(({ delivery }) => delivery)
    runtime.send({ type: 'credit', n: 2 })
    runtime.send({ type: 'ack', deliveries: held.slice(0, 1) })
    // Two in flight fill a window of two.
    await runtime.beat(held.slice(1))
    runtime.send({ type: 'ack', deliveries: held.slice(1) })
    await runtime.deliveries(2)
  })

  test('events are dispatched in turn over the bots, however many one of them has', async (t) => {
    const { world, bot, key } = await openSetting(t)
    const quiet = await provisionListeningBot(world.service, { botId: 'quiet' })
    for (let n = 0; n < 20; n += 1) await post(world, bot)
    await post(world, quiet)
    const { runtime } = await BotRuntime.ready(t, world, key, { credit: 2 })
    const botIds = (await runtime.deliveries(2)).map(({ botId }) => botId)
    assert.deepEqual(botIds.sort(), [bot.botId, quiet.botId].sort())
  })

  test('a bot that is not hosted by this runtime brings it nothing', async (t) => {
    const { world, bot } = await openSetting(t)
    const other = await provisionListeningBot(world.service, { botId: 'other' })
    const { key } = await makeRuntime(world, [other.botId])
    const { runtime } = await BotRuntime.ready(t, world, key)
    await post(world, bot)
    await post(world, other)
    assert.equal((await runtime.next('dispatch')).botId, other.botId)
    await runtime.beat()
  })
})

describe('Answers to a delivery', () => {
  test('an acknowledged event does not come again; late and unknown answers are ignored', async (t) => {
    const { world, bot, key } = await openSetting(t)
    const { runtime } = await BotRuntime.ready(t, world, key)
    await post(world, bot)
    const { delivery } = await runtime.next('dispatch')
    runtime.send({ type: 'ack', deliveries: [delivery, 'ev1-1', '', 'nonsense'] })
    runtime.send({ type: 'ack', deliveries: [delivery] })
    runtime.send({ type: 'nack', delivery })
    await quietly(world, 120_000, runtime)
    assert.deepEqual((await runtime.beat([delivery])).lost, [delivery])
  })

  test('failed attempts wait 5 s, 30 s, 2 min, 10 min, 1 h with jitter; then the event is a dead letter', async (t) => {
    const { world, bot, key } = await openSetting(t)
    const { runtime } = await BotRuntime.ready(t, world, key)
    await post(world, bot)
    let event = await runtime.next('dispatch')
    for (const [at, waitMs] of [5_000, 30_000, 120_000, 600_000, 3_600_000].entries()) {
      runtime.send({ type: 'nack', delivery: event.delivery, error: `failure ${at + 1}` })
      await runtime.beat()
      await quietly(world, waitMs - 1, runtime)
      await lively(world, 1 + waitMs * 0.2, runtime)
      event = await dispatched(world, runtime)
      assert.equal(event.attempt, at + 2)
    }
    runtime.send({ type: 'nack', delivery: event.delivery, error: 'the last failure' })
    const [letter] = await deadLetters(world, bot, 1)
    assert.deepEqual(
      [letter?.id, letter?.attempts, letter?.deadBecause, letter?.lastError],
      [event.id, 6, 'attempts-spent', 'the last failure'],
    )
  })

  test('nack with dead makes a dead letter at once, with retryMs it comes again after that time', async (t) => {
    const { world, bot, key } = await openSetting(t)
    const { runtime } = await BotRuntime.ready(t, world, key)
    await post(world, bot)
    const first = await runtime.next('dispatch')
    runtime.send({ type: 'nack', delivery: first.delivery, retryMs: 20_000 })
    await quietly(world, 19_999, runtime)
    await lively(world, 1, runtime)
    await world.clock.advance(1_000)
    const second = await dispatched(world, runtime)
    assert.deepEqual([second.id, second.attempt, second.delivery === first.delivery], [first.id, 2, false])
    runtime.send({ type: 'nack', delivery: second.delivery, dead: true, error: 'no such order' })
    const [letter] = await deadLetters(world, bot, 1)
    assert.deepEqual([letter?.deadBecause, letter?.lastError], ['refused-by-runtime', 'no such order'])
  })

  test('our choice: a wait in fractions of a millisecond is taken as whole milliseconds', async (t) => {
    const { world, bot, key } = await openSetting(t)
    const { runtime } = await BotRuntime.ready(t, world, key)
    await post(world, bot)
    const { delivery } = await runtime.next('dispatch')
    runtime.send({ type: 'nack', delivery, retryMs: 20_000.25 })
    await runtime.beat()
    await world.service.queue.probe()
    await quietly(world, 20_000, runtime)
    await world.clock.advance(1_000)
    assert.equal((await dispatched(world, runtime)).attempt, 2)
  })

  test('the owner can replay a dead letter: it comes as a new event that names the old one', async (t) => {
    const { world, bot, key } = await openSetting(t)
    const { runtime } = await BotRuntime.ready(t, world, key)
    await post(world, bot, 'again')
    const first = await runtime.next('dispatch')
    runtime.send({ type: 'nack', delivery: first.delivery, dead: true })
    await deadLetters(world, bot, 1)
    const outcome = await world.service.queue.replay(bot.botId, first.id, world.clock.nowMs())
    const replayed = await runtime.next('dispatch')
    assert.deepEqual(outcome, { kind: 'replayed', id: replayed.id })
    assert.notEqual(replayed.id, first.id)
    assert.deepEqual([replayed.replayOf, replayed.attempt, replayed.body], [first.id, 1, first.body])
  })

  test('after 24 h an event is a dead letter, also when its bot was hosted nowhere', async (t) => {
    const { world, bot } = await openSetting(t)
    await post(world, bot)
    await world.clock.advance(24 * 3_600_000)
    const [letter] = await eventually(async () => {
      await world.clock.advance(60_000)
      const letters = await eventsIn(world, bot.botId, 'dead', 1)
      return letters.length > 0 ? letters : undefined
    })
    assert.deepEqual([letter?.deadBecause, letter?.attempts], ['expired', 0])
  })

  test('our choice: an answer to another runtime’s delivery changes nothing', async (t) => {
    const { world, bot, key } = await openSetting(t)
    const { runtime } = await BotRuntime.ready(t, world, key)
    const { runtime: stranger } = await BotRuntime.ready(t, world, (await makeRuntime(world, [])).key)
    await post(world, bot)
    const { delivery } = await runtime.next('dispatch')
    stranger.send({ type: 'ack', deliveries: [delivery] })
    stranger.send({ type: 'nack', delivery, dead: true })
    assert.deepEqual((await stranger.beat([delivery])).lost, [delivery])
    assert.deepEqual((await runtime.beat([delivery])).lost, [])
  })
})

describe('Leases', () => {
  test('heartbeat renews every lease listed', async (t) => {
    const { world, bot, key } = await openSetting(t)
    const { runtime } = await BotRuntime.ready(t, world, key)
    await post(world, bot)
    const { delivery } = await runtime.next('dispatch')
    await quietly(world, 600_000, runtime, [delivery])
    assert.deepEqual(await runtime.beat([delivery]), { type: 'heartbeat', now: world.clock.nowMs(), lost: [] })
  })

  test('a lease that is not renewed for leaseMs sends it again with attempt raised, and gives the credit back', async (t) => {
    const { world, bot, key } = await openSetting(t)
    const { runtime } = await BotRuntime.ready(t, world, key, { credit: 1 })
    await post(world, bot)
    const first = await runtime.next('dispatch')
    await quietly(world, 89_000, runtime)
    // The lapse is a failed attempt, which waits its 5 s.
    await lively(world, 1_000 + 7_000, runtime)
    const second = await dispatched(world, runtime)
    assert.deepEqual([second.id, second.attempt], [first.id, 2])
    const { lost } = await runtime.beat([first.delivery, second.delivery])
    assert.deepEqual(lost, [first.delivery])
  })

  test('a socket that stays lost for 10 s sends it again with attempt raised', async (t) => {
    const { world, bot, key } = await openSetting(t)
    const { runtime } = await BotRuntime.ready(t, world, key)
    const { runtime: other } = await BotRuntime.ready(t, world, key, { instance: 'two', bots: [] })
    await post(world, bot)
    const first = await runtime.next('dispatch')
    await runtime.crash()
    const { runtime: heir } = await BotRuntime.ready(t, world, key, { instance: 'heir' })
    await serverNoticed(other)
    await world.clock.advance(9_000)
    await heir.beat()
    await world.clock.advance(2_000)
    const second = await dispatched(world, heir)
    assert.deepEqual([second.id, second.attempt], [first.id, 2])
  })

  test('a runtime that comes back in time keeps what it lists in working, in its window', async (t) => {
    const { world, bot, key } = await openSetting(t)
    const { runtime } = await BotRuntime.ready(t, world, key, { credit: 2 })
    await post(world, bot, 'kept')
    await post(world, bot, 'dropped')
    const [kept, dropped] = (await runtime.deliveries(2)) as [Frame, Frame]
    await runtime.crash()
    await world.clock.advance(5_000)
    const again = await BotRuntime.ready(t, world, key, { credit: 1, working: [kept.delivery, 'ev1-1'] })
    assert.deepEqual(again.welcome.lost, ['ev1-1'])
    await quietly(world, 30_000, again.runtime, [kept.delivery])
    again.runtime.send({ type: 'ack', deliveries: [kept.delivery] })
    const second = await dispatched(world, again.runtime)
    assert.deepEqual([second.id, second.attempt], [dropped.id, 2])
  })

  test('a new ready of the same instance evicts the old session with 4003 and keeps the leases listed', async (t) => {
    const { world, bot, key } = await openSetting(t)
    const { runtime } = await BotRuntime.ready(t, world, key)
    await post(world, bot)
    const { delivery } = await runtime.next('dispatch')
    const newer = await BotRuntime.ready(t, world, key, { working: [delivery] })
    assert.equal((await runtime.closed).code, 4003)
    assert.deepEqual(newer.welcome.lost, [])
    await quietly(world, 120_000, newer.runtime, [delivery])
    newer.runtime.send({ type: 'ack', deliveries: [delivery] })
    await eventually(async () => (await eventsIn(world, bot.botId, 'done', 1))[0])
  })

  test('instance names are per key: one key never evicts another’s session', async (t) => {
    const { world, key } = await openSetting(t)
    const { runtime } = await BotRuntime.ready(t, world, key)
    await BotRuntime.ready(t, world, (await makeRuntime(world)).key)
    await runtime.beat()
  })

  test('bye: leases back at once, no attempt counted', async (t) => {
    const { world, bot, key } = await openSetting(t)
    const { runtime } = await BotRuntime.ready(t, world, key)
    const { runtime: other } = await BotRuntime.ready(t, world, key, { instance: 'two', credit: 0 })
    await post(world, bot)
    const first = await runtime.next('dispatch')
    runtime.send({ type: 'bye' })
    assert.equal((await runtime.closed).code, 1000)
    other.send({ type: 'credit', n: 1 })
    const second = await other.next('dispatch')
    assert.deepEqual([second.id, second.attempt, second.delivery === first.delivery], [first.id, 1, false])
  })

  test('leases outlive a restart of the service: what working lists is kept, the rest comes again after 10 s', async (t) => {
    const { world, bot, key } = await openSetting(t)
    const { runtime } = await BotRuntime.ready(t, world, key, { credit: 1 })
    await post(world, bot, 'kept')
    const kept = await runtime.next('dispatch')
    const { runtime: gone } = await BotRuntime.ready(t, world, key, { instance: 'gone', credit: 1 })
    await post(world, bot, 'dropped')
    const dropped = await gone.next('dispatch')
    await world.restart()
    const { runtime: other } = await BotRuntime.ready(t, world, key, { instance: 'other' })
    const again = await BotRuntime.ready(t, world, key, { working: [kept.delivery], bots: [] })
    assert.deepEqual(again.welcome.lost, [])
    await quietly(world, 9_000, other)
    await lively(world, 2_000, other)
    const second = await dispatched(world, other)
    assert.deepEqual([second.id, second.attempt], [dropped.id, 2])
    assert.deepEqual((await again.runtime.beat([kept.delivery])).lost, [])
  })

  test('our choice: what a runtime that comes back does not list has failed when its connection went', async (t) => {
    const { world, bot, key } = await openSetting(t)
    const { runtime } = await BotRuntime.ready(t, world, key)
    await post(world, bot)
    const first = await runtime.next('dispatch')
    await runtime.crash()
    await eventually(() => (world.logs().includes('lost its connection') ? true : undefined))
    await world.clock.advance(1_000)
    const again = await BotRuntime.ready(t, world, key)
    await quietly(world, 3_999, again.runtime)
    await lively(world, 2_001, again.runtime)
    const second = await dispatched(world, again.runtime)
    assert.deepEqual([second.id, second.attempt], [first.id, 2])
  })
})

describe('Proof of life', () => {
  test('75 s without a text frame are 4008, whatever else moves on the socket', async (t) => {
    const { world, key } = await openSetting(t)
    const { runtime } = await BotRuntime.ready(t, world, key)
    await world.clock.advance(74_000)
    runtime.ping()
    runtime.send({ type: 'weather' })
    await runtime.beat()
    await world.clock.advance(74_000)
    runtime.ping()
    await world.clock.advance(1_000)
    assert.equal((await runtime.closed).code, 4008)
  })

  test('our choice: an uptime in fractions of a millisecond is taken as whole milliseconds', async (t) => {
    const { world, bot, key } = await openSetting(t)
    const { runtime } = await BotRuntime.ready(t, world, key)
    await runtime.beat([], [{ botId: bot.botId, ready: true, presence: 'online', uptimeMs: 1_500.75 }])
    const record = await eventually(async () => {
      await world.clock.advance(1_000)
      const answer = await fetch(`${world.baseUrl}/botstatus/${bot.botId}/api`)
      const status = (await answer.json()) as { online: boolean; uptimeMs: number }
      return status.online ? status : undefined
    })
    assert.equal(record.uptimeMs, 1_500)
  })

  test('heartbeat reports snapshots of the bots that the session hosts, and of no others', async (t) => {
    const { world, bot } = await openSetting(t)
    const other = await provisionListeningBot(world.service, { botId: 'other' })
    const { key } = await makeRuntime(world, [bot.botId])
    const { runtime } = await BotRuntime.ready(t, world, key)
    const report = { ready: true, presence: 'dnd', uptimeMs: 5_000, guildCount: 3, shardCount: 1 }
    await runtime.beat(
      [],
      [
        { botId: bot.botId, ...report },
        { botId: other.botId, ...report },
      ],
    )
    const { bots, clock } = world.service
    const reported = await bots.status(bot.botId)
    assert.deepEqual([reported?.online, reported?.presence, reported?.guildCount], [true, 'dnd', 3])
    assert.equal(reported?.reportedAt, clock.nowMs())
    assert.equal((await bots.status(other.botId))?.online, false)
  })

  test('bye makes a bot offline at once, a lost socket does not', async (t) => {
    const { world, bot, key } = await openSetting(t)
    const report = { botId: bot.botId, ready: true, presence: null, uptimeMs: null, guildCount: null, shardCount: null }
    const { runtime } = await BotRuntime.ready(t, world, key)
    await runtime.beat([], [report])
    await runtime.crash()
    await world.clock.advance(20_000)
    const online = async () => (await world.service.bots.status(bot.botId))?.online
    assert.equal(await online(), true)
    const again = await BotRuntime.ready(t, world, key)
    again.runtime.send({ type: 'bye' })
    await again.runtime.closed
    await eventually(async () => ((await online()) === false ? true : undefined))
  })

  test('log: runtime logs of the bots that the session hosts', async (t) => {
    const { world, bot } = await openSetting(t)
    const other = await provisionListeningBot(world.service, { botId: 'other' })
    const { key } = await makeRuntime(world, [bot.botId])
    const { runtime } = await BotRuntime.ready(t, world, key)
    const entry = { level: 'warn', message: 'low on tea', at: '2026-01-05T11:59:58.500Z' }
    runtime.send({
      type: 'log',
      entries: [
        { ...entry, botId: bot.botId },
        { ...entry, botId: other.botId },
      ],
    })
    const logs = await eventually(async () => {
      const found = await world.service.bots.logs(bot.botId)
      return found.length > 0 ? found : undefined
    })
    const atMs = Date.parse(entry.at)
    assert.deepEqual(logs, [{ botId: bot.botId, level: 'warn', message: 'low on tea', atMs }])
    assert.deepEqual(await world.service.bots.logs(other.botId), [])
  })

  test('our choice: of one bot a thousand log entries are taken in a minute, the last of which says so', async (t) => {
    const { world, bot, key } = await openSetting(t)
    const chatty = await provisionListeningBot(world.service, { botId: 'chatty' })
    const { runtime } = await BotRuntime.ready(t, world, key)
    const entry = { level: 'info', at: '2026-01-05T12:00:00.000Z' }
    const many = Array.from({ length: 700 }, (_, n) => ({ ...entry, botId: chatty.botId, message: String(n) }))
    runtime.send({ type: 'log', entries: many })
    runtime.send({ type: 'log', entries: many })
    runtime.send({ type: 'log', entries: [{ ...entry, botId: bot.botId, message: 'another bot' }] })
    const messages = async (botId: BotId) => (await world.service.bots.logs(botId)).map(({ message }) => message)
    const logged = (message: string, { botId }: ListeningBot) =>
      eventually(async () => ((await messages(botId)).includes(message) ? true : undefined))
    await logged('another bot', bot)
    const tooMany = 'More than 999 entries came within a minute; the rest of them is left out.'
    await logged(tooMany, chatty)
    const [last, before] = await messages(chatty.botId)
    assert.equal(last, tooMany)
    assert.equal(before, '298')

    await world.clock.advance(60_000)
    runtime.send({
      type: 'log',
      entries: [{ ...entry, at: '2026-01-05T12:01:00.000Z', botId: chatty.botId, message: 'later' }],
    })
    await logged('later', chatty)
  })
})

describe('Assignment', () => {
  test('bots that are put, or whose hosting changes, are told and served', async (t) => {
    const { world, bot, key } = await openSetting(t)
    const { runtime } = await BotRuntime.ready(t, world, key)
    const late = await provisionListeningBot(world.service, { botId: 'late', hostingEnabled: false })
    await post(world, late, 'waiting')
    await provisionListeningBot(world.service, { botId: 'late' })
    assert.deepEqual(await runtime.next('bots'), { type: 'bots', add: [late.botId], remove: [] })
    assert.equal((await runtime.next('dispatch')).botId, late.botId)

    await provisionListeningBot(world.service, { botId: bot.botId, hostingEnabled: false })
    assert.deepEqual(await runtime.next('bots'), { type: 'bots', add: [], remove: [bot.botId] })
    await post(world, bot)
    await runtime.beat()
    await world.service.bots.removeBot(late.botId)
    assert.deepEqual(await runtime.next('bots'), { type: 'bots', add: [], remove: [late.botId] })
  })

  test('a runtime that named its bots is told of no others', async (t) => {
    const { world, bot, key } = await openSetting(t)
    const { runtime } = await BotRuntime.ready(t, world, key, { bots: [bot.botId, 'planned'] })
    await provisionListeningBot(world.service, { botId: 'late' })
    await provisionListeningBot(world.service, { botId: 'planned' })
    assert.deepEqual((await runtime.next('bots')).add, ['planned'])
  })
})

describe('No frame of the service passes 2 MiB', () => {
  const tooMany = Array.from({ length: 100_000 }, (_, n) => parseBotId(`bot-${n}`.padEnd(64, '-')) as BotId)
  const read = (frame: string): Frame => {
    assert.ok(Buffer.byteLength(frame) <= 2 * 1_048_576)
    return JSON.parse(frame)
  }

  test('our choice: bots that do not fit into welcome follow in frames of bots', () => {
    const [welcome, ...more] = welcomeFrames({ bots: tooMany, refused: [], lost: ['d'] }).map(read)
    assert.deepEqual([welcome?.type, welcome?.refused, welcome?.lost], ['welcome', [], ['d']])
    for (const { type, remove } of more) assert.deepEqual({ type, remove }, { type: 'bots', remove: [] })
    assert.deepEqual([welcome?.bots, ...more.map(({ add }) => add)].flat(), tooMany)
  })

  test('our choice: changes of many bots are told in several frames', () => {
    const frames = botsFrames({ add: tooMany.slice(0, 70_000), remove: tooMany.slice(70_000) }).map(read)
    assert.deepEqual(
      frames.flatMap(({ add }) => add),
      tooMany.slice(0, 70_000),
    )
    assert.deepEqual(
      frames.flatMap(({ remove }) => remove),
      tooMany.slice(70_000),
    )
  })

  test('our choice: of ten thousand bots that are named, all that are refused are in welcome', async (t) => {
    const { world, key } = await openSetting(t)
    const bots = Array.from({ length: 10_000 }, (_, n) => `unknown-${n}`.padEnd(64, '-'))
    const { welcome } = await BotRuntime.ready(t, world, key, { bots })
    assert.deepEqual(
      welcome.refused,
      bots.map((botId) => ({ botId, reason: 'unknown' })),
    )
  })
})

describe('Draining', () => {
  test('drain delivers nothing further and takes answers until the work is done; then 4012', async (t) => {
    const { world, bot, key } = await openSetting(t)
    const { runtime } = await BotRuntime.ready(t, world, key, { credit: 1 })
    runtime.leavesOnDrain = false
    await post(world, bot, 'in hand')
    await post(world, bot, 'waiting')
    const { delivery } = await runtime.next('dispatch')
    const restarted = world.restart()
    assert.deepEqual(await runtime.next('drain'), { type: 'drain', inMs: 5_000 })
    assert.deepEqual((await runtime.beat([delivery])).lost, [])
    runtime.send({ type: 'ack', deliveries: [delivery] })
    assert.equal((await runtime.closed).code, 4012)
    await restarted
    const again = await BotRuntime.ready(t, world, key)
    assert.equal(Buffer.from((await again.runtime.next('dispatch')).body, 'base64').toString(), 'waiting')
  })

  test('an idle session is closed with 4012 at once', async (t) => {
    const { world, key } = await openSetting(t)
    const { runtime } = await BotRuntime.ready(t, world, key)
    runtime.leavesOnDrain = false
    const restarted = world.restart()
    await runtime.next('drain')
    assert.equal((await runtime.closed).code, 4012)
    await restarted
  })

  test('our choice: a runtime that does not read gets no more than its socket holds, and all once it reads', async (t) => {
    const { world, bot, key } = await openSetting(t)
    const { runtime } = await BotRuntime.ready(t, world, key, { credit: 0 })
    const body = 'x'.repeat(1_048_576)
    for (let n = 0; n < 40; n += 1) await post(world, bot, body)
    runtime.pause()
    runtime.send({ type: 'credit', n: 1_000 })
    await somethingLeased(world, bot)
    runtime.resume()
    assert.equal((await runtime.deliveries(40)).length, 40)
  })
})

describe('Frames of a runtime that come too fast', () => {
  test('our choice: what is sent behind ready at once is taken after it, in order', async (t) => {
    const { world, bot, key } = await openSetting(t)
    await post(world, bot)
    const runtime = new BotRuntime(t, world, { key })
    await runtime.next('hello')
    runtime.send({ type: 'ready', instance: 'one', agent: 'test/1', credit: 0 })
    for (let n = 0; n < 20; n += 1) runtime.send({ type: 'weather', forecast: 'x'.repeat(1_048_576) })
    runtime.send({ type: 'heartbeat', bots: [], working: ['first'] })
    runtime.send({ type: 'credit', n: 1 })
    await runtime.next('welcome')
    assert.deepEqual((await runtime.next('heartbeat')).lost, ['first'])
    await runtime.next('dispatch')
  })

  test('our choice: a runtime that reads no answers is not read either, and served on once it reads', async (t) => {
    const { world, key } = await openSetting(t)
    const { runtime } = await BotRuntime.ready(t, world, key)
    runtime.pause()
    const working = Array.from({ length: 8_192 }, (_, n) => `${n}`.padEnd(128, 'x'))
    const beat = { type: 'heartbeat', bots: [], working }
    let sent = 0
    for (let taken = true; taken && sent < 100; sent += 1) {
      taken = await Promise.race([runtime.flushed(beat).then(() => true), wait(2_000, false)])
    }
    assert.ok(sent < 60, `${sent} MiB were taken`)
    runtime.resume()
    for (let answered = 0; answered < sent; answered += 1) {
      assert.deepEqual((await runtime.next('heartbeat')).lost, working)
    }
    await runtime.beat()
  })
})

describe('Runtimes of owners', () => {
  const origin = { address: '127.0.0.1', userAgent: 'a test' }

  /** Ada owns the bot; Bob is somebody else. */
  async function openOwned(t: TestContext) {
    const { world, bot } = await openSetting(t)
    const { runtimes } = world.service.bots
    const ada = { userId: parseUserId('ada') as UserId, origin }
    return { world, bot, runtimes, ada }
  }

  test('our choice: an owner makes, lists, rotates and removes runtimes for own bots, and it is on record', async (t) => {
    const { world, bot, runtimes, ada } = await openOwned(t)
    const made = await runtimes.make({ name: 'At home', botIds: [bot.botId] }, ada)
    const { runtime, welcome } = await BotRuntime.ready(t, world, made.clearTextKey)
    assert.deepEqual(welcome.bots, [bot.botId])
    const { id } = made.runtime
    const rotated = await runtimes.makeKey(id, { by: ada, keyBefore: 'ends-in-24-hours' })
    assert.deepEqual(await runtimes.list(ada.userId), [rotated.runtime])
    await runtimes.endKey(id, made.runtime.keys[0]?.number ?? 0, ada)
    assert.equal((await runtime.closed).code, 4001)
    assert.equal(await runtimes.remove(id, ada), true)
    assert.equal(await runtimes.find(id, ada.userId), undefined)
    const kinds = (await world.service.audit.ofUser(ada.userId, { before: undefined, atMost: 10 })).map(
      ({ kind, actor, botId, detail }) => [kind, actor, botId, detail.runtime],
    )
    assert.deepEqual(
      kinds.filter(([kind]) => kind !== 'provisioned'),
      ['runtime-removed', 'runtime-key-ended', 'runtime-key-made', 'runtime-made'].map((kind) => [
        kind,
        'user',
        bot.botId,
        id,
      ]),
    )
  })

  test('our choice: another owner’s runtime is as if it were not there', async (t) => {
    const { world, bot, runtimes, ada } = await openOwned(t)
    const { runtime, clearTextKey } = await runtimes.make({ name: 'At home', botIds: null }, ada)
    await world.service.accounts.putUser(parseUserId('bob') as UserId, { name: 'Bob' })
    const bob = { userId: parseUserId('bob') as UserId, origin }
    const { id } = runtime
    const refused = (reason: string) => (error: unknown) => error instanceof BotRefusal && error.reason === reason
    await assert.rejects(runtimes.makeKey(id, { by: bob, keyBefore: 'ends-now' }), refused('runtime-unknown'))
    await assert.rejects(runtimes.endKey(id, 1, bob), refused('runtime-unknown'))
    await assert.rejects(runtimes.make({ name: 'Mine', botIds: [bot.botId] }, bob), refused('runtime-bot-unknown'))
    assert.equal(await runtimes.remove(id, bob), false)
    assert.deepEqual([await runtimes.list(bob.userId), await runtimes.find(id, bob.userId)], [[], undefined])
    assert.deepEqual((await BotRuntime.ready(t, world, clearTextKey)).welcome.bots, [bot.botId])
  })

  test('our choice: a bot that changes its owner leaves the runtime of the one before', async (t) => {
    const { world, bot, runtimes, ada } = await openOwned(t)
    const { clearTextKey } = await runtimes.make({ name: 'At home', botIds: null }, ada)
    const { runtime } = await BotRuntime.ready(t, world, clearTextKey)
    const bob = parseUserId('bob') as UserId
    await world.service.accounts.putUser(bob, { name: 'Bob' })
    const stored = await world.service.bots.bot(bot.botId)
    assert.ok(stored)
    const { name, chatPlatformId } = stored
    await world.service.bots.putBot(bot.botId, { ownerId: bob, name, chatPlatformId })
    assert.deepEqual(await runtime.next('bots'), { type: 'bots', add: [], remove: [bot.botId] })
    await post(world, bot)
    await runtime.beat()
  })

  test('our choice: of two keys the one before ends after 24 hours, and its connections with it', async (t) => {
    const { world, runtimes, ada } = await openOwned(t)
    const { runtime: made, clearTextKey: first } = await runtimes.make({ name: 'At home', botIds: null }, ada)
    const { clearTextKey: second } = await runtimes.makeKey(made.id, { by: ada, keyBefore: 'ends-in-24-hours' })
    await world.clock.advance(24 * 3_600_000 - 60_000)
    const { runtime: older } = await BotRuntime.ready(t, world, first)
    const { runtime: newer } = await BotRuntime.ready(t, world, second, { instance: 'two' })
    assert.equal((await runtimes.list(ada.userId))[0]?.keys.length, 2)
    await world.clock.advance(60_000)
    assert.equal((await older.closed).code, 4001)
    await newer.beat()
    const refused = new BotRuntime(t, world, { key: first })
    assert.equal((await refused.closed).code, 4001)
    assert.equal((await runtimes.list(ada.userId))[0]?.keys.length, 1)
  })

  test('our choice: with its new key a runtime takes over from its own session with the one before', async (t) => {
    const { world, bot, runtimes, ada } = await openOwned(t)
    const { runtime: made, clearTextKey: first } = await runtimes.make({ name: 'At home', botIds: null }, ada)
    const { runtime: older } = await BotRuntime.ready(t, world, first)
    await post(world, bot)
    const { delivery } = await older.next('dispatch')
    const { clearTextKey: second } = await runtimes.makeKey(made.id, { by: ada, keyBefore: 'ends-in-24-hours' })
    const { runtime: newer, welcome } = await BotRuntime.ready(t, world, second, { working: [delivery] })
    assert.deepEqual(welcome.lost, [])
    assert.equal((await older.closed).code, 4003)
    newer.send({ type: 'ack', deliveries: [delivery] })
    await eventually(async () => (await eventsIn(world, bot.botId, 'done', 1))[0])
  })

  test('our choice: when a key was last used is shown, and a connection is use', async (t) => {
    const { world, runtimes, ada } = await openOwned(t)
    const { runtime: made, clearTextKey } = await runtimes.make({ name: 'At home', botIds: null }, ada)
    const lastUsedAtMs = async () => {
      await runtimes.recordUse()
      return (await runtimes.find(made.id, ada.userId))?.keys[0]?.lastUsedAtMs
    }
    assert.equal(await lastUsedAtMs(), null)
    const { runtime } = await BotRuntime.ready(t, world, clearTextKey)
    assert.equal(await lastUsedAtMs(), world.clock.nowMs())
    await world.clock.advance(30_000)
    await runtime.beat()
    assert.equal(await lastUsedAtMs(), world.clock.nowMs())
  })
})

describe('Fairness', () => {
  test('our choice: a bot with one event waits for one turn of a bot with ten thousand', async (t) => {
    const { world, bot, key } = await openSetting(t)
    const quiet = await provisionListeningBot(world.service, { botId: 'quiet' })
    const event = { ...bot, headers: noHeaders, clientIp: '192.0.2.1', body: Buffer.from('x'), ordered: false }
    const { flowId, path } = bot
    const accept = () =>
      world.service.queue.accept({ ...event, flowId, path, botId: bot.botId, acceptedAtMs: world.clock.nowMs() })
    await Promise.all(Array.from({ length: 10_000 }, accept))
    const { runtime } = await BotRuntime.ready(t, world, key, { credit: 4 })
    let held = (await runtime.deliveries(4)).map(({ delivery }) => delivery)
    await post(world, quiet)
    const seen: string[] = []
    while (!seen.includes(quiet.botId)) {
      runtime.send({ type: 'ack', deliveries: held })
      const next = await runtime.deliveries(4)
      seen.push(...next.map(({ botId }) => botId))
      held = next.map(({ delivery }) => delivery)
    }
    assert.ok(seen.length <= 8, `came as one of ${seen.length}`)
  })

  test('our choice: runtimes that host the same bot get its events in turn', async (t) => {
    const { world, bot, key } = await openSetting(t)
    const { runtime: one } = await BotRuntime.ready(t, world, key)
    const { runtime: two } = await BotRuntime.ready(t, world, key, { instance: 'two' })
    for (let n = 0; n < 6; n += 1) await post(world, bot, String(n))
    if (world.databaseUrl !== undefined) {
      // Claims travel to PostgreSQL side by side, so the faster runtime takes more; each event goes to one of them.
      await eventually(() => (one.unread.length + two.unread.length === 6 ? true : undefined))
      assert.equal(new Set([...one.unread, ...two.unread]).size, 6)
      return
    }
    const bodies = async (runtime: BotRuntime) =>
      (await runtime.deliveries(3)).map(({ body }) => Buffer.from(body, 'base64').toString())
    assert.deepEqual(
      [await bodies(one), await bodies(two)],
      [
        ['0', '2', '4'],
        ['1', '3', '5'],
      ],
    )
  })

  test('our choice: a runtime that reads nothing for a minute is given up, and another one gets its events', async (t) => {
    const { world, bot, key } = await openSetting(t)
    const { runtime } = await BotRuntime.ready(t, world, key, { credit: 0 })
    const body = 'x'.repeat(1_048_576)
    for (let n = 0; n < 24; n += 1) await post(world, bot, body)
    runtime.pause()
    runtime.send({ type: 'credit', n: 1_000 })
    await somethingLeased(world, bot)
    const givenUp = () => world.logs().includes('nothing of what was sent is being read')
    // What the sockets of this machine hold is still on its way in the first seconds.
    for (let second = 0; second < 600 && !givenUp(); second += 1) {
      await world.clock.advance(1_000)
      runtime.send({ type: 'weather' })
      await world.service.queue.probe()
    }
    assert.ok(givenUp())
    const { runtime: other } = await BotRuntime.ready(t, world, key, { instance: 'two', credit: 1_000 })
    runtime.resume()
    await lively(world, 20_000, other)
    await other.any('dispatch')
  })
})

const noHeaders = { contentType: undefined, userAgent: undefined, forwardedFor: undefined, requestId: undefined }

/** Waits until the service has noticed what happened to other connections before. */
async function serverNoticed(runtime: BotRuntime): Promise<void> {
  await runtime.beat()
}

async function eventsIn(world: World, botId: BotId, state: EventState, most: number) {
  return (await world.service.queue.log.page(botId, { state }, { most })).events
}

async function deadLetters(world: World, { botId }: ListeningBot, count: number) {
  return eventually(async () => {
    const letters = await eventsIn(world, botId, 'dead', count + 1)
    return letters.length === count ? letters : undefined
  })
}
