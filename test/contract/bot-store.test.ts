import assert from 'node:assert/strict'
import { test } from 'node:test'
import { logLevels } from '../../src/domain/bots/runtimes/runtime-logs.ts'
import { onEachDatabase } from '../support/adapters/identity-engines.ts'
import { atOnce, tally } from '../support/together.ts'
import { aBot, ada, aReport, bob, botId, flowId, nowMs, snowflake, withPeople } from './scene.ts'

onEachDatabase('BotStore', withPeople, (open) => {
  const one = botId('one')

  test('of fifty simultaneous putBot calls with the same chat-platform ID, exactly one creates its bot', async (t) => {
    const { bots } = await open(t)
    const outcomes = await atOnce(50, (index) => bots.putBot(botId(`bot-${index}`), aBot(1), nowMs))
    assert.deepEqual(tally(outcomes), { created: 1, 'chat-platform-id-taken': 49 })
  })

  test('concurrent calls of listForHosting each return the bots that they ask for', async (t) => {
    const { bots } = await open(t)
    const two = botId('two')
    for (const [at, id] of [one, two].entries()) await bots.putBot(id, aBot(at + 1), nowMs)
    const asked = [[one, two], [two, 'none', two], [], [one]]
    const found = await Promise.all(asked.map((ids) => bots.listForHosting(ids)))
    const ids = found.map((each) => each.map(({ id }) => id))
    assert.deepEqual(ids, [[one, two], [two, two], [], [one]])
    const again = bots.listForHosting([two])
    await bots.removeBot(two, nowMs)
    await again
    assert.deepEqual(await bots.listForHosting([two]), [])
  })

  test('a deleted bot and its data are found by no query, it accepts none, and its chat-platform ID is free; a new bot with its ID has none of the data', async (t) => {
    const { bots, flows, runtimeLogs, snapshots, statusHistory, ...stores } = await open(t)
    const notice = { text: 'a', setAtMs: 1 }
    const coworker = { userId: bob, role: 'viewer', capabilities: [] } as const
    const fillFlow = () => flows.putFlow(one, flowId('f'), { kind: 'event', name: 'F' }, nowMs)
    const lists = async () => [
      await bots.findCollaborator(one, coworker.userId),
      await flows.listFlows(one, { after: undefined, most: 10 }),
      await runtimeLogs.pageLogs(one, { levels: logLevels, most: 10 }),
    ]
    assert.equal(await bots.putNotice(one, notice), false)
    await bots.putBot(one, aBot(1, { plan: 'pro', publicStatus: true }), nowMs)
    await bots.putCollaborator(one, coworker)
    await bots.putGuilds(one, ['g1'])
    await fillFlow()
    await runtimeLogs.appendLogs([{ botId: one, atMs: 1, level: 'info', message: 'hello' }], 10)
    const snapshot = { ...aReport('one'), reportedAtMs: nowMs, hasLeft: false }
    await snapshots.applySnapshots([{ kind: 'heartbeat', snapshot }], nowMs)
    await bots.putNotice(one, notice)
    const change = { botId: one, subject: 'connection', previous: 'online', state: 'offline', sinceMs: 1 } as const
    await stores.announcements.announce([{ ...change, previous: undefined, state: 'online' }])
    await stores.announcements.announce([change])
    await statusHistory.addToSlot(0, [{ botId: one, figures: { upMs: 300_000, downMs: 0, hostingOffMs: 0 } }])
    await statusHistory.rollUp([one], 1, 0)
    const { slots, days } = (await statusHistory.findHistory(one))!
    const changes = await statusHistory.changesOf(one)
    assert.deepEqual([slots.length, days.length, changes.length], [1, 1, 1])
    assert.equal(await bots.isDeleted(one), false)
    assert.deepEqual([await bots.removeBot(one, nowMs), await bots.removeBot(one, nowMs)], [true, false])
    assert.deepEqual([await bots.isDeleted(one), await bots.isDeleted(botId('never'))], [true, false])
    assert.deepEqual(await lists(), [undefined, [], []])
    for (const found of [
      bots.findBot(one),
      bots.findGuilds(one),
      bots.findPublic({ kind: 'bot-id', id: one }),
      bots.findPublic({ kind: 'chat-platform-id', id: snowflake(1) }),
      flows.findFlow(one, flowId('f')),
      bots.findNotice(one),
      statusHistory.findHistory(one),
    ]) {
      assert.equal(await found, undefined)
    }
    for (const hosted of [null, ada]) assert.deepEqual(await bots.listAllForHosting(hosted), [])
    assert.deepEqual(await bots.listForHosting(['one']), [])
    assert.equal(await bots.putNotice(one, notice), false)
    const outcomes = [await bots.putCollaborator(one, coworker), await bots.putGuilds(one, [])]
    assert.deepEqual(outcomes, ['bot-unknown', 'bot-unknown'])
    assert.deepEqual(await fillFlow(), { kind: 'bot-unknown' })
    assert.equal((await bots.putBot(botId('two'), aBot(1), nowMs)).kind, 'created')
    await bots.removeBot(botId('two'), nowMs)

    const outcome = await bots.putBot(one, aBot(1, { publicStatus: true }), nowMs + 5)
    assert.ok('bot' in outcome)
    assert.deepEqual([outcome.kind, outcome.bot.plan, outcome.bot.createdAtMs], ['created', 'free', nowMs + 5])
    assert.deepEqual([...(await lists()), await bots.findGuilds(one)], [undefined, [], [], []])
    const shown = await bots.findPublic({ kind: 'bot-id', id: one })
    assert.deepEqual([shown?.snapshot, shown?.notice], [undefined, undefined])
    assert.deepEqual(await statusHistory.changesOf(one), [])
    const history = (await statusHistory.findHistory(one))!
    assert.deepEqual([history.slots, history.days, history.bot.knownFrom], [[], [], null])
  })

  test('a coworker who becomes the owner is no longer a coworker', async (t) => {
    const { bots } = await open(t)
    await bots.putBot(one, aBot(1), nowMs)
    assert.equal(await bots.putCollaborator(one, { userId: bob, role: 'viewer', capabilities: ['logs'] }), 'created')
    await bots.putBot(one, aBot(1, { ownerId: bob }), nowMs)
    assert.equal(await bots.findCollaborator(one, bob), undefined)
  })
})
