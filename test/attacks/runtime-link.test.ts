import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import * as limits from '../../src/domain/limits/limits.ts'
import { statementMs } from '../../src/storage/postgres/queue/queue-parts.ts'
import { BotRuntime, makeRuntime, post, provisionListeningBot } from '../support/bot-runtime.ts'
import { eventually } from '../support/eventually.ts'
import { openWorld, type Storage, storages } from '../support/world.ts'
import { waitingForLocks, whileLocked } from '../support/world-database.ts'

/** Attacks on other bots and on the service by a bot's owner, who can create runtime keys. */

/** Opens a world with the attacker's bot and a victim's bot, and a runtime key for each. */
async function openSetting(t: TestContext, name: Storage) {
  const world = await openWorld(t, {}, { storage: name })
  const bot = await provisionListeningBot(world.service, { botId: 'attacker' })
  const victim = await provisionListeningBot(world.service, { botId: 'victim' })
  const { key } = await makeRuntime(world, [bot.botId])
  const { key: victimKey } = await makeRuntime(world, [victim.botId])
  return { world, bot, key, victimKey }
}

const entry = { botId: 'attacker', level: 'info', message: 'm', at: '2026-01-05T12:00:00.000Z' }
const many = (count: number, text: (n: number) => string) => Array.from({ length: count }, (_, n) => text(n))

for (const name of storages) {
  describe(`A hostile runtime, on ${name}`, () => {
    test('our choice: line breaks and tabs in delivery errors and log messages are stored exactly; a long message is cut between characters', async (t) => {
      const { world, bot, key } = await openSetting(t, name)
      const text = 'Error: no tea\r\n\tat kettle (käse.ts:7)\n\tat 🫖'
      await post(world, bot)
      const { runtime } = await BotRuntime.ready(t, world, key)
      const { delivery, id } = await runtime.next('dispatch')
      runtime.send({ type: 'nack', delivery, error: text })
      const most = 'x'.repeat(limits.logMessageMaxCharacters - 1)
      runtime.send({ type: 'log', entries: [text, `${most}🙂 and more`].map((message) => ({ ...entry, message })) })
      const logged = await eventually(async () => {
        const logs = await world.service.bots.logs.latest(bot.botId)
        return logs.length > 0 ? logs : undefined
      })
      assert.deepEqual(new Set(logged.map(({ message }) => message)), new Set([text, most]))
      const failed = await eventually(
        async () => (await world.service.queue.log.find(bot.botId, id))?.history[0]?.error,
      )
      assert.equal(failed, text)
    })

    test('our choice: a runtime can have 256 sessions on a node, and 256 before ready; the next is closed with 1013, unless it replaces one; another runtime is still served', async (t) => {
      const { world, key, victimKey } = await openSetting(t, name)
      const sessions = Array.from({ length: 256 }, () => new BotRuntime(t, world, { key }))
      await Promise.all(sessions.map((session) => session.next('hello')))
      const full = { code: 1013, reason: 'this runtime already has 256 sessions on this node' }
      assert.deepEqual(await new BotRuntime(t, world, { key }).closed, full)
      await BotRuntime.ready(t, world, victimKey)
      await Promise.all(sessions.map((session, n) => session.ready({ instance: `${n}`, credit: 0 })))
      await BotRuntime.ready(t, world, key, { instance: '0' })
      assert.equal((await sessions[0]?.closed)?.code, 4003)
      const further = new BotRuntime(t, world, { key })
      await further.next('hello')
      await assert.rejects(further.ready({ instance: '256' }))
      assert.deepEqual(await further.closed, full)
      await sessions[1]?.crash()
      await eventually(() => BotRuntime.ready(t, world, key, { instance: '256' }).catch(() => undefined))
    })
  })
}

describe('Runtimes on PostgreSQL', () => {
  test('answers and heartbeats for deliveries that the session does not hold never reach the database', async (t) => {
    const { world, key } = await openSetting(t, 'postgres')
    const { runtime } = await BotRuntime.ready(t, world, key)
    const linesBefore = world.logs().split('\n').length
    await whileLocked(world, 'queue_events', async () => {
      for (let n = 0; n < 200; n += 1) {
        runtime.send({ type: 'ack', deliveries: many(500, (at) => `ev${at.toString(36)}${n}-1-victim`) })
        runtime.send({ type: 'nack', delivery: `ev${n}-1-victim`, retryMs: 0 })
      }
      // The table is locked, so getting a response proves that no query was made.
      assert.deepEqual((await runtime.heartbeat(['ev1-1-victim'])).lost, ['ev1-1-victim'])
      assert.equal(await waitingForLocks(world), 0)
    })
    assert.equal(world.logs().split('\n').length, linesBefore)
  })

  test('while a session waits for the database, the service does not read from the session’s socket and runs only one statement for the session', async (t) => {
    const { world, bot, key, victimKey } = await openSetting(t, 'postgres')
    await post(world, bot)
    const { runtime } = await BotRuntime.ready(t, world, key)
    const { delivery } = await runtime.next('dispatch')
    const { runtime: other } = await BotRuntime.ready(t, world, victimKey)
    const beat = { type: 'heartbeat', bots: [], working: [delivery], padding: 'x'.repeat(1_048_576) }
    let sent = 0
    const lockedAtMs = performance.now()
    await whileLocked(world, 'queue_events', async () => {
      for (let taken = true; taken && sent < 100; sent += 1) {
        taken = await Promise.race([runtime.flushed(beat).then(() => true), wait(500, false)])
      }
      assert.ok(sent < 60, `${sent} MiB were taken`)
      await other.heartbeat()
      assert.ok((await waitingForLocks(world)) <= 1)
    })
    // Skips answers to the earlier heartbeats, some of which may have timed out. This heartbeat must be answered.
    runtime.send({ type: 'heartbeat', bots: [], working: [delivery, 'last'] })
    for (let lost: string[] = []; lost[0] !== 'last'; ) lost = (await runtime.next('heartbeat')).lost
    const failed = world.logs().split('lease renewal failed').length - 1
    // One after the other, each at its time limit.
    assert.ok(failed <= (performance.now() - lockedAtMs) / statementMs, `${failed} renewals failed`)
  })
})
