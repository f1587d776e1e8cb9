import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BotId } from '../../src/domain/ids-and-secrets.ts'
import { BotRuntime, type ListeningBot, makeRuntime, post, provisionListeningBot } from '../support/bot-runtime.ts'
import { eventually } from '../support/eventually.ts'
import { openLinked, openSetting } from './runtime-link-scene.ts'

test('a runtime’s connection is closed with 4008 after 75 s without a text frame, even if pings arrive', async (t) => {
  const { world, runtime } = await openLinked(t)
  await world.clock.advance(74_000)
  runtime.ping()
  runtime.send({ type: 'weather' })
  await runtime.heartbeat()
  await world.clock.advance(74_000)
  runtime.ping()
  await world.clock.advance(1_000)
  assert.equal((await runtime.closed).code, 4008)
})

test('a runtime gets events, and its heartbeats and log entries are stored, only of bots that its session hosts', async (t) => {
  const { world, bot } = await openSetting(t)
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
  const { world, bot, key } = await openSetting(t)
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
  await eventually(async () => ((await online()) === false ? true : undefined))
})

test('our choice: a bot’s log accepts a thousand entries a minute, and the last one says that more were dropped', async (t) => {
  const { world, bot, key } = await openSetting(t)
  const chatty = await provisionListeningBot(world.service, { botId: 'chatty' })
  const { runtime } = await BotRuntime.ready(t, world, key)
  const entry = { level: 'info', at: world.clock.iso() }
  const many = Array.from({ length: 700 }, (_, n) => ({ ...entry, botId: chatty.botId, message: String(n) }))
  runtime.send({ type: 'log', entries: many })
  runtime.send({ type: 'log', entries: many })
  runtime.send({ type: 'log', entries: [{ ...entry, botId: bot.botId, message: 'another bot' }] })
  const messages = async (botId: BotId) => (await world.service.bots.logs.latest(botId)).map(({ message }) => message)
  const logged = (message: string, { botId }: ListeningBot) =>
    eventually(async () => ((await messages(botId)).includes(message) ? true : undefined))
  await logged('another bot', bot)
  const tooMany = 'More than 999 entries in one minute; the rest is omitted.'
  await logged(tooMany, chatty)
  const [last, before] = await messages(chatty.botId)
  assert.equal(last, tooMany)
  assert.equal(before, '298')

  await world.clock.advance(60_000)
  runtime.send({
    type: 'log',
    entries: [{ ...entry, at: world.clock.iso(60_000), botId: chatty.botId, message: 'later' }],
  })
  await logged('later', chatty)
})
