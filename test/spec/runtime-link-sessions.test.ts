import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseUserId } from '../../src/domain/ids-and-secrets.ts'
import { list } from '../contract/queue-scene.ts'
import { BotRuntime, makeRuntime, openHostedBot, post, provisionListeningBot } from '../support/bot-runtime.ts'
import { eventually } from '../support/eventually.ts'
import { figuresOf } from '../support/figures.ts'
import { useOwnWorld } from '../support/idle-worlds.ts'
import { linesOf } from '../support/log-lines.ts'
import { testOrigin } from '../support/people.ts'
import { hideTable, inDatabase, restoreTable } from '../support/world-database.ts'
import { openLinked } from './runtime-link-scene.ts'

describe('Runtime link: opening a session', () => {
  test('welcome lists all bots that the key may host if ready names none; requested bots that can’t be hosted are refused with a reason', async (t) => {
    const { world, bot } = await openHostedBot(t)
    const sleeper = await provisionListeningBot(world.service, { botId: 'sleeper', hostingEnabled: false })
    const other = await provisionListeningBot(world.service, { botId: 'other' })
    const { key } = await makeRuntime(world, [bot.botId, sleeper.botId])
    const { welcome } = await BotRuntime.ready(t, world, key, { bots: [bot.botId, sleeper.botId, other.botId] })
    assert.deepEqual(welcome.bots, [bot.botId])
    assert.deepEqual(welcome.refused, [
      { botId: 'sleeper', reason: 'hosting_off' },
      { botId: 'other', reason: 'not_allowed' },
    ])
    const every = (await makeRuntime(world)).key
    const { welcome: whole } = await BotRuntime.ready(t, world, every)
    assert.deepEqual([whole.bots.toSorted(), whole.refused], [[bot.botId, other.botId], []])
    const all = await BotRuntime.ready(t, world, every, { bots: [bot.botId, 'nobody', bot.botId] })
    assert.deepEqual(all.welcome.bots, [bot.botId])
    assert.deepEqual(all.welcome.refused, [{ botId: 'nobody', reason: 'unknown' }])
  })

  test('a rejected runtime connection is logged with its close code, and counted', async (t) => {
    useOwnWorld(t)
    const { world, key } = await openHostedBot(t)
    const wrong = 'svc_rk_wrong'
    for (const rejected of [
      {},
      { key: wrong },
      { key: wrong },
      { key, protocols: [] },
      { key, protocols: ['chat.v2'] },
    ]) {
      assert.equal((await new BotRuntime(t, world, rejected).closed).code, 'protocols' in rejected ? 4002 : 4001)
    }
    const client = '127.0.0.1'
    assert.deepEqual(linesOf(world, 'runtime connection rejected'), [
      { cause: 'key-missing', code: 4001, client },
      { cause: 'key-rejected', code: 4001, client },
      { cause: 'no-subprotocol', code: 4002, client },
    ])
    assert.deepEqual(await figuresOf(world, 'runtime_connections_refused_total'), {
      '{cause="key-missing"}': 1,
      '{cause="key-rejected"}': 2,
      '{cause="key-unreadable"}': 0,
      '{cause="no-subprotocol"}': 2,
      '{cause="too-many-sessions"}': 0,
      '{cause="draining"}': 0,
    })
    await world.stop()
    assert.deepEqual(linesOf(world, 'runtime connection rejected (repeated)'), [
      { cause: 'key-rejected', code: 4001, client, count: 1 },
      { cause: 'no-subprotocol', code: 4002, client, count: 1 },
    ])
    assert.ok(!world.logs().includes(wrong))
  })
})

describe('Runtime link: assignment', () => {
  test('a runtime is notified of created and removed bots and of hosting changes, and receives events of added bots', async (t) => {
    const { world, bot, runtime } = await openLinked(t)
    const late = await provisionListeningBot(world.service, { botId: 'late', hostingEnabled: false })
    await post(world, late, 'waiting')
    await provisionListeningBot(world.service, { botId: 'late' })
    assert.deepEqual(await runtime.next('bots'), { type: 'bots', add: [late.botId], remove: [] })
    assert.equal((await runtime.next('dispatch')).botId, late.botId)

    await provisionListeningBot(world.service, { botId: bot.botId, hostingEnabled: false })
    assert.deepEqual(await runtime.next('bots'), { type: 'bots', add: [], remove: [bot.botId] })
    await post(world, bot)
    await runtime.heartbeat()
    await world.service.bots.records.remove(late.botId)
    assert.deepEqual(await runtime.next('bots'), { type: 'bots', add: [], remove: [late.botId] })
  })

  test('our choice: a change of hosting that can’t be read is read again a second later', async (t) => {
    useOwnWorld(t)
    const { world, bot, runtime } = await openLinked(t)
    await inDatabase(world, 'identity', 'UPDATE bots SET hosting_enabled = 0')
    await hideTable(world, 'identity', 'bots')
    world.service.bots.changes.bot(bot.botId)
    await eventually(() => world.logs().includes('assignment update failed') || undefined)
    await restoreTable(world, 'identity', 'bots')
    await world.clock.advance(1_000)
    assert.deepEqual(await runtime.next('bots'), { type: 'bots', add: [], remove: [bot.botId] })
  })

  test('a runtime that requested specific bots is not notified of other bots', async (t) => {
    const { world, bot, key } = await openHostedBot(t)
    const { runtime } = await BotRuntime.ready(t, world, key, { bots: [bot.botId, 'planned'] })
    await provisionListeningBot(world.service, { botId: 'late' })
    await provisionListeningBot(world.service, { botId: 'planned' })
    assert.deepEqual((await runtime.next('bots')).add, ['planned'])
  })
})

describe('Runtime link: draining', () => {
  test('while draining, an idle session is closed with 4012 immediately', async (t) => {
    const { world, runtime } = await openLinked(t)
    runtime.leavesOnDrain = false
    const restarted = world.restart()
    await runtime.next('drain')
    assert.equal((await runtime.closed).code, 4012)
    await restarted
  })

  test('our choice: a runtime that pauses reading gets all its deliveries once it reads again', async (t) => {
    const { world, bot, runtime } = await openLinked(t, { credit: 0 })
    // More than the sockets' buffers hold, in bodies that a slow database stores in time.
    const body = 'x'.repeat(262_144)
    for (let n = 0; n < 60; n += 1) await post(world, bot, body)
    runtime.socket.pause()
    runtime.send({ type: 'credit', n: 1_000 })
    // Waits until the service has stopped sending. Otherwise, it might never need to start again.
    let [leased, sameLooks] = [0, 0]
    await eventually(async () => {
      const before = leased
      leased = (await list(world.service.queue, bot.botId, 'leased', 60)).length
      sameLooks = leased > 0 && leased === before ? sameLooks + 1 : 0
      return sameLooks === 10 || undefined
    })
    assert.ok(leased < 60, 'all were sent to a runtime that does not read')
    runtime.socket.resume()
    assert.equal((await runtime.deliveries(60)).length, 60)
  })
})

describe('Runtime link: owners’ runtimes', () => {
  const ada = { userId: parseUserId('ada')!, origin: testOrigin }

  test('our choice: a bot that changes owners is removed from the previous owner’s runtime', async (t) => {
    const { world, bot } = await openHostedBot(t)
    const { clearTextKey } = await world.service.bots.runtimes.make({ name: 'At home', botIds: null }, ada)
    const { runtime } = await BotRuntime.ready(t, world, clearTextKey)
    const bob = parseUserId('bob')!
    await world.service.accounts.users.put(bob, { name: 'Bob' })
    const stored = await world.service.bots.records.find(bot.botId)
    assert.ok(stored)
    const { name, chatPlatformId } = stored
    await world.service.bots.records.put(bot.botId, { ownerId: bob, name, chatPlatformId })
    assert.deepEqual(await runtime.next('bots'), { type: 'bots', add: [], remove: [bot.botId] })
    await post(world, bot)
    await runtime.heartbeat()
  })

  test('our choice: connecting counts as use of a runtime key; a runtime that reconnects with its new key replaces the session it opened with the previous key, which expires after 24 hours', async (t) => {
    const { world, bot } = await openHostedBot(t)
    const { runtimes } = world.service.bots
    const { runtime: made, clearTextKey: first } = await runtimes.make({ name: 'At home', botIds: null }, ada)
    const keysUsedAtMs = async () => {
      await runtimes.recordUse()
      return (await runtimes.find(made.id, ada))?.keys.map(({ lastUsedAtMs }) => lastUsedAtMs)
    }
    assert.deepEqual(await keysUsedAtMs(), [null])
    const { runtime: older } = await BotRuntime.ready(t, world, first)
    const connectedAtMs = world.clock.nowMs()
    assert.deepEqual(await keysUsedAtMs(), [connectedAtMs])
    await world.clock.advance(30_000)
    await older.heartbeat()
    assert.deepEqual(await keysUsedAtMs(), [connectedAtMs + 30_000])
    await post(world, bot)
    const { delivery } = await older.next('dispatch')

    const { clearTextKey: second } = await runtimes.makeKey(made.id, { by: ada, keyBefore: 'ends-in-24-hours' })
    const { runtime: newer, welcome } = await BotRuntime.ready(t, world, second, { working: [delivery] })
    assert.deepEqual(welcome.lost, [])
    assert.equal((await older.closed).code, 4003)
    newer.send({ type: 'ack', deliveries: [delivery] })
    await eventually(async () => (await list(world.service.queue, bot.botId, 'done', 1))[0])
    await newer.crash()

    await world.clock.advance(24 * 3_600_000 - 60_000)
    const { runtime: last } = await BotRuntime.ready(t, world, first)
    const { runtime: other } = await BotRuntime.ready(t, world, second, { instance: 'two' })
    assert.equal((await keysUsedAtMs())?.length, 2)
    await world.clock.advance(60_000)
    assert.equal((await last.closed).code, 4001)
    await other.heartbeat()
    assert.equal((await new BotRuntime(t, world, { key: first }).closed).code, 4001)
    assert.equal((await keysUsedAtMs())?.length, 1)
  })
})
