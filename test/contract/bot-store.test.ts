import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../support/adapters/identity-engines.ts'
import { aBot, aReport, botId, flowId, nowMs, snowflake, userId, withPeople } from './bot-stores.ts'

onEachDatabase('BotStore', withPeople, (open) => {
  const one = botId('one')

  test('putBot creates a bot with defaults, then changes it: omitted fields are kept, null clears them', async (t) => {
    const { bots } = await open(t)
    const fresh = {
      id: 'one',
      ownerId: 'ada',
      name: 'Bot 1',
      chatPlatformId: snowflake(1),
      avatar: null,
      plan: 'free',
      hostingEnabled: false,
      hostingLocation: null,
      publicStatus: false,
      createdAtMs: nowMs,
    }
    assert.deepEqual(await bots.putBot(one, aBot(1), nowMs), { kind: 'created', bot: fresh })
    const whole = {
      avatar: 'https://a.example/p.png',
      plan: 'pro',
      hostingEnabled: true,
      hostingLocation: 'cloud',
      publicStatus: true,
    } as const
    const changed = { ...fresh, ...whole, name: 'New', ownerId: 'bob' }
    const change = aBot(1, { ...whole, name: 'New', ownerId: userId('bob') })
    assert.deepEqual(await bots.putBot(one, change, nowMs + 1), { kind: 'changed', bot: changed, before: fresh })
    const again = aBot(1, { ownerId: userId('bob'), name: 'New' })
    assert.deepEqual(await bots.putBot(one, again, nowMs + 2), { kind: 'changed', bot: changed, before: changed })
    assert.deepEqual(await bots.findBot(one), changed)
    const cleared = await bots.putBot(one, { ...again, avatar: null, hostingLocation: null }, nowMs + 3)
    const clear = { ...changed, avatar: null, hostingLocation: null }
    assert.deepEqual(cleared, { kind: 'changed', bot: clear, before: changed })
  })

  test('putBot refuses an unknown owner and a taken chat-platform ID, and stores nothing', async (t) => {
    const { bots } = await open(t)
    await bots.putBot(one, aBot(1), nowMs)
    const unowned = await bots.putBot(botId('two'), aBot(2, { ownerId: userId('nobody') }), nowMs)
    assert.deepEqual(unowned, { kind: 'owner-unknown' })
    const taken = await bots.putBot(botId('two'), aBot(1), nowMs)
    assert.deepEqual(taken, { kind: 'chat-platform-id-taken' })
    assert.equal(await bots.findBot(botId('two')), undefined)
  })

  test('of fifty simultaneous putBot calls with the same chat-platform ID, exactly one creates its bot', async (t) => {
    const { bots } = await open(t)
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, index) => bots.putBot(botId(`bot-${index}`), aBot(1), nowMs)),
    )
    assert.equal(outcomes.filter(({ kind }) => kind === 'created').length, 1)
    assert.equal(outcomes.filter(({ kind }) => kind === 'chat-platform-id-taken').length, 49)
  })

  test('a deleted bot and its data are not found by any query, and a second deletion returns false', async (t) => {
    const { bots, flows, runtimeLogs } = await open(t)
    await bots.putBot(one, aBot(1, { publicStatus: true }), nowMs)
    await bots.putCoworker(one, { userId: userId('bob'), role: 'viewer', capabilities: [] })
    await bots.putGuilds(one, ['g1'])
    await flows.putFlow(one, flowId('f'), { kind: 'event', name: 'F' }, nowMs)
    await runtimeLogs.appendLogs([{ botId: one, atMs: 1, level: 'info', message: 'hello' }], 10)
    assert.equal(await bots.isDeleted(one), false)
    assert.equal(await bots.removeBot(one, nowMs), true)
    assert.equal(await bots.removeBot(one, nowMs), false)
    assert.deepEqual([await bots.isDeleted(one), await bots.isDeleted(botId('never'))], [true, false])
    assert.equal(await bots.findBot(one), undefined)
    assert.equal(await bots.findCoworker(one, userId('bob')), undefined)
    assert.equal(await bots.findGuilds(one), undefined)
    assert.equal(await bots.findPublic({ kind: 'bot-id', id: one }), undefined)
    assert.equal(await bots.findPublic({ kind: 'chat-platform-id', id: snowflake(1) }), undefined)
    assert.deepEqual(await bots.listForHosting(['one']), [])
    assert.deepEqual(await bots.listAllForHosting(null), [])
    assert.deepEqual(await bots.listAllForHosting(userId('ada')), [])
    assert.deepEqual(await flows.listFlows(one), [])
    assert.equal(await flows.findFlow(one, flowId('f')), undefined)
    assert.deepEqual(await runtimeLogs.listLogs(one, 10), [])
  })

  test('a deleted bot accepts no coworkers, servers or flows, and its chat-platform ID can be used again', async (t) => {
    const { bots, flows } = await open(t)
    await bots.putBot(one, aBot(1), nowMs)
    await bots.removeBot(one, nowMs)
    const coworker = { userId: userId('bob'), role: 'viewer', capabilities: [] } as const
    assert.equal(await bots.putCoworker(one, coworker), 'bot-unknown')
    assert.equal(await bots.putGuilds(one, []), false)
    const flow = await flows.putFlow(one, flowId('f'), { kind: 'event', name: 'F' }, nowMs)
    assert.deepEqual(flow, { kind: 'bot-unknown' })
    assert.equal((await bots.putBot(botId('two'), aBot(1), nowMs)).kind, 'created')
  })

  test('putBot with the ID of a deleted bot creates a new bot without the old bot’s data', async (t) => {
    const { bots, flows, runtimeLogs, snapshots } = await open(t)
    await bots.putBot(one, aBot(1, { plan: 'pro', publicStatus: true }), nowMs)
    await bots.putCoworker(one, { userId: userId('bob'), role: 'viewer', capabilities: [] })
    await bots.putGuilds(one, ['g1'])
    await flows.putFlow(one, flowId('f'), { kind: 'event', name: 'F' }, nowMs)
    await runtimeLogs.appendLogs([{ botId: one, atMs: 1, level: 'info', message: 'hello' }], 10)
    const snapshot = { ...aReport('one'), reportedAtMs: nowMs, hasLeft: false }
    await snapshots.applySnapshots([{ kind: 'heartbeat', snapshot }])
    await bots.removeBot(one, nowMs)

    const outcome = await bots.putBot(one, aBot(1, { publicStatus: true }), nowMs + 5)
    assert.ok('bot' in outcome)
    assert.deepEqual([outcome.kind, outcome.bot.plan, outcome.bot.createdAtMs], ['created', 'free', nowMs + 5])
    assert.equal(await bots.findCoworker(one, userId('bob')), undefined)
    assert.deepEqual(await bots.findGuilds(one), [])
    assert.deepEqual(await flows.listFlows(one), [])
    assert.deepEqual(await runtimeLogs.listLogs(one, 10), [])
    assert.equal((await bots.findPublic({ kind: 'bot-id', id: one }))?.snapshot, undefined)
  })

  test('coworkers are created, changed and found; an owner can’t be a coworker, and a coworker who becomes the owner is no longer a coworker', async (t) => {
    const { bots } = await open(t)
    await bots.putBot(one, aBot(1), nowMs)
    const bob = { userId: userId('bob'), role: 'viewer', capabilities: ['logs'] } as const
    assert.equal(await bots.putCoworker(one, bob), 'created')
    assert.equal(await bots.putCoworker(one, { ...bob, role: 'editor' }), 'changed')
    assert.deepEqual(await bots.findCoworker(one, bob.userId), { ...bob, role: 'editor' })
    assert.equal(await bots.putCoworker(one, { ...bob, userId: userId('nobody') }), 'user-unknown')
    assert.equal(await bots.putCoworker(one, { ...bob, userId: userId('ada') }), 'user-is-owner')
    await bots.putBot(one, aBot(1, { ownerId: bob.userId }), nowMs)
    assert.equal(await bots.findCoworker(one, bob.userId), undefined)
  })

  test('coworkers are listed by name and can be removed once; a deleted bot has no coworkers', async (t) => {
    const { bots } = await open(t)
    await bots.putBot(one, aBot(1), nowMs)
    for (const id of ['cleo', 'bob']) {
      await bots.putCoworker(one, { userId: userId(id), role: 'editor', capabilities: ['keys'] })
    }
    const bob = { userId: 'bob', name: 'Bob', role: 'editor', capabilities: ['keys'] }
    assert.deepEqual(await bots.listCoworkers(one), [bob, { ...bob, userId: 'cleo', name: 'Cleo' }])
    assert.equal(await bots.removeCoworker(one, userId('cleo')), true)
    assert.equal(await bots.removeCoworker(one, userId('cleo')), false)
    assert.deepEqual(await bots.listCoworkers(one), [bob])
    await bots.removeBot(one, nowMs)
    assert.deepEqual(await bots.listCoworkers(one), [])
    assert.equal(await bots.removeCoworker(one, userId('bob')), false)
  })

  test('changeSwitches changes only the named switches, and nothing on a deleted bot', async (t) => {
    const { bots } = await open(t)
    const { bot } = (await bots.putBot(one, aBot(1, { hostingLocation: 'cloud' }), nowMs)) as { bot: object }
    const on = { ...bot, hostingEnabled: true, hostingLocation: 'cloud' }
    assert.deepEqual(await bots.changeSwitches(one, { hostingEnabled: true }, nowMs), { bot: on, before: bot })
    const open1 = { ...on, hostingLocation: null, publicStatus: true }
    const opened = await bots.changeSwitches(one, { hostingLocation: null, publicStatus: true }, nowMs)
    assert.deepEqual(opened, { bot: open1, before: on })
    assert.deepEqual(await bots.findBot(one), open1)
    await bots.removeBot(one, nowMs)
    assert.equal(await bots.changeSwitches(one, { hostingEnabled: false }, nowMs), undefined)
  })

  test('a user’s list has the bots that the user owns or collaborates on, oldest first, each with its snapshot', async (t) => {
    const { bots, snapshots } = await open(t)
    await bots.putBot(one, aBot(1), nowMs)
    await bots.putBot(botId('two'), aBot(2, { ownerId: userId('bob') }), nowMs - 1)
    await bots.putBot(botId('three'), aBot(3, { ownerId: userId('bob') }), nowMs)
    await bots.putCoworker(botId('two'), { userId: userId('ada'), role: 'viewer', capabilities: [] })
    const snapshot = { ...aReport('two'), reportedAtMs: nowMs, hasLeft: false }
    await snapshots.applySnapshots([{ kind: 'heartbeat', snapshot }])
    const listed = await bots.listOfUser(userId('ada'), 10)
    assert.deepEqual(
      listed.map(({ bot, role, snapshot }) => [bot.id, role, snapshot?.reportedAtMs]),
      [
        ['two', 'viewer', nowMs],
        ['one', 'owner', undefined],
      ],
    )
    assert.deepEqual(
      (await bots.listOfUser(userId('ada'), 1)).map(({ bot }) => bot.id),
      ['two'],
    )
    assert.deepEqual((await bots.findWithStatus(botId('two')))?.snapshot, snapshot)
    await bots.removeBot(botId('two'), nowMs)
    assert.equal(await bots.findWithStatus(botId('two')), undefined)
  })

  test('a bot’s servers are replaced as a whole and keep the given order', async (t) => {
    const { bots } = await open(t)
    await bots.putBot(one, aBot(1), nowMs)
    assert.deepEqual(await bots.findGuilds(one), [])
    assert.equal(await bots.putGuilds(one, ['g2', 'g1']), true)
    assert.deepEqual(await bots.findGuilds(one), ['g2', 'g1'])
    assert.equal(await bots.putGuilds(one, []), true)
    assert.deepEqual(await bots.findGuilds(one), [])
  })

  test('a public bot is found by either ID, with its snapshot; a bot that is not public is not found', async (t) => {
    const { bots, snapshots } = await open(t)
    const { bot } = (await bots.putBot(one, aBot(1, { publicStatus: true }), nowMs)) as { bot: object }
    const byId = { kind: 'bot-id', id: one } as const
    assert.deepEqual(await bots.findPublic(byId), { bot, snapshot: undefined, notice: undefined })
    const snapshot = { ...aReport('one', { ready: false, presence: null }), reportedAtMs: nowMs, hasLeft: false }
    await snapshots.applySnapshots([{ kind: 'heartbeat', snapshot }])
    assert.deepEqual(await bots.findPublic(byId), { bot, snapshot, notice: undefined })
    assert.deepEqual(await bots.findPublic({ kind: 'chat-platform-id', id: snowflake(1) }), {
      bot,
      snapshot,
      notice: undefined,
    })
    await bots.putBot(one, aBot(1, { publicStatus: false }), nowMs)
    assert.equal(await bots.findPublic(byId), undefined)
  })

  test('listForHosting returns the requested bots, and listAllForHosting returns all bots or one owner’s bots', async (t) => {
    const { bots } = await open(t)
    await bots.putBot(one, aBot(1, { hostingEnabled: true }), nowMs)
    await bots.putBot(botId('two'), aBot(2, { ownerId: userId('bob') }), nowMs)
    const expected = [
      { id: 'one', ownerId: 'ada', hostingEnabled: true },
      { id: 'two', ownerId: 'bob', hostingEnabled: false },
    ]
    assert.deepEqual(await bots.listForHosting(['one', 'no such', 'two']), expected)
    const all = await bots.listAllForHosting(null)
    assert.deepEqual(
      all.toSorted((a, b) => a.id.localeCompare(b.id)),
      expected,
    )
    assert.deepEqual(await bots.listAllForHosting(userId('bob')), expected.slice(1))
    assert.deepEqual(await bots.listAllForHosting(userId('nobody')), [])
  })
})
