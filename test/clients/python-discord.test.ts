import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { makeRuntime, post, provisionListeningBot } from '../support/bot-runtime.ts'
import { advanceUntil, eventually } from '../support/eventually.ts'
import { ended, startProgram } from '../support/gatehouse-process.ts'
import { python } from '../support/python.ts'
import { StandInDiscord } from '../support/stand-in-discord.ts'
import { openWorld, type World } from '../support/world.ts'

/** Starts the bot in its own process, with a stand-in for Discord. Returns functions to command it. */
async function startBot(t: TestContext, world: World, more: Record<string, string> = {}) {
  const discord = await StandInDiscord.open(t)
  const { key } = await makeRuntime(world)
  const gatehouse = { GATEHOUSE_URL: world.apiUrl, GATEHOUSE_RUNTIME_KEY: key }
  const program = [python(), join(import.meta.dirname, 'python-discord-bot.py')] as const
  const env = { DISCORD_URL: discord.url, ...gatehouse, ...more }
  const bot = startProgram(t, program, env, { hasInput: true })
  const command = (word: 'leave' | 'connect' | 'report') => bot.write(`${word}\n`)
  /** Returns the objects with this member that the bot has printed, each on a line. */
  const printed = (member: string): Record<string, unknown>[] => {
    const lines = bot.stdout().split('\n').slice(0, -1)
    return lines.map((line) => JSON.parse(line)).filter((line) => member in line)
  }
  return {
    discord,
    command,
    printed,
    /** Resolves once the bot has printed `count` objects with this member. */
    prints: (member: string, count = 1) =>
      eventually(() => (printed(member).length >= count ? printed(member) : undefined)).catch((cause) => {
        throw new Error(`the bot did not print "${member}" ${count} times; its log: ${bot.stderr()}`, { cause })
      }),
    async leaves() {
      command('leave')
      await ended(bot, 0)
    },
  }
}

test('our choice: the adapter reports the presence of a connected discord.py client and delivers webhooks to the client; earlier webhooks are retried', async (t) => {
  const world = await openWorld(t)
  const listening = await provisionListeningBot(world.service)
  const bot = await startBot(t, world)
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
  await advanceUntil(world.clock, () => bot.printed('handled').length > 0)
  const [early] = await bot.prints('handled')
  assert.deepEqual(early, { handled: 'early', attempt: 2, user: 'harbor' })
  const { online, guildCount, shardCount } = await reports('idle')
  assert.deepEqual([online, guildCount, shardCount], [true, 1, 1])

  await post(world, listening, 'busy')
  await bot.prints('handled', 2)
  await reports('dnd')
  assert.deepEqual(bot.discord.presences, ['idle', 'dnd'])
  await bot.leaves()
})

test('our choice: a discord.py bot is ready while all its shards are connected', async (t) => {
  const world = await openWorld(t)
  await provisionListeningBot(world.service)
  const bot = await startBot(t, world, { SHARDED: '1' })
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
  bot.discord.losesShard(1)
  assert.deepEqual(await reports(false), { reported: false, is_ready: true })
  bot.discord.returns()
  await reports(true)
  await bot.leaves()
})
