import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { parseUserId, type UserId } from '../../src/domain/ids.ts'
import { BotRuntime } from '../support/bot-runtime.ts'
import { eventually } from '../support/eventually.ts'
import { eventsIn, openSetting, post } from './runtime-link-scene.ts'

describe('Runtime link: owners’ runtimes', () => {
  const origin = { address: '127.0.0.1', userAgent: 'a test' }

  async function openOwned(t: TestContext) {
    const { world, bot } = await openSetting(t)
    const { runtimes } = world.service.bots
    const ada = { userId: parseUserId('ada') as UserId, origin }
    return { world, bot, runtimes, ada }
  }

  test('our choice: a bot that changes owners is removed from the previous owner’s runtime', async (t) => {
    const { world, bot, runtimes, ada } = await openOwned(t)
    const { clearTextKey } = await runtimes.make({ name: 'At home', botIds: null }, ada)
    const { runtime } = await BotRuntime.ready(t, world, clearTextKey)
    const bob = parseUserId('bob') as UserId
    await world.service.accounts.users.put(bob, { name: 'Bob' })
    const stored = await world.service.bots.records.find(bot.botId)
    assert.ok(stored)
    const { name, chatPlatformId } = stored
    await world.service.bots.records.put(bot.botId, { ownerId: bob, name, chatPlatformId })
    assert.deepEqual(await runtime.next('bots'), { type: 'bots', add: [], remove: [bot.botId] })
    await post(world, bot)
    await runtime.heartbeat()
  })

  test('our choice: a replaced runtime key expires after 24 hours, and its connections are closed', async (t) => {
    const { world, runtimes, ada } = await openOwned(t)
    const { runtime: made, clearTextKey: first } = await runtimes.make({ name: 'At home', botIds: null }, ada)
    const { clearTextKey: second } = await runtimes.makeKey(made.id, { by: ada, keyBefore: 'ends-in-24-hours' })
    await world.clock.advance(24 * 3_600_000 - 60_000)
    const { runtime: older } = await BotRuntime.ready(t, world, first)
    const { runtime: newer } = await BotRuntime.ready(t, world, second, { instance: 'two' })
    assert.equal((await runtimes.list(ada.userId))[0]?.keys.length, 2)
    await world.clock.advance(60_000)
    assert.equal((await older.closed).code, 4001)
    await newer.heartbeat()
    const refused = new BotRuntime(t, world, { key: first })
    assert.equal((await refused.closed).code, 4001)
    assert.equal((await runtimes.list(ada.userId))[0]?.keys.length, 1)
  })

  test('our choice: a runtime that reconnects with its new key replaces the session it opened with the previous key', async (t) => {
    const { world, bot, runtimes, ada } = await openOwned(t)
    const { runtime: made, clearTextKey: first } = await runtimes.make({ name: 'At home', botIds: null }, ada)
    const { runtime: older } = await BotRuntime.ready(t, world, first)
    await post(world, bot)
    const { delivery } = await older.next('dispatch')
    const { clearTextKey: second } = await runtimes.makeKey(made.id, { by: ada, keyBefore: 'ends-in-24-hours' })
    const { runtime: newer, welcome } = await BotRuntime.ready(t, world, second, { working: [delivery] })
    assert.deepEqual(welcome.lost, [])
    assert.equal((await older.closed).code, 4003)
    newer.send({ type: 'ack', deliveries: [delivery] })
    await eventually(async () => (await eventsIn(world, bot.botId, 'done', 1))[0])
  })

  test('our choice: connecting counts as use of the runtime key, and the key’s last use is shown', async (t) => {
    const { world, runtimes, ada } = await openOwned(t)
    const { runtime: made, clearTextKey } = await runtimes.make({ name: 'At home', botIds: null }, ada)
    const lastUsedAtMs = async () => {
      await runtimes.recordUse()
      return (await runtimes.find(made.id, ada.userId))?.keys[0]?.lastUsedAtMs
    }
    assert.equal(await lastUsedAtMs(), null)
    const { runtime } = await BotRuntime.ready(t, world, clearTextKey)
    assert.equal(await lastUsedAtMs(), world.clock.nowMs())
    await world.clock.advance(30_000)
    await runtime.heartbeat()
    assert.equal(await lastUsedAtMs(), world.clock.nowMs())
  })
})
