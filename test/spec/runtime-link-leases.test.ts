import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { BotId } from '../../src/domain/ids-and-secrets.ts'
import {
  BotRuntime,
  type Frame,
  makeRuntime,
  openHostedBot,
  post,
  provisionListeningBot,
  untilStored,
} from '../support/bot-runtime.ts'
import { eventually } from '../support/eventually.ts'
import { inDatabase } from '../support/world-database.ts'
import { advanceSilently, dispatched, openLinked } from './runtime-link-scene.ts'

describe('Runtime link: leases', () => {
  test('a heartbeat renews every lease that it lists; another key’s session with the same instance name doesn’t end this one', async (t) => {
    const { world, bot, runtime } = await openLinked(t)
    await post(world, bot)
    const { delivery } = await runtime.next('dispatch')
    await BotRuntime.ready(t, world, (await makeRuntime(world)).key)
    await advanceSilently(world, 600_000, runtime, [delivery])
    assert.deepEqual(await runtime.heartbeat([delivery]), { type: 'heartbeat', now: world.clock.nowMs(), lost: [] })
  })

  test('a runtime that reconnects within 10 s keeps the deliveries it lists in `working`, up to its credit, and their leases are renewed', async (t) => {
    const { world, bot, key, runtime } = await openLinked(t, { credit: 2 })
    await post(world, bot, 'kept')
    await post(world, bot, 'dropped')
    const [kept, dropped] = (await runtime.deliveries(2)) as [Frame, Frame]
    await world.clock.advance(60_000)
    await runtime.heartbeat()
    await world.clock.advance(24_000)
    await runtime.crash()
    await world.clock.advance(5_000)
    const again = await BotRuntime.ready(t, world, key, { credit: 1, working: [kept.delivery, 'ev1-1'] })
    assert.deepEqual(again.welcome.lost, ['ev1-1'])
    await advanceSilently(world, 30_000, again.runtime, [kept.delivery])
    assert.deepEqual((await again.runtime.heartbeat([kept.delivery])).lost, [])
    again.runtime.send({ type: 'ack', deliveries: [kept.delivery] })
    const second = await dispatched(world, again.runtime)
    assert.deepEqual([second.id, second.attempt], [dropped.id, 2])
  })

  test('leases survive a restart of the service: leases listed in `working` are kept, other events are redelivered after 10 s', async (t) => {
    const { world, bot, key, runtime } = await openLinked(t, { credit: 1 })
    await post(world, bot, 'kept')
    const kept = await runtime.next('dispatch')
    const { runtime: gone } = await BotRuntime.ready(t, world, key, { instance: 'gone', credit: 1 })
    await post(world, bot, 'dropped')
    const dropped = await gone.next('dispatch')
    await world.restart()
    const { runtime: other } = await BotRuntime.ready(t, world, key, { instance: 'other' })
    const again = await BotRuntime.ready(t, world, key, { working: [kept.delivery], bots: [] })
    assert.deepEqual(again.welcome.lost, [])
    await advanceSilently(world, 9_000, other)
    const second = await dispatched(world, other)
    assert.deepEqual([second.id, second.attempt], [dropped.id, 2])
    assert.deepEqual((await again.runtime.heartbeat([kept.delivery])).lost, [])
  })

  test('our choice: a delivery that a reconnecting runtime does not list counts as failed from the moment the connection was lost', async (t) => {
    const { world, bot, key, runtime } = await openLinked(t)
    await post(world, bot)
    const first = await runtime.next('dispatch')
    await runtime.crash()
    await eventually(() => (world.logs().includes('runtime connection lost') ? true : undefined))
    const lostAtMs = world.clock.nowMs()
    await world.clock.advance(1_000)
    const again = await BotRuntime.ready(t, world, key)
    await advanceSilently(world, 3_999, again.runtime)
    const second = await dispatched(world, again.runtime)
    assert.deepEqual([second.id, second.attempt], [first.id, 2])
    const event = await world.service.queue.log.find(bot.botId, first.id)
    assert.equal(event?.history[0]?.endedAtMs, lostAtMs)
  })

  test('our choice: while its connection closes, a runtime gets no events, so no attempt is counted', async (t) => {
    const { world, bot, key, runtime } = await openLinked(t)
    runtime.socket.pause()
    runtime.send('x'.repeat(2 * 1_048_576 + 1))
    await eventually(() => world.logs().includes('runtime connection error') || undefined)
    await post(world, bot)
    const again = await BotRuntime.ready(t, world, key)
    assert.equal((await dispatched(world, again.runtime)).attempt, 1)
  })

  test('nack with retryMs redelivers the event after that time, in whole milliseconds, as another delivery', async (t) => {
    const { world, bot, runtime } = await openLinked(t)
    await post(world, bot)
    const first = await runtime.next('dispatch')
    runtime.send({ type: 'nack', delivery: first.delivery, retryMs: 20_000.25 })
    await untilStored(world, bot.botId, first.id)
    await advanceSilently(world, 19_999, runtime)
    const second = await dispatched(world, runtime)
    assert.deepEqual([second.id, second.attempt, second.delivery === first.delivery], [first.id, 2, false])
  })
})

test('a runtime’s connection is closed with 4008 after 75 s without a text frame, even if pings arrive', async (t) => {
  const { world, runtime } = await openLinked(t)
  await world.clock.advance(74_000)
  runtime.socket.ping()
  runtime.send({ type: 'weather' })
  await runtime.heartbeat()
  await world.clock.advance(74_000)
  runtime.socket.ping()
  await world.clock.advance(1_000)
  assert.equal((await runtime.closed).code, 4008)
})

test('a runtime gets events, and its heartbeats and log entries are stored, only of bots that its session hosts', async (t) => {
  const { world, bot } = await openHostedBot(t)
  const other = await provisionListeningBot(world.service, { botId: 'other' })
  const { runtime } = await BotRuntime.ready(t, world, (await makeRuntime(world, [bot.botId])).key)
  for (const each of [other, bot]) await post(world, each)
  const both = (member: object) => [bot, other].map(({ botId }) => ({ botId, ...member }))
  const at = world.clock.iso(-1_500)
  runtime.send({ type: 'log', entries: both({ level: 'warn', message: 'low on tea', at }) })
  // Our choice: a fractional uptime is rounded down to whole milliseconds.
  const report = { ready: true, presence: 'dnd', uptimeMs: 5_000.75, guildCount: 3, shardCount: 1 }
  runtime.send({ type: 'heartbeat', bots: both(report), working: [] })
  assert.equal((await runtime.nextOfType('dispatch')).botId, bot.botId)
  await runtime.nextOfType('heartbeat')
  assert.deepEqual(runtime.unread, [])
  const { bots, clock } = world.service
  const reported = (await bots.statusBoard.find(bot.botId))?.status
  const shown = { online: true, presence: 'dnd', uptimeMs: 5_000, guildCount: 3, reportedAt: clock.nowMs() }
  assert.partialDeepStrictEqual(reported, shown)
  assert.equal((await bots.statusBoard.find(other.botId))?.status.online, false)
  const logs = await eventually(async () => {
    const found = await bots.logs.latest(bot.botId)
    return found.length > 0 ? found : undefined
  })
  const logged = { botId: bot.botId, level: 'warn', message: 'low on tea', atMs: Date.parse(at) }
  assert.partialDeepStrictEqual([logs.length, logs[0]], [1, logged])
  assert.deepEqual(await bots.logs.latest(other.botId), [])
})

test('bye takes a bot offline immediately; a lost socket does not take it offline', async (t) => {
  const { world, bot, key } = await openHostedBot(t)
  const report = { botId: bot.botId, ready: true, presence: null, uptimeMs: null, guildCount: null, shardCount: null }
  const { runtime } = await BotRuntime.ready(t, world, key)
  await runtime.heartbeat([], [report])
  await runtime.crash()
  await world.clock.advance(20_000)
  const online = async () => (await world.service.bots.statusBoard.find(bot.botId))?.status.online
  assert.equal(await online(), true)
  const again = await BotRuntime.ready(t, world, key)
  again.runtime.send({ type: 'bye' })
  await again.runtime.closed
  assert.equal(await online(), false)
  // Stored at once, so that a crash doesn't make the bot online again.
  await eventually(async () => {
    const [stored] = await inDatabase(world, 'identity', 'SELECT has_left FROM snapshots')
    return Number(stored?.has_left) === 1 || undefined
  })
})

test('our choice: a bot’s log accepts a thousand entries a minute, and the last one says that more were dropped', async (t) => {
  const { world, bot, key } = await openHostedBot(t)
  const { botId } = await provisionListeningBot(world.service, { botId: 'chatty' })
  const { runtime } = await BotRuntime.ready(t, world, key)
  const log = (of: BotId, ...messages: string[]) => {
    const at = new Date(world.clock.nowMs()).toISOString()
    runtime.send({ type: 'log', entries: messages.map((message) => ({ botId: of, level: 'info', at, message })) })
  }
  const latest = async (of: BotId) => (await world.service.bots.logs.latest(of)).map(({ message }) => message)
  const logged = (of: BotId, message: string) =>
    eventually(async () => (await latest(of)).includes(message) || undefined)
  const many = Array.from({ length: 700 }, (_, n) => String(n))
  log(botId, ...many)
  log(botId, ...many)
  log(bot.botId, 'another bot')
  await logged(bot.botId, 'another bot')
  const tooMany = 'More than 999 entries in one minute; the rest is omitted.'
  await logged(botId, tooMany)
  assert.deepEqual((await latest(botId)).slice(0, 2), [tooMany, '298'])
  await world.clock.advance(60_000)
  log(botId, 'later')
  await logged(botId, 'later')
})
