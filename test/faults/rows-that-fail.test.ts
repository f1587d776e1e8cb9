import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { BotId } from '../../src/domain/ids-and-secrets.ts'
import type { EventState } from '../../src/domain/webhooks/event-log.ts'
import { BotRuntime, makeRuntime, post, provisionListeningBot } from '../support/bot-runtime.ts'
import { advanceUntil, eventually } from '../support/eventually.ts'
import { provision } from '../support/people.ts'
import { pluck } from '../support/together.ts'
import { openWorld, type Storage, storages } from '../support/world.ts'
import { failRows, inDatabase, whileLocked } from '../support/world-database.ts'

/**
 * The database rejects changes to some rows, for example because of an operator's own constraint or a damaged page.
 * Batch jobs must still process all other rows.
 */

const events = { sqlite: 'events', postgres: 'queue_events' }
const ofBroken = "OLD.bot_id = 'broken'"

async function openSetting(t: TestContext, name: Storage) {
  const world = await openWorld(t, {}, { storage: name })
  const broken = await provisionListeningBot(world.service, { botId: 'broken' })
  const sound = await provisionListeningBot(world.service, { botId: 'sound' })
  const inState = async (botId: BotId, state: EventState) =>
    (await world.service.queue.log.page(botId, { state }, { most: 10 })).events.length
  const sees = (botId: BotId, state: EventState) =>
    eventually(async () => ((await inState(botId, state)) > 0 ? true : undefined))
  /** Makes every change to the broken bot's events fail. */
  const breakEvents = async () => {
    for (const change of ['UPDATE', 'DELETE'] as const) {
      await failRows(world, 'queue', { table: events, change, when: ofBroken })
    }
  }
  const readyFor = async (botIds: readonly BotId[], instance: string) =>
    (await BotRuntime.ready(t, world, (await makeRuntime(world, botIds)).key, { instance })).runtime
  /** Leases one event for each bot, each to its own runtime. */
  const bothLeased = async () => {
    for (const bot of [broken, sound]) await post(world, bot)
    const ofBrokenBot = await readyFor([broken.botId], 'of-broken')
    const ofSoundBot = await readyFor([sound.botId], 'of-sound')
    await ofBrokenBot.next('dispatch')
    return { ofBrokenBot, ofSoundBot, first: await ofSoundBot.next('dispatch') }
  }
  /** Reports both bots once and disconnects, because the time before a bot's first heartbeat counts as unknown. */
  const reportOnce = async () => {
    const runtime = await readyFor([broken.botId, sound.botId], 'one')
    const reports = [broken, sound].map(({ botId }) => ({ botId, ready: true }))
    await runtime.heartbeat([], reports)
    runtime.send({ type: 'bye' })
    await runtime.closed
  }
  return { world, broken, sound, inState, sees, breakEvents, readyFor, bothLeased, reportOnce }
}

for (const name of storages) {
  describe(`Rows that can’t be changed, on ${name}`, () => {
    test('a lost runtime’s leases that can’t be marked as failed don’t block other runtimes’ leases', async (t) => {
      const { world, sound, inState, breakEvents, bothLeased } = await openSetting(t, name)
      const { ofBrokenBot, ofSoundBot } = await bothLeased()
      await breakEvents()
      await ofBrokenBot.crash()
      await ofSoundBot.crash()
      await advanceUntil(world.clock, async () => (await inState(sound.botId, 'ready')) === 1)
      await advanceUntil(world.clock, () => world.logs().includes('this row fails'))
    })

    test('a bye takes a bot offline although the leases of its runtime can’t be released', async (t) => {
      const { world, broken, breakEvents, bothLeased } = await openSetting(t, name)
      const { ofBrokenBot } = await bothLeased()
      await ofBrokenBot.heartbeat([], [{ botId: broken.botId, ready: true }])
      await breakEvents()
      ofBrokenBot.send({ type: 'bye' })
      await ofBrokenBot.closed
      await eventually(() => world.logs().includes('lease release failed') || undefined)
      assert.equal((await world.service.bots.statusBoard.find(broken.botId))?.status.online, false)
    })

    test('an expired lease that can’t be marked as failed doesn’t block other leases', async (t) => {
      const { world, sound, breakEvents, bothLeased } = await openSetting(t, name)
      const { ofBrokenBot, ofSoundBot, first } = await bothLeased()
      await breakEvents()
      for (let passed = 0; passed < 4; passed += 1) {
        await world.clock.advance(25_000)
        for (const runtime of [ofBrokenBot, ofSoundBot]) runtime.send({ type: 'heartbeat', bots: [], working: [] })
        for (const runtime of [ofBrokenBot, ofSoundBot]) await runtime.nextOfType('heartbeat')
      }
      await advanceUntil(world.clock, () => {
        for (const runtime of [ofBrokenBot, ofSoundBot]) runtime.send({ type: 'heartbeat', bots: [], working: [] })
        return ofSoundBot.unread.length > 0
      })
      const again = await ofSoundBot.nextOfType('dispatch')
      assert.deepEqual([again.botId, again.id, again.attempt], [sound.botId, first.id, 2])
    })

    test('an event that can’t be claimed doesn’t block other bots’ events at the same runtime', async (t) => {
      const { world, broken, sound, readyFor, sees, breakEvents } = await openSetting(t, name)
      await breakEvents()
      for (const bot of [broken, sound]) await post(world, bot)
      const runtime = await readyFor([broken.botId, sound.botId], 'one')
      assert.equal((await runtime.next('dispatch')).botId, sound.botId)
      await post(world, sound)
      assert.equal((await runtime.next('dispatch')).botId, sound.botId)
      // The event is briefly not ready while a claim is in progress.
      await sees(broken.botId, 'ready')
    })

    test('answers that can’t be stored don’t block other answers in the same frame or batch', async (t) => {
      const { world, broken, sound, readyFor, sees, breakEvents } = await openSetting(t, name)
      for (const bot of [broken, sound, sound]) await post(world, bot)
      const runtime = await readyFor([broken.botId, sound.botId], 'one')
      const deliveries = await runtime.deliveries(3)
      const [ofBrokenBot] = deliveries.filter(({ botId }) => botId === broken.botId)
      const [acked, failed] = deliveries.filter(({ botId }) => botId === sound.botId)
      await breakEvents()
      runtime.send({ type: 'ack', deliveries: [ofBrokenBot?.delivery, acked?.delivery] })
      runtime.send({ type: 'nack', delivery: failed?.delivery, dead: true })
      await sees(sound.botId, 'done')
      await sees(sound.botId, 'dead')
      // The event is briefly not leased while an acknowledgement is in progress.
      await sees(broken.botId, 'leased')
    })

    test('an event that can’t be dead-lettered at its age limit doesn’t block other events', async (t) => {
      const { world, broken, sound, sees, breakEvents } = await openSetting(t, name)
      for (const bot of [broken, sound]) await post(world, bot)
      await breakEvents()
      await world.clock.advance(24 * 3_600_000)
      await world.service.queue.prune(world.clock.nowMs(), 100)
      await sees(sound.botId, 'dead')
    })

    test('webhook counts that can’t be stored don’t block other counts', async (t) => {
      const { world, broken, sound } = await openSetting(t, name)
      const table = { sqlite: 'hourly_counts', postgres: 'queue_hourly_counts' }
      await failRows(world, 'queue', { table, change: 'INSERT', when: "NEW.bot_id = 'broken'" })
      for (const bot of [broken, sound]) await post(world, bot)
      await assert.rejects(world.service.queue.flushCounts())
      await world.restart()
      const hours = await world.service.queue.log.counts(sound.botId, undefined, 0)
      assert.deepEqual(pluck(hours, 'accepted'), [1])
    })

    test('heartbeats that can’t be stored don’t block other heartbeats, and the service still stops cleanly', async (t) => {
      const { world, broken, sound, readyFor } = await openSetting(t, name)
      await failRows(world, 'identity', { table: 'snapshots', change: 'INSERT', when: "NEW.bot_id = 'broken'" })
      const runtime = await readyFor([broken.botId, sound.botId], 'one')
      const reports = [broken, sound].map(({ botId }) => ({ botId, ready: true }))
      await runtime.heartbeat([], reports)
      await world.restart()
      assert.equal((await world.service.bots.statusBoard.find('sound'))?.status.online, true)
      assert.equal((await world.service.bots.statusBoard.find('broken'))?.status.online, false)
    })

    test('a history that can’t be stored doesn’t block other bots’ histories', async (t) => {
      const { world, sound, reportOnce } = await openSetting(t, name)
      await reportOnce()
      await failRows(world, 'identity', { table: 'status_slots', change: 'INSERT', when: "NEW.bot_id = 'broken'" })
      await world.clock.advance(11 * 60_000)
      await world.service.bots.history.flush()
      await world.restart()
      const history = await world.service.bots.history.of(sound.botId, world.clock.nowMs())
      assert.ok(history?.slots.some(({ downMs }) => downMs === 300_000))
    })

    test('a bot’s history days that can’t be stored don’t block other bots’ days', async (t) => {
      const { world, reportOnce } = await openSetting(t, name)
      await reportOnce()
      await failRows(world, 'identity', { table: 'status_days', change: 'INSERT', when: "NEW.bot_id = 'broken'" })
      await world.clock.advance(11 * 60_000)
      await world.service.bots.history.flush()
      await world.clock.advance(24 * 3_600_000)
      await world.service.bots.history.flush()
      const withDays = await inDatabase(world, 'identity', 'SELECT DISTINCT bot_id FROM status_days')
      assert.deepEqual(pluck(withDays, 'bot_id'), ['sound'])
    })

    test('the last use of a key is stored even if another key’s last use can’t be stored', async (t) => {
      const { world, broken, sound } = await openSetting(t, name)
      const first = await makeRuntime(world, [broken.botId])
      const second = await makeRuntime(world, [sound.botId])
      const when = 'OLD.number = (1)'
      await failRows(world, 'identity', { table: 'runtime_keys', change: 'UPDATE', when })
      for (const { key } of [first, second]) await BotRuntime.ready(t, world, key)
      await assert.rejects(world.service.bots.runtimes.recordUse(), /this row fails/)
      const { items } = await world.service.bots.runtimes.page({}, { after: undefined, most: 9 })
      const used = items.map(({ keys }) => keys[0]?.lastUsedAtMs)
      assert.equal(used.filter((atMs) => atMs != null).length, 1)
    })
  })
}

test('on PostgreSQL, a flow can be created while the bot’s events are locked, and its key is not lost', async (t) => {
  const { world, sound } = await openSetting(t, 'postgres')
  await post(world, sound)
  await whileLocked(world, 'queue_events', async () => {
    const webhook = { path: 'new', requiresKey: true }
    const made = await provision(world, 'PUT', '/v1/bots/sound/flows/new', { kind: 'event', name: 'New', webhook })
    assert.deepEqual([made.status, typeof made.json.webhook?.key], [201, 'string'])
  })
})
