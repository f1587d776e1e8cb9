import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { parseChatPlatformId } from '../../src/domain/ids-and-secrets.ts'
import * as limits from '../../src/domain/limits/limits.ts'
import type { ProfileParts } from '../../src/domain/profile/profile.ts'
import { onEachDatabase } from '../support/adapters/identity-engines.ts'
import { aBot, ada, bob, botId, cleo, flowId, nowMs, snowflake, withPeople } from './scene.ts'

const everything: ProfileParts = { botCount: true, bots: true, flows: true, guilds: true, logs: true, coworkers: true }

onEachDatabase('ProfileStore', withPeople, (open) => {
  /**
   * Opens stores in which Ada owns `first` and a deleted bot, and is an editor of Bob's `second`. She has no role in
   * Bob's `other`.
   */
  async function openProfiles(t: TestContext) {
    const stores = await open(t)
    const { bots } = stores
    await bots.putBot(botId('first'), aBot(1), nowMs)
    await bots.putBot(botId('second'), aBot(2, { ownerId: bob }), nowMs + 1)
    await bots.putBot(botId('other'), aBot(3, { ownerId: bob }), nowMs + 2)
    await bots.putBot(botId('deleted'), aBot(4), nowMs + 3)
    await bots.putCollaborator(botId('second'), { userId: ada, role: 'editor', capabilities: ['flows'] })
    await bots.putCollaborator(botId('first'), { userId: cleo, role: 'viewer', capabilities: [] })
    await bots.putCollaborator(botId('deleted'), { userId: cleo, role: 'viewer', capabilities: [] })
    await bots.removeBot(botId('deleted'), nowMs + 4)
    return stores
  }

  test('each list in a profile contains at most the oldest thousand entries, and server IDs are limited across all bots', async (t) => {
    const { profiles, bots, flows } = await openProfiles(t)
    const more = Array.from({ length: limits.userinfoListMax }, (_, at) => at)
    // Writes one at a time, because concurrent writers would conflict and take longer.
    for (const at of more) {
      const chatPlatformId = parseChatPlatformId(`20000000000000${String(at).padStart(4, '0')}`)!
      await bots.putBot(botId(`more-${at}`), { ...aBot(0), chatPlatformId }, nowMs + 10 + at)
    }
    for (const at of [...more, limits.userinfoListMax]) {
      const id = flowId(`f-${String(at).padStart(4, '0')}`)
      await flows.putFlow(botId('first'), id, { kind: 'timer', name: 'F' }, nowMs)
    }
    const servers = Array.from({ length: limits.userinfoGuildIdsMax - 1 }, (_, at) => `g${at}`)
    await bots.putGuilds(botId('first'), servers)
    await bots.putGuilds(botId('second'), ['fits', 'too many'])
    await bots.putGuilds(botId('more-0'), ['too many'])

    const reading = await profiles.readProfile(ada, everything)
    assert.equal(reading?.botCount, limits.userinfoListMax + 2, 'the count is whole')
    assert.equal(reading?.bots.length, limits.userinfoListMax)
    const ids = reading?.bots.slice(0, 3).map(({ bot }) => bot.id)
    assert.deepEqual(ids, ['first', 'second', 'more-0'])
    assert.equal(reading?.flows.length, limits.userinfoListMax)
    const guilds = new Map(reading?.guilds.map(({ botId, guildIds }) => [botId as string, guildIds]))
    assert.deepEqual([guilds.get('first'), guilds.get('second'), guilds.get('more-0')], [servers, ['fits'], []])
  })

  test('a profile is a consistent snapshot without deleted bots, whatever is written concurrently', async (t) => {
    const { profiles, bots, flows, runtimeLogs } = await openProfiles(t)
    for (let round = 0; round < 20; round += 1) {
      const id = botId(`round-${round}`)
      const chatPlatformId = snowflake(20 + round)
      await bots.putBot(id, { ...aBot(0), chatPlatformId }, nowMs + round)
      await flows.putFlow(id, flowId('f'), { kind: 'timer', name: 'F' }, nowMs)
      await runtimeLogs.appendLogs([{ botId: id, atMs: nowMs, level: 'info', message: 'x' }], 10)
      const read = () => profiles.readProfile(ada, everything)
      const early = [read(), read()]
      const removal = bots.removeBot(id, nowMs + 100)
      const readings = await Promise.all([
        ...early,
        ...Array.from({ length: 5 }, async () => read()),
        removal.then(read),
      ])
      for (const reading of readings) {
        const there = reading?.bots.some(({ bot }) => bot.id === id)
        assert.equal(reading?.botCount, reading?.bots.length)
        for (const list of [reading?.guilds, reading?.flows, reading?.logs]) {
          const listed = list?.some(({ botId }) => botId === id)
          assert.equal(listed, there)
        }
      }
      const isListed = readings.at(-1)?.bots.some(({ bot }) => bot.id === id)
      assert.equal(isListed, false)
    }
  })
})
