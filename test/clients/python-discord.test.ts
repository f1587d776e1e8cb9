import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { startProgram } from '../support/gatehouse-process.ts'
import { python } from '../support/python.ts'
import { openStandInDiscord } from '../support/stand-in-discord.ts'

/** Starts a bot in its own process, with a stand-in for Discord. */
async function startBot(t: TestContext, client: string, shards: number) {
  const discord = await openStandInDiscord(t)
  const program = [python(), join(import.meta.dirname, 'python-discord-bot.py')] as const
  const env = { DISCORD_URL: discord.url, CLIENT: client, SHARD_COUNT: String(shards) }
  const bot = startProgram(t, program, env, { hasInput: true })
  let asked = 0
  return {
    discord,
    /** Lets the bot connect, report its state, or handle a webhook with this ID. Returns its answer. */
    async ask(command: 'connect' | 'report' | `ev${string}`) {
      asked += 1
      bot.write(`${command}\n`)
      const line = new RegExp(`^${asked}: (.*)\n`, 'm')
      await bot.waitForOutput(line)
      return JSON.parse(line.exec(bot.stdout())?.[1] ?? '')
    },
  }
}

for (const [client, shards] of Object.entries({ Client: 1, AutoShardedClient: 2 })) {
  test(`our choice: a discord.py bot (${client}) is ready while all its shards are connected, and handles webhooks only then`, async (t) => {
    const { discord, ask } = await startBot(t, client, shards)
    const notReady = { ready: false, presence: null, uptime_ms: null, guild_count: null, shard_count: null }
    assert.deepEqual(await ask('report'), { ...notReady, is_ready: false })
    assert.equal(await ask('ev-before'), 'the bot is not connected to Discord')

    await ask('connect')
    const { uptime_ms: uptimeMs, ...reported } = await ask('report')
    const ready = { ready: true, presence: 'idle', guild_count: 1, shard_count: shards, is_ready: true }
    assert.deepEqual(reported, ready)
    assert.ok(Number.isInteger(uptimeMs) && uptimeMs >= 0, String(uptimeMs))
    assert.deepEqual(await ask('ev-ready'), ['ev-ready by harbor'])
    assert.equal((await ask('report')).presence, 'dnd')
    assert.deepEqual(discord.presences, [...Array(shards).fill('idle'), ...Array(shards).fill('dnd')])

    discord.losesShard(shards - 1)
    const lost = await eventually(async () => {
      const report = await ask('report')
      return report.ready ? undefined : report
    })
    assert.deepEqual(lost, { ...notReady, is_ready: true }, 'discord.py itself says that it is ready')
    assert.equal(await ask('ev-lost'), 'the bot is not connected to Discord')

    discord.returns()
    await eventually(async () => (await ask('report')).ready || undefined)
    assert.deepEqual(await ask('ev-back'), ['ev-ready by harbor', 'ev-back by harbor'])
  })
}
