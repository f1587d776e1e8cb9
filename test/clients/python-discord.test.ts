import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeRuntime, post, provisionListeningBot } from '../support/bot-runtime.ts'
import { advanceUntil, eventually } from '../support/eventually.ts'
import { StandInDiscord } from '../support/stand-in-discord.ts'
import { openWorld } from '../support/world.ts'
import { PythonBot } from './python-bot.ts'

const program = join(import.meta.dirname, 'python-discord-bot.py')

test('our choice: the adapter reports the presence of a connected discord.py client and delivers webhooks to the client; earlier webhooks are retried', async (t) => {
  const world = await openWorld(t)
  const listening = await provisionListeningBot(world.service)
  const { key } = await makeRuntime(world)
  const discord = await StandInDiscord.open(t)
  const bot = new PythonBot(t, world, key, { DISCORD_URL: discord.url }, program)
  /** Lets the runtime reconnect, which sends a heartbeat at once, and resolves when it reports this presence. */
  const reports = async (presence: string) => {
    await world.restart()
    return advanceUntil(world.clock, async () => {
      const record = await (await fetch(`${world.baseUrl}/botstatus/${listening.botId}/api`)).json()
      return record.presence === presence && record
    })
  }

  await post(world, listening, 'early')
  const lastError = await eventually(async () => {
    const { events } = await world.service.queue.log.page(listening.botId, {}, { most: 1 })
    return events[0]?.lastError
  })
  assert.equal(lastError, 'the bot is not connected to Discord')

  bot.command('connect')
  await bot.prints('ready')
  await advanceUntil(world.clock, () => bot.count('handled') > 0)
  const [early] = await bot.prints('handled')
  assert.deepEqual(early, { handled: 'early', attempt: 2, user: 'harbor' })
  const { online, guildCount, shardCount } = await reports('idle')
  assert.deepEqual([online, guildCount, shardCount], [true, 1, 1])

  await post(world, listening, 'busy')
  await bot.prints('handled', 2)
  await reports('dnd')
  assert.deepEqual(discord.presences, ['idle', 'dnd'])
  bot.command('leave')
  assert.equal(await bot.exited, 0, bot.log)
})

test('our choice: a discord.py bot is ready while all its shards are connected', async (t) => {
  const world = await openWorld(t)
  await provisionListeningBot(world.service)
  const discord = await StandInDiscord.open(t)
  const env = { DISCORD_URL: discord.url, SHARDED: '1' }
  const bot = new PythonBot(t, world, (await makeRuntime(world)).key, env, program)
  let asked = 0
  /** Resolves once the bot reports this to Gatehouse. */
  const reports = (ready: boolean) =>
    eventually(async () => {
      bot.command('report')
      asked += 1
      const last = (await bot.prints('reported', asked)).at(-1)
      return last?.reported === ready ? last : undefined
      // discord.py waits several seconds before it identifies a shard again.
    }, 60_000)
  bot.command('connect')
  await bot.prints('ready')
  await reports(true)
  discord.losesShard(1)
  assert.deepEqual(await reports(false), { reported: false, is_ready: true })
  discord.returns()
  await reports(true)
  bot.command('leave')
  assert.equal(await bot.exited, 0, bot.log)
})
