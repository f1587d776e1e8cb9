import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { type BotId, parseBotId } from '../../src/domain/ids-and-secrets.ts'
import { botsFrames, heartbeatFrame, welcomeFrames } from '../../src/surfaces/runtime-link/frames.ts'
import { list } from '../contract/queue-scene.ts'
import { BotRuntime, type Frame, openHostedBot, post } from '../support/bot-runtime.ts'
import { advanceUntil, eventually } from '../support/eventually.ts'
import { RawConnection } from '../support/raw-http.ts'
import { dispatched, openLinked } from './runtime-link-scene.ts'

describe('Runtime link: dispatch', () => {
  test('an accepted webhook of 1 MiB is dispatched to the runtime that hosts the bot, without a traceparent unless traces are sent', async (t) => {
    const { world, bot, runtime } = await openLinked(t)
    const body = Buffer.alloc(1_048_576, Uint8Array.of(0, 1, 254, 255))
    const forwarded = {
      'content-type': 'application/x-bytes',
      'user-agent': 'sender/1',
      'x-forwarded-for': '192.0.2.7',
      'x-request-id': 'r-1',
    }
    const headers = { ...forwarded, 'x-other': 'not forwarded', authorization: 'Bearer not-forwarded' }
    await fetch(`${world.apiUrl}/${bot.botId}/${bot.path}?secret=1`, { method: 'POST', body, headers })
    const { delivery, id, ...dispatch } = await runtime.next('dispatch')
    assert.deepEqual(dispatch, {
      type: 'dispatch',
      attempt: 1,
      botId: bot.botId,
      flowId: bot.flowId,
      path: bot.path,
      acceptedAt: world.clock.nowMs(),
      clientIp: dispatch.clientIp,
      headers: forwarded,
      body: body.toString('base64'),
    })
    assert.match(dispatch.clientIp, /^(127\.0\.0\.1|::1)$/)
    assert.ok(delivery !== id && delivery.length > 0 && id.length > 0)
  })

  test('a dispatch omits headers that the sender did not send, and joins repeated headers with commas', async (t) => {
    const { world, bot, runtime } = await openLinked(t)
    const connection = await RawConnection.to(t, world.apiUrl)
    const headers = 'Host: h\r\nContent-Length: 0\r\nX-Forwarded-For: 192.0.2.1\r\nX-Forwarded-For: 192.0.2.2'
    connection.write(`POST /${bot.botId}/${bot.path} HTTP/1.1\r\n${headers}\r\n\r\n`)
    assert.deepEqual((await runtime.next('dispatch')).headers, { 'x-forwarded-for': '192.0.2.1, 192.0.2.2' })
  })

  test('clientIp in a dispatch is the address that the trusted proxy reports; an entry of X-Forwarded-For that is no IP address never is, and the nearest address takes its place', async (t) => {
    const hidden = ['unknown', '_hidden', 'unix:', '', ',', 'example.com', '1.2.3', '010.1.1.1', '0x7f.1', '2130706433']
    const garbled = ['1.2.3.4.5', '1.2.3.4:', '1.2.3.4:x', '2001:db8::1::', '"1.2.3.4"', 'for=1.2.3.4', '<b>']
    const forwarded: Record<string, Record<string, string>> = {
      1: {
        '198.51.100.1, 203.0.113.9': '203.0.113.9',
        '203.0.113.9:4711': '203.0.113.9',
        '[2001:DB8::1]:4711': '2001:db8::1',
        '[2001:db8::1]': '2001:db8::1',
        'fe80::1%eth0': 'fe80::1',
        '::ffff:203.0.113.9': '203.0.113.9',
        ...Object.fromEntries(hidden.map((entry) => [entry, '127.0.0.1'])),
        ...Object.fromEntries(garbled.map((entry) => [`203.0.113.9, ${entry}`, '127.0.0.1'])),
      },
      2: { '203.0.113.1, unknown, 203.0.113.9': '203.0.113.9', '203.0.113.1, unix:': '203.0.113.1' },
      3: { '203.0.113.1, unknown, unix:, 203.0.113.9': '203.0.113.9' },
      '127.0.0.1,203.0.113.0/24': { '198.51.100.1, unknown, 203.0.113.9': '203.0.113.9' },
    }
    for (const [trusted, expected] of Object.entries(forwarded)) {
      const { world, bot, runtime } = await openLinked(t, {}, { TRUST_PROXY: trusted })
      for (const [entries, clientIp] of Object.entries(expected)) {
        const connection = await RawConnection.to(t, world.apiUrl)
        connection.write(
          `POST /${bot.botId}/${bot.path} HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\nX-Forwarded-For: ${entries}\r\n\r\n`,
        )
        const { delivery, clientIp: reported, headers } = await runtime.next('dispatch')
        assert.deepEqual([reported, headers['x-forwarded-for']], [clientIp, entries])
        runtime.send({ type: 'ack', deliveries: [delivery] })
      }
    }
  })

  test('a credit frame sets how many deliveries can be in flight', async (t) => {
    const { world, bot, key } = await openHostedBot(t)
    for (let n = 0; n < 5; n += 1) await post(world, bot, String(n))
    const { runtime } = await BotRuntime.ready(t, world, key, { credit: 0 })
    await runtime.heartbeat()
    runtime.send({ type: 'credit', n: 3 })
    const held = (await runtime.deliveries(3)).map(({ delivery }) => delivery)
    runtime.send({ type: 'credit', n: 2 })
    runtime.send({ type: 'ack', deliveries: held.slice(0, 1) })
    // Two deliveries in flight fill a credit window of two.
    await runtime.heartbeat(held.slice(1))
    runtime.send({ type: 'ack', deliveries: held.slice(1) })
    await runtime.deliveries(2)
  })
})

describe('Runtime link: fairness', () => {
  test('our choice: runtimes that host the same bot get its events alternately', async (t) => {
    const { world, bot, key, runtime: one } = await openLinked(t)
    const { runtime: two } = await BotRuntime.ready(t, world, key, { instance: 'two' })
    for (let n = 0; n < 6; n += 1) await post(world, bot, String(n))
    if (world.databaseUrl !== undefined) {
      // On PostgreSQL, claims run concurrently, so a faster runtime may get more events. Each event still goes to only
      // one runtime.
      await eventually(() => (one.unread.length + two.unread.length === 6 ? true : undefined))
      assert.equal(new Set([...one.unread, ...two.unread]).size, 6)
      return
    }
    const bodies = async (runtime: BotRuntime) =>
      (await runtime.deliveries(3)).map(({ body }) => Buffer.from(body, 'base64').toString()).join()
    assert.deepEqual([await bodies(one), await bodies(two)], ['0,2,4', '1,3,5'])
  })

  test('our choice: a runtime that reads nothing for a minute is disconnected, and another runtime gets its events', async (t) => {
    const { world, bot, key, runtime } = await openLinked(t, { credit: 0 })
    const body = 'x'.repeat(1_048_576)
    for (let n = 0; n < 24; n += 1) await post(world, bot, body)
    runtime.socket.pause()
    runtime.send({ type: 'credit', n: 1_000 })
    await eventually(async () => (await list(world.service.queue, bot.botId, 'leased', 1)).length > 0 || undefined)
    // For the first few seconds, the sockets’ buffers still absorb data.
    const look = async () => {
      runtime.send({ type: 'weather' })
      await world.service.queue.probe()
      return world.logs().includes('the runtime stopped reading')
    }
    await advanceUntil(world.clock, look, 5_000)
    const { runtime: other } = await BotRuntime.ready(t, world, key, { instance: 'two', credit: 1_000 })
    runtime.socket.resume()
    await dispatched(world, other)
  })
})

test('a frame that is malformed or, our choice, out of order gets an error frame that says so, and closes the connection with 4002', async (t) => {
  const { world, key, runtime } = await openLinked(t)
  runtime.send({ type: 'log', entries: [{ botId: 'b', level: 'info', message: 'm', at: '2026-02-30T12:00:00Z' }] })
  const early = new BotRuntime(t, world, { key })
  await early.next('hello')
  early.send({ type: 'ack', deliveries: [] })
  for (const [each, code, message] of [
    [runtime, 'malformed', 'log: "at" is ISO 8601, such as 2026-01-05T12:00:00.000Z'],
    [early, 'out-of-order', 'send "ready" before "ack"'],
  ] as const) {
    assert.deepEqual(await each.next('error'), { type: 'error', code, message })
    assert.equal((await each.closed).code, 4002)
  }
})

describe('Runtime link: the service’s frames are at most 2 MiB', () => {
  const tooMany = Array.from({ length: 100_000 }, (_, n) => parseBotId(`bot-${n}`.padEnd(64, '-')) as BotId)
  const read = (frame: object): Frame => {
    assert.ok(Buffer.byteLength(JSON.stringify(frame)) <= 2 * 1_048_576)
    return frame as Frame
  }

  test('our choice: the welcome frame lists every refused bot, even ten thousand; bots that do not fit into it follow in bots frames, and changes to many bots are split into several', () => {
    const refused = tooMany.slice(0, 10_000).map((botId) => ({ botId, reason: 'not_allowed' as const }))
    const [welcome, ...more] = welcomeFrames({ bots: tooMany, refused, lost: ['d'] }).map(read)
    assert.deepEqual([welcome?.type, welcome?.refused, welcome?.lost], ['welcome', refused, ['d']])
    for (const { type, remove } of more) assert.deepEqual({ type, remove }, { type: 'bots', remove: [] })
    assert.deepEqual([welcome?.bots, ...more.map(({ add }) => add)].flat(), tooMany)

    const wide = (length: number) => Array.from({ length: 10_000 }, (_, n) => `${n}`.padEnd(length, '€'))
    const refusedWide = wide(64).map((botId) => ({ botId, reason: 'not_allowed' as const }))
    for (const fuller of [
      { refused: refusedWide, lost: ['d'] },
      { refused, lost: wide(128) },
    ]) {
      const frames = welcomeFrames({ bots: tooMany, ...fuller }).map(read)
      const announced = frames.flatMap(({ bots, add }) => bots ?? add)
      assert.deepEqual(announced, tooMany)
      const lost = frames[0]?.lost
      assert.deepEqual([lost, lost.length > 0], [fuller.lost.slice(0, lost.length), true])
    }
    assert.ok(read(heartbeatFrame(0, wide(128))).lost.length > 5_000)

    const change = { add: tooMany.slice(0, 70_000), remove: tooMany.slice(70_000) }
    const frames = botsFrames(change).map(read)
    const changed = { add: frames.flatMap(({ add }) => add), remove: frames.flatMap(({ remove }) => remove) }
    assert.deepEqual(changed, change)
  })
})

describe('Runtime link: a runtime that sends too fast', () => {
  test('our choice: frames sent right after ready are handled after ready, in order', async (t) => {
    const { world, bot, key } = await openHostedBot(t)
    await post(world, bot)
    const runtime = new BotRuntime(t, world, { key })
    await runtime.next('hello')
    runtime.send({ type: 'ready', instance: 'one', agent: 'test/1', credit: 0 })
    for (let n = 0; n < 4; n += 1) runtime.send({ type: 'weather', forecast: 'x'.repeat(1_048_576) })
    runtime.send({ type: 'heartbeat', bots: [], working: ['first'] })
    runtime.send({ type: 'credit', n: 1 })
    await runtime.next('welcome')
    assert.deepEqual((await runtime.next('heartbeat')).lost, ['first'])
    await runtime.next('dispatch')
  })

  test('our choice: the service stops reading from a runtime that reads no replies, and continues once it does', async (t) => {
    const { world, runtime } = await openLinked(t)
    runtime.socket.pause()
    const working = Array.from({ length: 8_192 }, (_, n) => `${n}`.padEnd(128, 'x'))
    const beat = { type: 'heartbeat', bots: [], working }
    let sent = 0
    for (let taken = true; taken && sent < 100; sent += 1) {
      taken = await Promise.race([runtime.flushed(beat).then(() => true), wait(2_000, false)])
      await world.clock.advance(500)
    }
    assert.ok(sent < 60, `${sent} MiB were accepted`)
    runtime.socket.resume()
    for (let answered = 0; answered < sent; answered += 1) {
      await world.clock.advance(500)
      assert.deepEqual((await runtime.next('heartbeat')).lost, working)
    }
    await runtime.heartbeat()
  })
})
