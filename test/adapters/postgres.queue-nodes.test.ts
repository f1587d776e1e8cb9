import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BotId } from '../../src/domain/ids-and-secrets.ts'
import { claimOf, greeter, guard, holder, inLine, newEvent, roomy, startMs } from '../contract/queue-scene.ts'
import { eventually } from '../support/eventually.ts'
import { openQueueDatabase, pathsOf, twoNodes } from '../support/postgres/queue.ts'
import { ask } from '../support/postgres/with-client.ts'
import { atOnce, pluck, tally } from '../support/together.ts'

test('our choice: when one node makes a retry due immediately, the other node is notified and can claim the event', async (t) => {
  const { one, other } = await twoNodes(t)
  await one.accept(newEvent())
  const [delivery] = (await one.claim(claimOf())).deliveries
  await one.fail(holder, [{ delivery: delivery?.delivery ?? '', failedAtMs: startMs }])
  // Waits until the notifications for the event and its failure have arrived. They arrive in order, so the one for
  // `guard` is last.
  await new Promise<void>((resolve) => {
    const stop = other.onDue((botId) => {
      if (botId !== guard) return
      stop()
      resolve()
    })
    one.accept(newEvent({ botId: guard }))
  })
  const notified = new Promise<BotId>((resolve) => other.onDue(resolve))
  assert.equal(await one.tryNow(greeter, delivery?.id ?? '', startMs + 1), true)
  assert.equal(await notified, greeter)
  const [again, ...further] = (await other.claim(claimOf({ nowMs: startMs + 1 }))).deliveries
  assert.deepEqual([again?.id, again?.attempt, further], [delivery?.id, 2, []])
})

test('our choice: when five hundred bots receive events on one node simultaneously, the other node is notified of all of them', async (t) => {
  const { one, other } = await twoNodes(t)
  const notified = new Set<BotId>()
  other.onDue((botId) => notified.add(botId))
  const botIds = Array.from({ length: 500 }, (_, n) => `bot-${n}-${'x'.repeat(50)}` as BotId)
  await Promise.all(botIds.map((botId) => one.accept(newEvent({ botId }))))
  await eventually(() => notified.size === 500 || undefined)
})

test('our choice: a bot’s events are claimed in the order of acceptance, even if they were accepted on nodes whose clocks differ', async (t) => {
  const { one, other } = await twoNodes(t)
  for (let n = 0; n < 10; n += 1) {
    const node = n % 2 === 0 ? one : other
    await node.accept(newEvent({ path: `${n}`, acceptedAtMs: startMs - (n % 2) * 500 }))
  }
  assert.deepEqual(await pathsOf(one), ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'])
})

test('our choice: a flow with strict order has one event in flight at a time across all nodes', async (t) => {
  const { one, other } = await twoNodes(t)
  const accepted = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? one : other).accept(inLine(`${n}`)))
  await Promise.all(accepted)
  for (let left = 20; left > 0; left -= 1) {
    const claims = await Promise.all(
      [one, other, one, other].map((node, at) => node.claim(claimOf({ holder: `runtime/${at}` }))),
    )
    const [delivery, ...further] = claims.flatMap(({ deliveries }) => deliveries)
    assert.equal(further.length, 0)
    const at = claims.findIndex(({ deliveries }) => deliveries.length > 0)
    await other.acknowledge(`runtime/${at}`, [delivery?.delivery ?? ''], startMs)
  }
  assert.deepEqual(await one.botsWithEvents([greeter]), [])
})

test('our choice: the limit on a bot’s queue holds exactly across all nodes', async (t) => {
  const { one, other } = await twoNodes(t, { ...roomy, maxEventsPerBot: 10 })
  const outcomes = await atOnce(60, (n) => (n % 2 === 0 ? one : other).accept(newEvent()))
  assert.deepEqual(tally(outcomes), { accepted: 10, full: 50 })
  assert.deepEqual(await other.accept(newEvent()), { kind: 'full', of: 'bot' })
  const [delivery] = (await other.claim(claimOf())).deliveries
  await other.acknowledge(holder, [delivery?.delivery ?? ''], startMs)
  assert.deepEqual(await one.accept(newEvent()), { kind: 'accepted' })
})

test('our choice: the limit on all queues together holds across all nodes within seconds', async (t) => {
  const { one, other } = await twoNodes(t, { ...roomy, maxEvents: 2 })
  for (const botId of [greeter, guard]) await one.accept(newEvent({ botId }))
  await eventually(async () => (await other.figures()).waitingEvents === 2 || undefined)
  assert.deepEqual(await other.accept(newEvent()), { kind: 'full', of: 'queue' })
})

test('our choice: exactly one of fifty webhooks with the same dedupe mark, sent to two nodes simultaneously, is accepted', async (t) => {
  const { one, other } = await twoNodes(t)
  const mark = { digest: new Uint8Array(32).fill(1), untilMs: startMs + 100 }
  const outcomes = await atOnce(50, (n) => (n % 2 === 0 ? one : other).accept(newEvent(), mark))
  assert.deepEqual(tally(outcomes), { accepted: 1, repeated: 49 })
})

test('our choice: an event ID without a bot ID, as in links from earlier releases, finds the event of the requested bot', async (t) => {
  const { openNode } = await openQueueDatabase(t)
  const queue = await openNode({ limits: roomy })
  for (const botId of [greeter, guard]) await queue.accept(newEvent({ botId, path: botId }))
  const { deliveries } = await queue.claim(claimOf({ botIds: [greeter, guard] }))
  for (const { delivery } of deliveries) await queue.fail(holder, [{ delivery, failedAtMs: startMs, dead: true }])
  const [short = ''] = (deliveries[0]?.id ?? '').split('-')
  for (const { botId, id } of deliveries) {
    assert.equal(id, `${short}-${botId}`)
    const found = await queue.log.find(botId, short)
    assert.deepEqual([found?.id, found?.path], [id, botId])
    assert.equal((await queue.replay(botId, short, startMs)).kind, 'accepted')
    assert.deepEqual((await queue.log.page(botId, { state: 'dead' }, { before: short, most: 9 })).events, [])
    assert.equal(await queue.discardDead(botId, [short]), 1)
  }
  assert.equal(await queue.log.find(greeter, `${short}-guard`), undefined)
  assert.equal(await queue.log.find(greeter, `${short}-greeter-greeter`), undefined)
})

test('our choice: after a migration from SQLite, no bot reuses the number of a copied event, even if the clock is behind', async (t) => {
  const { url, openNode } = await openQueueDatabase(t)
  await ask(url, 'INSERT INTO queue_copied VALUES (5000000000000000)')
  const queue = await openNode({ limits: roomy })
  for (const botId of [greeter, guard]) await queue.accept(newEvent({ botId }))
  const { deliveries } = await queue.claim(claimOf({ botIds: [greeter, guard] }))
  const next = `ev${5_000_000_000_000_001n.toString(36)}`
  assert.deepEqual(pluck(deliveries, 'id'), [`${next}-${greeter}`, `${next}-${guard}`])
})
