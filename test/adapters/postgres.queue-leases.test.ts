import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import * as limits from '../../src/domain/limits/limits.ts'
import { Primary } from '../../src/storage/postgres/primary.ts'
import { claimOf, holder, inLine, newEvent, roomy, startMs } from '../contract/queue-scene.ts'
import { dispatched } from '../spec/runtime-link-scene.ts'
import { BotRuntime, hostedBot, post } from '../support/bot-runtime.ts'
import { openNodes } from '../support/nodes.ts'
import { openQueueDatabase, pathsOf, twoNodes } from '../support/postgres/queue.ts'
import { openWire } from '../support/postgres/wire.ts'
import { ask } from '../support/postgres/with-client.ts'
import type { World } from '../support/world.ts'

test('our choice: a killed node’s leases are taken over by exactly one other node after ten seconds of database time', async (t) => {
  const { url, openNode } = await openQueueDatabase(t)
  const wire = await openWire(t, url)
  const killed = await openNode({ limits: roomy, nodeId: 'killed', primary: new Primary([wire.url]) })
  const [one, other] = [await openNode({ limits: roomy }), await openNode({ limits: roomy })]
  await killed.accept(newEvent())
  const [delivery] = (await killed.claim(claimOf())).deliveries
  wire.cut()
  assert.deepEqual(await one.adoptOrphans(), [])
  await ask(url, "UPDATE queue_nodes SET seen_at = seen_at - interval '10 seconds' WHERE node_id = 'killed'")
  const adopted = await Promise.all([one.adoptOrphans(), other.adoptOrphans()])
  assert.deepEqual(adopted.flat(), [holder])
  const adopter = adopted[0]?.length === 1 ? one : other
  await adopter.abandon(holder, startMs)
  assert.deepEqual(await one.renew(holder, [delivery?.delivery ?? ''], startMs), [delivery?.delivery])
  const [again] = (await one.claim(claimOf({ nowMs: startMs + 5_000 }))).deliveries
  assert.deepEqual([again?.id, again?.attempt], [delivery?.id, 2])
})

test('our choice: strict order that a killed node stored, but did not apply to waiting retries, is applied by a node that notices; a node that had an outage itself first waits for the others’ heartbeats', async (t) => {
  const { url, openNode } = await openQueueDatabase(t)
  const one = await openNode({ limits: roomy })
  await one.accept(inLine('retried'))
  const [{ delivery } = { delivery: '' }] = (await one.claim(claimOf())).deliveries
  await one.fail(holder, [{ delivery, failedAtMs: startMs }])
  await ask(url, 'UPDATE queue_events SET ordered = false')
  await ask(url, "INSERT INTO queue_nodes (node_id, seen_at) VALUES ('killed', 'epoch')")
  await ask(url, 'ALTER TABLE queue_nodes RENAME TO away')
  await assert.rejects(one.adoptOrphans())
  await ask(url, 'ALTER TABLE away RENAME TO queue_nodes')
  await one.adoptOrphans()
  assert.equal((await ask(url, "SELECT 1 FROM queue_nodes WHERE node_id = 'killed'")).length, 1)
  await (await openNode({ limits: roomy })).adoptOrphans()
  await one.accept(inLine('later'))
  assert.deepEqual(await pathsOf(one), [])
  assert.deepEqual(await pathsOf(one, { nowMs: startMs + 5_000 }), ['retried'])
})

test('our choice: if a node does not expire its own lease, another node expires that lease five seconds later', async (t) => {
  const { one, other } = await twoNodes(t)
  await one.accept(newEvent())
  const [delivery] = (await one.claim(claimOf())).deliveries
  const lapsed = [{ holder, delivery: delivery?.delivery }]
  assert.deepEqual(await other.failExpired(startMs + limits.leaseMs + 4_999), [])
  assert.deepEqual(await other.failExpired(startMs + limits.leaseMs + 5_000), lapsed)
  assert.deepEqual(await one.failExpired(startMs + limits.leaseMs + 5_000), [])
})

test('our choice: leases that a runtime renewed as it reconnected do not fail with its lost connection', async (t) => {
  const { one } = await twoNodes(t)
  await one.accept(newEvent())
  const held = (await one.claim(claimOf())).deliveries.map(({ delivery }) => delivery)
  const at = { nowMs: startMs + limits.lostSocketGraceMs, failedAtMs: startMs }
  assert.deepEqual(await one.resume(holder, held, at), { kept: held, lost: [] })
  await one.abandon(holder, startMs)
  assert.deepEqual(await one.renew(holder, held, at.nowMs), [])
})

test('our choice: reports that wait to be written when a runtime reconnects still count', async (t) => {
  const { one } = await twoNodes(t)
  for (let at = 0; at < 3; at += 1) await one.accept(newEvent())
  const [acked, ...nacked] = (await one.claim(claimOf())).deliveries.map(({ delivery }) => delivery)
  const reported = [one.acknowledge(holder, [acked!], startMs)]
  for (const delivery of nacked) {
    reported.push(one.fail(holder, [{ delivery, failedAtMs: startMs, dead: true }]))
    // The second one waits for the batch that begins now.
    await new Promise((resolve) => setImmediate(resolve))
  }
  await one.resume(holder, [], { nowMs: startMs, failedAtMs: startMs })
  await Promise.all(reported)
  const { delivered, deadLetters, failedAttempts } = await one.figures()
  assert.deepEqual({ delivered, deadLetters, failedAttempts }, { delivered: 1, deadLetters: 2, failedAttempts: 2 })
})

test('our choice: a runtime that reconnects to another node keeps the delivery that it lists, and its session on the first node is evicted; losing the new connection fails the attempt', async (t) => {
  const [one, other] = await openNodes(t)
  const { bot, key } = await hostedBot(one)
  const { runtime: here } = await BotRuntime.ready(t, one, key, { credit: 2 })
  for (const body of ['kept', 'dropped']) await post(one, bot, body)
  const [kept, dropped] = await here.deliveries(2)
  // In the same millisecond, a late notice of the first session would evict the second one.
  one.clock.jump(1)
  const { runtime: there, welcome } = await BotRuntime.ready(t, other, key, { working: [kept?.delivery] })
  assert.deepEqual(welcome.lost, [])
  assert.equal((await here.closed).code, 4003)
  const again = await dispatched(other, there)
  assert.deepEqual([again.id, again.attempt], [dropped?.id, 2])
  // The first node fails the leases that it still has of the runtime, ten seconds after it evicted the session.
  await one.clock.advance(limits.lostSocketGraceMs + 1_000)
  assert.deepEqual((await there.heartbeat([kept?.delivery, again.delivery])).lost, [])
  await there.crash()
  await assertRedelivered(t, one, key, kept?.id)
})

test('our choice: an event that a node leases to a runtime while it moves to another node fails after ten seconds', async (t) => {
  const [one, other] = await openNodes(t)
  const { bot, id, key } = await hostedBot(one)
  const { runtime: here } = await BotRuntime.ready(t, one, key)
  one.clock.jump(1)
  await BotRuntime.ready(t, other, key, { credit: 0 })
  assert.equal((await here.closed).code, 4003)
  await post(one, bot)
  const claim = claimOf({ holder: `${id}/one`, botIds: [bot.botId], nowMs: one.clock.nowMs() })
  const [leased] = (await one.service.queue.claim(claim)).deliveries
  await assertRedelivered(t, one, key, leased?.id)
})

test('our choice: a session is not evicted by the late notice that the runtime connected to another node before', async (t) => {
  const [one, other] = await openNodes(t)
  const { id, key } = await hostedBot(one)
  const { runtime } = await BotRuntime.ready(t, one, key)
  const beforeMs = one.clock.nowMs() - 1
  // Notices arrive in order: once that of the other holder is here, the runtime's own has been handled.
  const noticed = new Promise<void>((resolve) =>
    one.service.queue.onTaken((taken) => taken.holder === 'another/one' && resolve()),
  )
  for (const name of [`${id}/one`, 'another/one']) {
    await other.service.queue.resume(name, [], { nowMs: beforeMs, failedAtMs: beforeMs })
  }
  await noticed
  await runtime.heartbeat()
})

/** Asserts that another runtime gets the event's second attempt before its lease could have expired. */
async function assertRedelivered(t: TestContext, node: World, key: string, eventId: string | undefined): Promise<void> {
  const { runtime } = await BotRuntime.ready(t, node, key, { instance: 'two' })
  const expiresAtMs = node.clock.nowMs() + limits.leaseMs
  const { id, attempt } = await dispatched(node, runtime)
  assert.deepEqual([id, attempt], [eventId, 2])
  assert.ok(node.clock.nowMs() < expiresAtMs)
}
