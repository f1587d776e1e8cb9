import assert from 'node:assert/strict'
import { test } from 'node:test'
import { logLevels } from '../../src/domain/bots/runtimes/runtime-logs.ts'
import { onEachDatabase } from '../support/adapters/identity-engines.ts'
import { atOnce, tally } from '../support/together.ts'
import { aBot, aReport, botId, flowId, nowMs, snowflake, userId, withPeople } from './bot-stores.ts'

onEachDatabase('BotStore', withPeople, (open) => {
  const one = botId('one')

  test('of fifty simultaneous putBot calls with the same chat-platform ID, exactly one creates its bot', async (t) => {
    const { bots } = await open(t)
    const outcomes = await atOnce(50, (index) => bots.putBot(botId(`bot-${index}`), aBot(1), nowMs))
    assert.deepEqual(tally(outcomes), { created: 1, 'chat-platform-id-taken': 49 })
  })

  test('a deleted bot and its data are not found by any query, and a second deletion returns false', async (t) => {
    const { bots, flows, runtimeLogs } = await open(t)
    await bots.putBot(one, aBot(1, { publicStatus: true }), nowMs)
    await bots.putCollaborator(one, { userId: userId('bob'), role: 'viewer', capabilities: [] })
    await bots.putGuilds(one, ['g1'])
    await flows.putFlow(one, flowId('f'), { kind: 'event', name: 'F' }, nowMs)
    await runtimeLogs.appendLogs([{ botId: one, atMs: 1, level: 'info', message: 'hello' }], 10)
    assert.equal(await bots.isDeleted(one), false)
    assert.equal(await bots.removeBot(one, nowMs), true)
    assert.equal(await bots.removeBot(one, nowMs), false)
    assert.deepEqual([await bots.isDeleted(one), await bots.isDeleted(botId('never'))], [true, false])
    assert.equal(await bots.findBot(one), undefined)
    assert.equal(await bots.findCollaborator(one, userId('bob')), undefined)
    assert.equal(await bots.findGuilds(one), undefined)
    assert.equal(await bots.findPublic({ kind: 'bot-id', id: one }), undefined)
    assert.equal(await bots.findPublic({ kind: 'chat-platform-id', id: snowflake(1) }), undefined)
    assert.deepEqual(await bots.listForHosting(['one']), [])
    assert.deepEqual(await bots.listAllForHosting(null), [])
    assert.deepEqual(await bots.listAllForHosting(userId('ada')), [])
    assert.deepEqual(await flows.listFlows(one, { after: undefined, most: 10 }), [])
    assert.equal(await flows.findFlow(one, flowId('f')), undefined)
    assert.deepEqual(await runtimeLogs.pageLogs(one, { levels: logLevels, most: 10 }), [])
  })

  test('concurrent calls of listForHosting each return the bots that they ask for', async (t) => {
    const { bots } = await open(t)
    const two = botId('two')
    for (const [at, id] of [one, two].entries()) await bots.putBot(id, aBot(at + 1), nowMs)
    const asked = [[one, two], [two, 'none', two], [], [one]]
    const found = await Promise.all(asked.map((ids) => bots.listForHosting(ids)))
    assert.deepEqual(
      found.map((each) => each.map(({ id }) => id)),
      [[one, two], [two, two], [], [one]],
    )
    const again = bots.listForHosting([two])
    await bots.removeBot(two, nowMs)
    await again
    assert.deepEqual(await bots.listForHosting([two]), [])
  })

  test('a deleted bot accepts no coworkers, servers or flows, and its chat-platform ID can be used again', async (t) => {
    const { bots, flows } = await open(t)
    await bots.putBot(one, aBot(1), nowMs)
    await bots.removeBot(one, nowMs)
    const coworker = { userId: userId('bob'), role: 'viewer', capabilities: [] } as const
    assert.equal(await bots.putCollaborator(one, coworker), 'bot-unknown')
    assert.equal(await bots.putGuilds(one, []), 'bot-unknown')
    const flow = await flows.putFlow(one, flowId('f'), { kind: 'event', name: 'F' }, nowMs)
    assert.deepEqual(flow, { kind: 'bot-unknown' })
    assert.equal((await bots.putBot(botId('two'), aBot(1), nowMs)).kind, 'created')
  })

  test('putBot with the ID of a deleted bot creates a new bot without the old bot’s data', async (t) => {
    const { bots, flows, runtimeLogs, snapshots, statusNotices, statusHistory, ...stores } = await open(t)
    const notice = { text: 'a', setAtMs: 1 }
    assert.equal(await statusNotices.putNotice(one, notice), false)
    await bots.putBot(one, aBot(1, { plan: 'pro', publicStatus: true }), nowMs)
    await bots.putCollaborator(one, { userId: userId('bob'), role: 'viewer', capabilities: [] })
    await bots.putGuilds(one, ['g1'])
    await flows.putFlow(one, flowId('f'), { kind: 'event', name: 'F' }, nowMs)
    await runtimeLogs.appendLogs([{ botId: one, atMs: 1, level: 'info', message: 'hello' }], 10)
    const snapshot = { ...aReport('one'), reportedAtMs: nowMs, hasLeft: false }
    await snapshots.applySnapshots([{ kind: 'heartbeat', snapshot }], nowMs)
    await statusNotices.putNotice(one, notice)
    const change = { botId: one, subject: 'connection', previous: 'online', state: 'offline', sinceMs: 1 } as const
    await stores.announcements.announce([{ ...change, previous: undefined, state: 'online' }])
    await stores.announcements.announce([change])
    await statusHistory.addToSlot(0, [{ botId: one, figures: { upMs: 300_000, downMs: 0, hostingOffMs: 0 } }])
    await statusHistory.rollUp([one], 1, 0)
    const { slots, days } = (await statusHistory.findHistory(one))!
    const changes = await stores.statusChanges.changesOf(one)
    assert.deepEqual([slots.length, days.length, changes.length], [1, 1, 1])
    await bots.removeBot(one, nowMs)
    assert.equal(await statusNotices.putNotice(one, notice), false)
    assert.equal(await statusNotices.findNotice(one), undefined)
    assert.equal(await statusHistory.findHistory(one), undefined)

    const outcome = await bots.putBot(one, aBot(1, { publicStatus: true }), nowMs + 5)
    assert.ok('bot' in outcome)
    assert.deepEqual([outcome.kind, outcome.bot.plan, outcome.bot.createdAtMs], ['created', 'free', nowMs + 5])
    assert.equal(await bots.findCollaborator(one, userId('bob')), undefined)
    assert.deepEqual(await bots.findGuilds(one), [])
    assert.deepEqual(await flows.listFlows(one, { after: undefined, most: 10 }), [])
    assert.deepEqual(await runtimeLogs.pageLogs(one, { levels: logLevels, most: 10 }), [])
    const shown = await bots.findPublic({ kind: 'bot-id', id: one })
    assert.deepEqual([shown?.snapshot, shown?.notice], [undefined, undefined])
    assert.deepEqual(await stores.statusChanges.changesOf(one), [])
    const history = (await statusHistory.findHistory(one))!
    assert.deepEqual([history.slots, history.days, history.bot.knownFrom], [[], [], null])
  })

  test('a coworker who becomes the owner is no longer a coworker', async (t) => {
    const { bots } = await open(t)
    await bots.putBot(one, aBot(1), nowMs)
    const bob = { userId: userId('bob'), role: 'viewer', capabilities: ['logs'] } as const
    assert.equal(await bots.putCollaborator(one, bob), 'created')
    await bots.putBot(one, aBot(1, { ownerId: bob.userId }), nowMs)
    assert.equal(await bots.findCollaborator(one, bob.userId), undefined)
  })
})
