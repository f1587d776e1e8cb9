import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { Client, Events } from 'discord.js'
import { discordReports, discordWebhooks } from '../../clients/typescript/src/discord.ts'
import { eventually } from '../support/eventually.ts'
import { openStandInDiscord } from '../support/stand-in-discord.ts'

test('our choice: a discord.js bot is ready while all its shards are connected, and handles webhooks only then', async (t) => {
  const discord = await openStandInDiscord(t)
  const client = new Client({ intents: [], shards: [0, 1], shardCount: 2, rest: { api: `${discord.url}/api` } })
  t.after(() => client.destroy())
  client.on(Events.ShardError, () => {})
  const report = discordReports(() => client)
  const handled: string[] = []
  const handle = discordWebhooks(
    () => client,
    (_client, event) => handled.push(event.id),
  )
  const webhook = (id: string) => handle({ id, botId: 'greeter' } as never, {} as never)
  assert.deepEqual(report('greeter'), { ready: false })
  assert.throws(() => webhook('before'), /the bot is not connected to Discord/)

  const ready = once(client, Events.ClientReady)
  await client.login('a.b.c')
  await ready
  const { uptimeMs, ...reported } = report('greeter') ?? assert.fail()
  assert.deepEqual(reported, { ready: true, presence: 'online', guildCount: 1, shardCount: 2 })
  assert.ok(uptimeMs !== undefined && uptimeMs !== null && uptimeMs >= 0)
  webhook('ready')

  discord.losesShard(1)
  await eventually(() => (report('greeter')?.ready === false ? true : undefined))
  assert.equal(client.isReady(), true, 'discord.js itself says that it is ready')
  assert.deepEqual(report('greeter'), { ready: false })
  assert.throws(() => webhook('lost'), /the bot is not connected to Discord/)

  discord.returns()
  await eventually(() => report('greeter')?.ready || undefined)
  webhook('back')
  assert.deepEqual(handled, ['ready', 'back'])
})
