import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import * as limits from '../../src/domain/limits/limits.ts'
import { Dispatcher } from '../../src/domain/webhooks/dispatcher.ts'
import { Primary } from '../../src/storage/postgres/primary.ts'
import { claimOf, greeter, holder, newEvent, roomy, startMs } from '../contract/queue-scene.ts'
import { eventually } from '../support/eventually.ts'
import { openQueueDatabase, pathsOf, twoNodes } from '../support/postgres/queue.ts'
import { Wire } from '../support/postgres/wire.ts'
import { ask } from '../support/postgres/with-client.ts'

test('our choice: a runtime that reconnects to another node keeps its leases, and the first node is notified', async (t) => {
  const { one, other } = await twoNodes(t)
  for (const path of ['kept', 'dropped']) await one.accept(newEvent({ path }))
  const [kept] = (await one.claim(claimOf())).deliveries
  const taken = new Promise<string>((resolve) => one.onTaken((taken) => resolve(taken.holder)))
  const name = kept?.delivery ?? ''
  const outcome = await other.resume(holder, [name], { nowMs: startMs, failedAtMs: startMs })
  assert.deepEqual([outcome, await taken], [{ kept: [name], lost: [] }, holder])
  await one.abandon(holder, startMs)
  assert.deepEqual(await one.renew(holder, [name], startMs), [])
  assert.deepEqual(await pathsOf(one, { holder: 'runtime/two', nowMs: startMs + 5_000 }), ['dropped'])
})

test('our choice: a killed node’s leases are taken over by exactly one other node after ten seconds of database time', async (t) => {
  const { url, openNode } = await openQueueDatabase(t)
  const wire = await Wire.to(t, url)
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

test('our choice: if a node does not expire its own lease, another node expires that lease five seconds later', async (t) => {
  const { one, other } = await twoNodes(t)
  await one.accept(newEvent())
  const [delivery] = (await one.claim(claimOf())).deliveries
  const lapsed = [{ holder, delivery: delivery?.delivery }]
  assert.deepEqual(await other.failExpired(startMs + limits.leaseMs + 4_999), [])
  assert.deepEqual(await other.failExpired(startMs + limits.leaseMs + 5_000), lapsed)
  assert.deepEqual(await one.failExpired(startMs + limits.leaseMs + 5_000), [])
})

test('our choice: a runtime that reconnects to another node’s dispatcher keeps its delivery, and its old session is evicted; losing the new connection fails the attempt', async (t) => {
  const { other, first, second, redelivered } = await twoDispatchers(t)
  const [here, there] = [new Session(), new Session()]
  const begun = await first.attach(here, { botIds: [greeter], window: 1, working: [] })
  begun.attachment.open([])
  await other.accept(newEvent({ path: 'work' }))
  const delivery = await eventually(() => here.delivered[0])
  const { attachment, kept } = await second.attach(there, { botIds: [greeter], window: 1, working: [delivery] })
  assert.deepEqual(kept, [delivery])
  await eventually(() => here.isEvicted || undefined)
  second.lose(attachment)
  await redelivered()
})

test('our choice: an event that a node leases to a runtime while it moves to another node fails after ten seconds', async (t) => {
  const { one, first, second, redelivered } = await twoDispatchers(t)
  const [here, there] = [new Session(), new Session()]
  await first.attach(here, { botIds: [greeter], window: 1, working: [] })
  await second.attach(there, { botIds: [greeter], window: 0, working: [] })
  await eventually(() => here.isEvicted || undefined)
  await one.accept(newEvent())
  assert.equal((await one.claim(claimOf())).deliveries.length, 1)
  await redelivered()
})

test('our choice: a session is not evicted by the late notice that the runtime connected to another node before', async (t) => {
  const { one, other, first } = await twoDispatchers(t)
  const here = new Session()
  await first.attach(here, { botIds: [greeter], window: 1, working: [] })
  const noticed = new Promise<void>((resolve) => one.onTaken((taken) => taken.holder === 'runtime/two' && resolve()))
  for (const name of [holder, 'runtime/two']) {
    await other.resume(name, [], { nowMs: startMs - 1, failedAtMs: startMs - 1 })
  }
  await noticed
  assert.equal(here.isEvicted, false)
})

/** Two nodes with a dispatcher each. */
async function twoDispatchers(t: TestContext) {
  const { one, other } = await twoNodes(t)
  let nowMs = startMs
  const ticks: (() => void)[] = []
  const clock = {
    nowMs: () => nowMs,
    every: (_interval: number, work: () => void) => {
      ticks.push(work)
      return () => {}
    },
  }
  // The queues close while dispatcher calls are pending, so faults are then expected.
  let isOver = false
  const onFault = (error: unknown) => assert.ok(isOver, error as Error)
  const dispatchers = [one, other].map((queue) => new Dispatcher({ queue, clock, onFault }))
  for (const dispatcher of dispatchers) await dispatcher.start()
  const [first, second] = dispatchers as [Dispatcher, Dispatcher]

  /** Resolves once another runtime of the first node got the event's second attempt. Stops the dispatchers. */
  async function redelivered(): Promise<void> {
    const third = new Session('runtime/two')
    const { attachment } = await first.attach(third, { botIds: [greeter], window: 1, working: [] })
    attachment.open([])
    await eventually(() => {
      // Stays well below `leaseMs`, so that the redelivery can't be due to an expired lease.
      nowMs = Math.min(nowMs + 1_000, startMs + limits.lostSocketGraceMs + 20_000)
      for (const tick of ticks) tick()
      return third.delivered[0]
    })
    assert.equal(third.attempts[0], 2)
    isOver = true
    for (const dispatcher of dispatchers) await dispatcher.stop()
  }

  return { one, other, first, second, redelivered }
}

/** A runtime's connection as a dispatcher sees it. It accepts every delivery and acknowledges none. */
class Session {
  readonly holder: string
  readonly delivered: string[] = []
  readonly attempts: number[] = []
  isEvicted = false

  constructor(name = holder) {
    this.holder = name
  }

  deliver({ delivery, attempt }: { delivery: string; attempt: number }): void {
    this.delivered.push(delivery)
    this.attempts.push(attempt)
  }

  room(most: number): number {
    return most
  }

  evicted(): void {
    this.isEvicted = true
  }
}
