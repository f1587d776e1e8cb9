import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { parseChatPlatformId } from '../../src/domain/ids.ts'
import { userinfoGuildIdsMax, userinfoListMax, userinfoLogsMax } from '../../src/domain/limits/limits.ts'
import type { ProfileParts } from '../../src/domain/profile/profile.ts'
import { onEachDatabase } from '../support/adapters/identity-engines.ts'
import { aBot, aReport, botId, flowId, nowMs, snowflake, userId, withPeople } from './bot-stores.ts'

const nothing: ProfileParts = {
  botCount: false,
  bots: false,
  flows: false,
  guilds: false,
  logs: false,
  coworkers: false,
}
const everything: ProfileParts = { botCount: true, bots: true, flows: true, guilds: true, logs: true, coworkers: true }

onEachDatabase('ProfileStore', withPeople, (open) => {
  /**
   * Opens stores in which Ada owns `first` and a deleted bot, and is an editor of Bob's `second`. She has no role in
   * Bob's `other`.
   */
  async function openProfiles(t: TestContext) {
    const stores = await open(t)
    const { bots } = stores
    const bob = { ownerId: userId('bob') }
    await bots.putBot(botId('first'), aBot(1), nowMs)
    await bots.putBot(botId('second'), aBot(2, bob), nowMs + 1)
    await bots.putBot(botId('other'), aBot(3, bob), nowMs + 2)
    await bots.putBot(botId('deleted'), aBot(4), nowMs + 3)
    await bots.putCoworker(botId('second'), { userId: userId('ada'), role: 'editor', capabilities: ['flows'] })
    await bots.putCoworker(botId('first'), { userId: userId('cleo'), role: 'viewer', capabilities: [] })
    await bots.putCoworker(botId('deleted'), { userId: userId('cleo'), role: 'viewer', capabilities: [] })
    await bots.removeBot(botId('deleted'), nowMs + 4)
    return stores
  }

  test('a profile contains the user and only the requested parts', async (t) => {
    const { profiles, users } = await openProfiles(t)
    const change = { name: 'Ada', chatPlatformId: snowflake(50), codeHostingId: 'ada-codes' }
    await users.putUser(userId('ada'), change, nowMs)
    assert.deepEqual(await profiles.readProfile(userId('ada'), nothing), {
      name: 'Ada',
      email: null,
      emailVerified: false,
      chatPlatformId: snowflake(50),
      hasCodeHosting: true,
      hasPasskey: false,
      botCount: 0,
      bots: [],
      flows: [],
      guilds: [],
      logs: [],
      coworkers: [],
    })
    assert.equal(await profiles.readProfile(userId('nobody'), everything), undefined)
  })

  test('a profile lists the bots on which the user has a role, oldest first, with role and snapshot, without deleted bots', async (t) => {
    const { profiles, bots, snapshots } = await openProfiles(t)
    const snapshot = { ...aReport('second'), reportedAtMs: nowMs, hasLeft: false }
    await snapshots.applySnapshots([{ kind: 'heartbeat', snapshot }])
    const reading = await profiles.readProfile(userId('ada'), everything)
    assert.equal(reading?.botCount, 2)
    assert.deepEqual(reading?.bots, [
      { bot: await bots.findBot(botId('first')), role: 'owner', snapshot: undefined },
      { bot: await bots.findBot(botId('second')), role: 'editor', snapshot },
    ])
  })

  test('a profile lists the flows and servers of the user’s bots', async (t) => {
    const { profiles, bots, flows } = await openProfiles(t)
    for (const id of ['first', 'second', 'other']) {
      await flows.putFlow(botId(id), flowId('f'), { kind: 'timer', name: `Of ${id}` }, nowMs)
    }
    await bots.putGuilds(botId('second'), ['g1', 'g2'])
    await bots.putGuilds(botId('other'), ['g3'])
    const reading = await profiles.readProfile(userId('ada'), everything)
    assert.deepEqual(
      reading?.flows.map((flow) => ({ ...flow })),
      [
        { botId: 'first', kind: 'timer', name: 'Of first', publicCode: null },
        { botId: 'second', kind: 'timer', name: 'Of second', publicCode: null },
      ],
    )
    assert.deepEqual(reading?.guilds, [
      { botId: 'first', guildIds: [] },
      { botId: 'second', guildIds: ['g1', 'g2'] },
    ])
  })

  test('a profile lists the newest hundred log entries across all of the user’s bots, newest first', async (t) => {
    const { profiles, runtimeLogs } = await openProfiles(t)
    const entries = Array.from({ length: 150 }, (_, index) => ({
      botId: botId(index % 2 === 0 ? 'first' : 'second'),
      atMs: index,
      level: 'info' as const,
      message: `entry ${index}`,
    }))
    await runtimeLogs.appendLogs([...entries, { ...entries[0]!, botId: botId('other'), atMs: 1_000 }], 1_000)
    const reading = await profiles.readProfile(userId('ada'), everything)
    assert.deepEqual(reading?.logs, entries.toReversed().slice(0, userinfoLogsMax))
  })

  test('each list in a profile contains at most the oldest thousand entries, and server IDs are limited across all bots', async (t) => {
    const { profiles, bots, flows } = await openProfiles(t)
    const more = Array.from({ length: userinfoListMax }, (_, at) => at)
    // Writes one at a time, because concurrent writers would conflict and take longer.
    for (const at of more) {
      const chatPlatformId = parseChatPlatformId(`20000000000000${String(at).padStart(4, '0')}`)!
      await bots.putBot(botId(`more-${at}`), { ...aBot(0), chatPlatformId }, nowMs + 10 + at)
    }
    for (const at of [...more, userinfoListMax]) {
      const id = flowId(`f-${String(at).padStart(4, '0')}`)
      await flows.putFlow(botId('first'), id, { kind: 'timer', name: 'F' }, nowMs)
    }
    const servers = Array.from({ length: userinfoGuildIdsMax - 1 }, (_, at) => `g${at}`)
    await bots.putGuilds(botId('first'), servers)
    await bots.putGuilds(botId('second'), ['fits', 'too many'])
    await bots.putGuilds(botId('more-0'), ['too many'])

    const reading = await profiles.readProfile(userId('ada'), everything)
    assert.equal(reading?.botCount, userinfoListMax + 2, 'the count is whole')
    assert.equal(reading?.bots.length, userinfoListMax)
    assert.deepEqual(
      reading?.bots.slice(0, 3).map(({ bot }) => bot.id),
      ['first', 'second', 'more-0'],
    )
    assert.equal(reading?.flows.length, userinfoListMax)
    const guilds = new Map(reading?.guilds.map(({ botId, guildIds }) => [botId as string, guildIds]))
    assert.deepEqual([guilds.get('first'), guilds.get('second'), guilds.get('more-0')], [servers, ['fits'], []])
  })

  test('a profile is a consistent snapshot, whatever is written concurrently', async (t) => {
    const { profiles, bots, flows } = await openProfiles(t)
    for (let round = 0; round < 20; round += 1) {
      const id = botId(`round-${round}`)
      const chatPlatformId = snowflake(20 + round)
      await bots.putBot(id, { ...aBot(0), chatPlatformId }, nowMs + round)
      await flows.putFlow(id, flowId('f'), { kind: 'timer', name: 'F' }, nowMs)
      const read = () => profiles.readProfile(userId('ada'), everything)
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
        assert.equal(
          reading?.guilds.some((entry) => entry.botId === id),
          there,
        )
        assert.equal(
          reading?.flows.some((entry) => entry.botId === id),
          there,
        )
      }
      assert.equal(
        readings.at(-1)?.bots.some(({ bot }) => bot.id === id),
        false,
      )
    }
  })

  test('a profile lists the coworkers on the bots that the user owns', async (t) => {
    const { profiles } = await openProfiles(t)
    const coworkers = async (user: string) => (await profiles.readProfile(userId(user), everything))?.coworkers
    assert.deepEqual(await coworkers('ada'), [
      { botId: 'first', userId: 'cleo', name: 'Cleo', role: 'viewer', capabilities: [] },
    ])
    assert.deepEqual(await coworkers('bob'), [
      { botId: 'second', userId: 'ada', name: 'Ada', role: 'editor', capabilities: ['flows'] },
    ])
    assert.deepEqual(await coworkers('cleo'), [])
  })
})
