import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { BotId, UserId } from '../../src/domain/ids.ts'
import { eventsPerBulk } from '../../src/domain/limits/limits.ts'
import { provisionListeningBot } from '../support/listening-bot.ts'
import { testOrigin } from '../support/people.ts'
import { openWorld } from '../support/world.ts'

async function openSetting(t: TestContext) {
  const world = await openWorld(t)
  const { botId, flowId, path } = await provisionListeningBot(world.service)
  const { queue, deliveryLog, bots, clock } = world.service
  const owner = (await bots.records.find(botId))?.ownerId ?? assert.fail('the bot has no owner')
  /** Accepts `count` events and turns them into dead letters. */
  const makeDeadLetters = async (count: number) => {
    for (let n = 0; n < count; n += 1) {
      const headers = { contentType: undefined, userAgent: undefined, forwardedFor: undefined, requestId: undefined }
      const event = { botId, flowId, path, headers, clientIp: '192.0.2.1', body: Buffer.from(`${n}`), ordered: false }
      await queue.accept({ ...event, acceptedAtMs: clock.nowMs() })
    }
    for (let left = count; left > 0; ) {
      const claim = { holder: 'h', botIds: [botId], most: 500, mostBytes: 1e9, nowMs: clock.nowMs() }
      const { deliveries } = await queue.claim(claim)
      left -= deliveries.length
      const failedAtMs = clock.nowMs()
      await queue.fail(
        'h',
        deliveries.map(({ delivery }) => ({ delivery, failedAtMs, dead: true, error: 'no' })),
      )
    }
    await world.clock.advance(1_000)
  }
  return { world, botId, owner, by: { userId: owner, origin: testOrigin }, log: deliveryLog, queue, makeDeadLetters }
}

test('for a user without access, every function of the delivery log reports the bot as unknown', async (t) => {
  const { log, botId, makeDeadLetters } = await openSetting(t)
  await makeDeadLetters(1)
  const stranger = 'nobody' as UserId
  const calls = [
    () => log.page(stranger, botId, {}, { most: 1 }),
    () => log.event(stranger, botId, 'ev1'),
    () => log.body(stranger, botId, 'ev1'),
    () => log.counts(stranger, botId, undefined, 1),
    () => log.replay({ userId: stranger, origin: testOrigin }, botId, 'ev1'),
    () => log.replayAll({ userId: stranger, origin: testOrigin }, botId, { state: 'dead' }),
    () => log.discard({ userId: stranger, origin: testOrigin }, botId, 'ev1'),
    () => log.tryNow({ userId: stranger, origin: testOrigin }, botId, 'ev1'),
    () => log.discardAll({ userId: stranger, origin: testOrigin }, botId, {}),
    () => log.page(stranger, 'none' as BotId, {}, { most: 1 }),
  ]
  for (const call of calls) await assert.rejects(call, { reason: 'bot-unknown' })
})

test('dead letters are replayed in bulk, oldest first and each once, over several calls', async (t) => {
  const { log, queue, botId, by, makeDeadLetters, world } = await openSetting(t)
  const count = eventsPerBulk + 150
  await makeDeadLetters(count)
  const first = await log.replayAll(by, botId, { state: 'dead' })
  assert.deepEqual([first.events, first.stopped], [eventsPerBulk, undefined])
  const second = await log.replayAll(by, botId, { state: 'dead' }, first.next)
  assert.deepEqual(second, { events: 150, next: undefined })
  assert.deepEqual(await log.replayAll(by, botId, { state: 'dead' }), { events: 0, next: undefined })
  const nowMs = world.service.clock.nowMs()
  const { deliveries } = await queue.claim({ holder: 'h', botIds: [botId], most: count + 1, mostBytes: 1e9, nowMs })
  assert.deepEqual(
    deliveries.map(({ body }) => Number(Buffer.from(body).toString())),
    Array.from({ length: count }, (_, n) => n),
  )
  assert.ok(deliveries.every(({ replayOf }) => replayOf !== undefined))
})

test('skipping replayed dead letters and searching bodies do not block the event loop', async (t) => {
  const { log, botId, by, makeDeadLetters, world } = await openSetting(t)
  await makeDeadLetters(eventsPerBulk)
  await log.replayAll(by, botId, { state: 'dead' })
  const again = await ticksDuring(log.replayAll(by, botId, { state: 'dead' }))
  assert.equal(again.result.events, 0)
  assert.ok(again.ticks >= 10, `${again.ticks} ticks while replaying`)
  const { deliveryList } = world.service
  const search = await ticksDuring(deliveryList.search(by.userId, botId, {}, 'not in any body', { most: 50 }))
  assert.deepEqual([search.result.events, search.result.examined], [[], 1_000])
  assert.ok(search.ticks >= 10, `${search.ticks} ticks while searching`)
})

/** Counts the event loop ticks until the work is done. */
async function ticksDuring<T>(work: Promise<T>): Promise<{ result: T; ticks: number }> {
  let [ticks, isRunning] = [0, true]
  const count = () => {
    ticks += 1
    if (isRunning) setImmediate(count)
  }
  setImmediate(count)
  const result = await work
  isRunning = false
  return { result, ticks }
}

test('a continued bulk request leaves out webhooks that arrived after its first call', async (t) => {
  const { log, botId, owner, by, makeDeadLetters } = await openSetting(t)
  await makeDeadLetters(eventsPerBulk + 20)
  const first = await log.discardAll(by, botId, {})
  assert.equal(first.events, eventsPerBulk)
  await makeDeadLetters(3)
  assert.deepEqual(await log.discardAll(by, botId, {}, first.next), { events: 20, next: undefined })
  assert.equal((await log.page(owner, botId, { state: 'dead' }, { most: 9 })).events.length, 3)
})

test('dead letters are discarded individually and in bulk; discarding leased or finished events is refused', async (t) => {
  const { log, queue, botId, owner, by, makeDeadLetters, world } = await openSetting(t)
  await makeDeadLetters(3)
  const { events } = await log.page(owner, botId, { state: 'dead' }, { most: 9 })
  const [{ id } = { id: '' }] = events
  const replayed = await log.replay(by, botId, id)
  const nowMs = world.service.clock.nowMs()
  const { deliveries } = await queue.claim({ holder: 'h', botIds: [botId], most: 1, mostBytes: 1e9, nowMs })
  await assert.rejects(log.discard(by, botId, replayed), { reason: 'in-process' })
  assert.equal(await log.tryNow(by, botId, replayed), 'in-process')
  await queue.acknowledge('h', [deliveries[0]?.delivery ?? ''], nowMs)
  await assert.rejects(log.discard(by, botId, replayed), { reason: 'finished' })
  await assert.rejects(log.tryNow(by, botId, id), { reason: 'finished' })
  assert.equal(await log.discard(by, botId, id), 'dead')
  await assert.rejects(log.discard(by, botId, id), { reason: 'event-unknown' })
  assert.deepEqual(await log.discardAll(by, botId, {}), { events: 2, next: undefined })
  assert.deepEqual((await log.page(owner, botId, { state: 'dead' }, { most: 9 })).events, [])
})

test('hourly counts have no gaps; an event includes its attempts and a preview of its body', async (t) => {
  const { log, botId, owner, makeDeadLetters } = await openSetting(t)
  await makeDeadLetters(2)
  const counts = await log.counts(owner, botId, undefined, 3)
  assert.deepEqual(
    counts.map(({ accepted, failed, dead }) => [accepted, failed, dead]),
    [
      [0, 0, 0],
      [0, 0, 0],
      [2, 2, 2],
    ],
  )
  const [newest] = (await log.page(owner, botId, {}, { most: 1 })).events
  const { preview, history } = await log.event(owner, botId, newest?.id ?? '')
  assert.deepEqual(preview, { form: 'text', shown: '1', bytes: 1, cut: false })
  assert.deepEqual(
    history.map(({ attempt, outcome, error }) => [attempt, outcome, error]),
    [[1, 'failed', 'no']],
  )
})
