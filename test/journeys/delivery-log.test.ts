import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import * as limits from '../../src/domain/limits/limits.ts'
import { provisionListeningBot } from '../support/bot-runtime.ts'
import { testOrigin } from '../support/people.ts'
import { openWorld } from '../support/world.ts'

async function openSetting(t: TestContext) {
  const world = await openWorld(t)
  const { botId, flowId, path } = await provisionListeningBot(world.service)
  const { queue, eventAccess, bots, clock } = world.service
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
  return { world, botId, owner, by: { userId: owner, origin: testOrigin }, log: eventAccess, queue, makeDeadLetters }
}

test('dead letters are replayed in bulk, oldest first and each once, over several calls', async (t) => {
  const { log, queue, botId, by, makeDeadLetters, world } = await openSetting(t)
  const count = limits.eventsPerBulk + 150
  await makeDeadLetters(count)
  const first = await log.replayAll(by, botId, { state: 'dead' })
  assert.deepEqual([first.events, first.stopped], [limits.eventsPerBulk, undefined])
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
  await makeDeadLetters(limits.eventsPerBulk)
  await log.replayAll(by, botId, { state: 'dead' })
  const again = await ticksDuring(log.replayAll(by, botId, { state: 'dead' }))
  assert.equal(again.result.events, 0)
  assert.ok(again.ticks >= 10, `${again.ticks} ticks while replaying`)
  const { eventAccess } = world.service
  const search = await ticksDuring(eventAccess.search(by.userId, botId, {}, 'not in any body', { most: 50 }))
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
