import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { PostgresQueue } from '../../src/dispatch/postgres/postgres-queue.ts'
import type { BotId } from '../../src/domain/ids.ts'
import {
  acknowledgedKept,
  acknowledgedRetentionMs,
  eventAgeLimitMs,
  leaseMs,
  lostSocketGraceMs,
} from '../../src/domain/limits.ts'
import type { Claim, QueueLimits } from '../../src/domain/webhooks/delivery-queue.ts'
import { Dispatcher } from '../../src/domain/webhooks/dispatcher.ts'
import { Primary } from '../../src/store/postgres/primary.ts'
import { claimOf, greeter, guard, holder, newEvent, startMs } from '../contract/queue-scene.ts'
import { eventually } from '../support/eventually.ts'
import { ask } from '../support/postgres/ask.ts'
import { openQueueDatabase } from '../support/postgres/queue.ts'
import { PostgresServer } from '../support/postgres/server.ts'
import { Wire } from '../support/postgres/wire.ts'

/** What only a queue that several nodes share has: decision 0034. */

const roomy: QueueLimits = { maxEventsPerBot: 1_000, maxBytesPerBot: 1e9, maxEvents: 10_000, maxBytes: 1e9 }

describe('our choice: nodes that share a queue', () => {
  test('an event accepted at one node is told to the other, and handed out there', async (t) => {
    const { one, other } = await twoNodes(t)
    const told = nextDue(other)
    await one.accept(newEvent({ path: 'from-one' }))
    assert.equal(await told, greeter)
    assert.deepEqual(await pathsOf(other), ['from-one'])
  })

  test('a retry that is tried now at one node is told to the other, and handed out there', async (t) => {
    const { one, other } = await twoNodes(t)
    await one.accept(newEvent())
    const [delivery] = (await one.claim(claimOf())).deliveries
    await one.fail(holder, [{ delivery: delivery?.delivery ?? '', failedAtMs: startMs }])
    // Notifications of the acceptance and the failure arrive first.
    await new Promise<void>((resolve) => {
      const stop = other.onDue((botId) => {
        if (botId !== guard) return
        stop()
        resolve()
      })
      one.accept(newEvent({ botId: guard }))
    })
    const told = nextDue(other)
    assert.equal(await one.tryNow(greeter, delivery?.id ?? '', startMs + 1), true)
    assert.equal(await told, greeter)
    const { deliveries } = await other.claim(claimOf({ nowMs: startMs + 1 }))
    assert.deepEqual(
      deliveries.map(({ id, attempt }) => [id, attempt]),
      [[delivery?.id, 2]],
    )
  })

  test('a waiting event that is discarded at one node is gone at the other, and the next in its line is told there', async (t) => {
    const { one, other } = await twoNodes(t)
    for (const path of ['head', 'next']) await one.accept(newEvent({ path, ordered: true }))
    const [head] = await one.log.lineHeads(greeter, [newEvent().flowId])
    assert.equal(await other.discardWaiting(greeter, head?.id ?? ''), true)
    assert.equal(await one.discardWaiting(greeter, head?.id ?? ''), false)
    assert.deepEqual(await pathsOf(one), ['next'])
  })

  test('five hundred bots that get something at once are all told', async (t) => {
    const { one, other } = await twoNodes(t)
    const told = new Set<BotId>()
    other.onDue((botId) => told.add(botId))
    const botIds = Array.from({ length: 500 }, (_, n) => `bot-${n}-${'x'.repeat(50)}` as BotId)
    await Promise.all(botIds.map((botId) => one.accept(newEvent({ botId }))))
    await eventually(() => told.size === 500 || undefined)
  })

  test('events of a bot are handed out in the order accepted, whichever node took them, also when their clocks differ', async (t) => {
    const { one, other } = await twoNodes(t)
    for (let n = 0; n < 10; n += 1) {
      const node = n % 2 === 0 ? one : other
      await node.accept(newEvent({ path: `${n}`, acceptedAtMs: startMs - (n % 2) * 500 }))
    }
    assert.deepEqual(await pathsOf(one), ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'])
  })

  test('of a hundred events claimed at two nodes at once each goes to one', async (t) => {
    const { one, other } = await twoNodes(t)
    await Promise.all(Array.from({ length: 100 }, () => one.accept(newEvent())))
    const claims = Array.from({ length: 40 }, (_, at) =>
      (at % 2 === 0 ? one : other).claim(claimOf({ holder: `runtime/${at}`, most: 5 })),
    )
    const ids = (await Promise.all(claims)).flatMap(({ deliveries }) => deliveries.map(({ id }) => id))
    assert.deepEqual([ids.length, new Set(ids).size], [100, 100])
  })

  test('of a flow with strict order one event is out at a time, over all nodes', async (t) => {
    const { one, other } = await twoNodes(t)
    const accepted = Array.from({ length: 20 }, (_, n) =>
      (n % 2 === 0 ? one : other).accept(newEvent({ ordered: true })),
    )
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

  test('the allowance of a bot holds exactly over all nodes', async (t) => {
    const { one, other } = await twoNodes(t, { ...roomy, maxEventsPerBot: 10 })
    const outcomes = await Promise.all(
      Array.from({ length: 60 }, (_, n) => (n % 2 === 0 ? one : other).accept(newEvent())),
    )
    assert.equal(outcomes.filter(({ kind }) => kind === 'accepted').length, 10)
    assert.deepEqual(await other.accept(newEvent()), { kind: 'full', of: 'bot' })
    const [delivery] = (await other.claim(claimOf())).deliveries
    await other.acknowledge(holder, [delivery?.delivery ?? ''], startMs)
    assert.deepEqual(await one.accept(newEvent()), { kind: 'accepted' })
  })

  test('the bound over all bots holds within seconds over all nodes', async (t) => {
    const { one, other } = await twoNodes(t, { ...roomy, maxEvents: 2 })
    for (const botId of [greeter, guard]) await one.accept(newEvent({ botId }))
    await eventually(async () => (await other.figures()).waitingEvents === 2 || undefined)
    assert.deepEqual(await other.accept(newEvent()), { kind: 'full', of: 'queue' })
  })

  test('of fifty webhooks with one mark, sent to two nodes at once, one is an event', async (t) => {
    const { one, other } = await twoNodes(t)
    const mark = { digest: new Uint8Array(32).fill(1), untilMs: startMs + 100 }
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, n) => (n % 2 === 0 ? one : other).accept(newEvent(), mark)),
    )
    const kinds = Map.groupBy(outcomes, ({ kind }) => kind)
    assert.deepEqual([kinds.get('accepted')?.length, kinds.get('repeated')?.length], [1, 49])
  })
})

describe('our choice: leases of nodes', () => {
  test('a runtime that comes back at another node takes its leases along, and the first node is told', async (t) => {
    const { one, other } = await twoNodes(t)
    for (const path of ['kept', 'dropped']) await one.accept(newEvent({ path }))
    const [kept] = (await one.claim(claimOf())).deliveries
    const taken = new Promise<string>((resolve) => one.onTaken(resolve))
    const name = kept?.delivery ?? ''
    const outcome = await other.resume(holder, [name], { nowMs: startMs, failedAtMs: startMs })
    assert.deepEqual([outcome, await taken], [{ kept: [name], lost: [] }, holder])
    await one.abandon(holder, startMs)
    assert.deepEqual(await one.renew(holder, [name], startMs), [])
    assert.deepEqual(await pathsOf(one, { holder: 'runtime/two', nowMs: startMs + 5_000 }), ['dropped'])
  })

  test('what a killed node held is adopted by one other, after ten seconds by the database’s clock', async (t) => {
    const { url, openNode } = await openQueueDatabase(t)
    const wire = await Wire.to(t, url)
    const killed = await openNode({ limits: roomy, nodeId: 'killed', primary: new Primary([wire.url]) })
    const [one, other] = [await openNode({ limits: roomy }), await openNode({ limits: roomy })]
    await killed.accept(newEvent())
    const [delivery] = (await killed.claim(claimOf())).deliveries
    wire.cut()
    assert.deepEqual(await one.orphans(), [])
    await ask(url, "UPDATE queue_nodes SET seen_at = seen_at - interval '10 seconds' WHERE node_id = 'killed'")
    const adopted = await Promise.all([one.orphans(), other.orphans()])
    assert.deepEqual(adopted.flat(), [holder])
    const adopter = adopted[0]?.length === 1 ? one : other
    await adopter.abandon(holder, startMs)
    assert.deepEqual(await one.renew(holder, [delivery?.delivery ?? ''], startMs), [delivery?.delivery])
    const [again] = (await one.claim(claimOf({ nowMs: startMs + 5_000 }))).deliveries
    assert.deepEqual([again?.id, again?.attempt], [delivery?.id, 2])
  })

  test('a lease that its node does not lapse is lapsed by another one five seconds later', async (t) => {
    const { one, other } = await twoNodes(t)
    await one.accept(newEvent())
    const [delivery] = (await one.claim(claimOf())).deliveries
    const lapsed = [{ holder, delivery: delivery?.delivery }]
    assert.deepEqual(await other.lapse(startMs + leaseMs + 4_999), [])
    assert.deepEqual(await other.lapse(startMs + leaseMs + 5_000), lapsed)
    assert.deepEqual(await one.lapse(startMs + leaseMs + 5_000), [])
  })

  test('dispatchers: a session that went on elsewhere ends at the first node; one that stays away costs an attempt', async (t) => {
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
    // Once it is over the queues close, whatever the dispatchers are asking them.
    let isOver = false
    const onFault = (error: unknown) => assert.ok(isOver, error as Error)
    const dispatchers = [one, other].map((queue) => new Dispatcher({ queue, clock, onFault }))
    for (const dispatcher of dispatchers) await dispatcher.start()
    const [first, second] = dispatchers as [Dispatcher, Dispatcher]
    const [here, there] = [new Session(), new Session()]
    const begun = await first.attach(here, { botIds: [greeter], window: 1, working: [] })
    begun.attachment.open([])
    await other.accept(newEvent({ path: 'work' }))
    const delivery = await eventually(() => here.delivered[0])
    const { attachment, kept } = await second.attach(there, { botIds: [greeter], window: 1, working: [delivery] })
    assert.deepEqual(kept, [delivery])
    await eventually(() => here.isEvicted || undefined)
    second.lose(attachment)
    const third = new Session('runtime/two')
    const last = await first.attach(third, { botIds: [greeter], window: 1, working: [] })
    last.attachment.open([])
    await eventually(() => {
      // Long before the lease itself would run out.
      nowMs = Math.min(nowMs + 1_000, startMs + lostSocketGraceMs + 20_000)
      for (const tick of ticks) tick()
      return third.delivered[0]
    })
    assert.equal(third.attempts[0], 2)
    isOver = true
    for (const dispatcher of dispatchers) await dispatcher.stop()
  })
})

describe('our choice: what a database that fails costs', () => {
  test('a row that the database does not take does not fail the others of its batch', async (t) => {
    const { one } = await twoNodes(t)
    const headers = { contentType: 'a\0b', userAgent: undefined, forwardedFor: undefined, requestId: undefined }
    const accepted = Array.from({ length: 20 }, (_, n) =>
      one.accept(newEvent(n === 7 ? { headers } : { path: `${n}` })),
    )
    const outcomes = (await Promise.all(accepted)).map(({ kind }) => kind)
    assert.deepEqual(outcomes, [...Array(7).fill('accepted'), 'unavailable', ...Array(12).fill('accepted')])
    assert.equal((await pathsOf(one)).length, 19)
  })

  for (const [how, fail] of [
    ['is ended by the database', (_wire: Wire, url: string) => ask(url, endListeners)],
    ['falls silent', async (wire: Wire) => wire.silence()],
  ] as const) {
    test(`a connection for news that ${how} is replaced`, async (t) => {
      const { url, openNode } = await openQueueDatabase(t)
      const wire = await Wire.to(t, url)
      const [one, other] = [
        await openNode({ limits: roomy }),
        await openNode({ limits: roomy, primary: new Primary([wire.url]) }),
      ]
      const told: BotId[] = []
      other.onDue((botId) => told.push(botId))
      await fail(wire, url)
      // Sent again and again, until the new connection hears it.
      await eventually(async () => {
        await one.accept(newEvent())
        return told.length > 0 || undefined
      })
    })
  }

  test('what news did not tell is found by looking', async (t) => {
    const { one, other } = await twoNodes(t)
    await one.accept(newEvent())
    assert.deepEqual(await other.botsOverlooked([guard, greeter], startMs), [greeter])
    assert.deepEqual(await other.botsOverlooked([], startMs), [])
  })

  test('a database that does not answer within two seconds is 503, and nothing hangs', async (t) => {
    const { url, openNode } = await openQueueDatabase(t)
    const wire = await Wire.to(t, url)
    const node = await openNode({ limits: roomy, primary: new Primary([wire.url]) })
    await node.accept(newEvent())
    wire.silence()
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => node.accept(newEvent())))
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      Array(5).fill('unavailable'),
    )
    assert.equal((await node.figures()).refusedUnavailable, 5)
    await eventually(async () => (await node.accept(newEvent())).kind === 'accepted' || undefined)
  })

  test('a database that is killed and comes back has every event that was accepted, once', async (t) => {
    const server = await PostgresServer.fresh()
    t.after(() => server.remove())
    const { openNode } = await openQueueDatabase(t)
    const primary = new Primary([server.url()])
    const [one, other] = [await openNode({ limits: roomy, primary }), await openNode({ limits: roomy, primary })]
    const accepted: string[] = []
    const send = async (n: number) => {
      const { kind } = await (n % 2 === 0 ? one : other).accept(newEvent({ path: `${n}` }))
      if (kind === 'accepted') accepted.push(`${n}`)
      return kind
    }
    for (let n = 0; n < 50; n += 1) assert.equal(await send(n), 'accepted')
    const meanwhile = Promise.all(Array.from({ length: 100 }, (_, n) => send(100 + n)))
    await server.kill()
    await meanwhile
    assert.equal(await send(300), 'unavailable')
    await assert.rejects(one.probe())
    await server.start()
    await eventually(async () => (await send(400)) === 'accepted' || undefined)
    await one.probe()
    const paths = await pathsOf(other, { most: 1_000 })
    assert.deepEqual(new Set(accepted).difference(new Set(paths)), new Set())
  })
})

describe('our choice: what is kept in the database', () => {
  test('finished events lie in partitions by day, which are dropped when all of them is past its retention', async (t) => {
    const { url, openNode } = await openQueueDatabase(t)
    const [one, other] = [await openNode({ limits: roomy }), await openNode({ limits: roomy })]
    await one.accept(newEvent())
    const [delivery] = (await one.claim(claimOf())).deliveries
    await one.acknowledge(holder, [delivery?.delivery ?? ''], startMs)
    const day = `queue_done_${Math.floor(startMs / 86_400_000)}`
    const state = async () => [
      (await ask(url, `SELECT 1 FROM pg_class WHERE relname = '${day}'`)).length,
      (await other.log.page(greeter, {}, { most: 9 })).events.length,
    ]
    assert.deepEqual(await state(), [1, 1])
    await one.prune(startMs + acknowledgedRetentionMs, 100)
    assert.deepEqual(await state(), [1, 0])
    assert.deepEqual(await other.replay(greeter, delivery?.id ?? '', startMs), { kind: 'unknown' })
    await one.prune(startMs + 2 * acknowledgedRetentionMs, 100)
    assert.deepEqual(await state(), [0, 0])
    assert.deepEqual(await ask(url, 'SELECT done_events::int, done_bytes::int FROM queue_left'), [
      { done_events: 0, done_bytes: 0 },
    ])
  })

  test('a bot of which too much is kept loses its oldest', async (t) => {
    const { url, openNode } = await openQueueDatabase(t)
    const node = await openNode({ limits: roomy })
    await node.accept(newEvent())
    await node.accept(newEvent())
    const [first, second] = (await node.claim(claimOf())).deliveries
    await node.acknowledge(holder, [first?.delivery ?? ''], startMs)
    await ask(url, `UPDATE queue_left SET done_events = ${acknowledgedKept.eventsPerBot}`)
    await node.acknowledge(holder, [second?.delivery ?? ''], startMs)
    await eventually(async () => {
      const { events } = await node.log.page(greeter, {}, { most: 9 })
      return events.length === 0 || undefined
    })
  })

  test('the rows of a bot to which nothing comes any more go, and come back with it', async (t) => {
    const { url, openNode } = await openQueueDatabase(t)
    const node = await openNode({ limits: roomy })
    await node.accept(newEvent())
    const laterMs = startMs + 40 * eventAgeLimitMs
    for (let n = 0; n < 3; n += 1) await node.prune(laterMs, 100)
    assert.deepEqual(await ask(url, 'SELECT bot_id FROM queue_entered UNION SELECT bot_id FROM queue_left'), [])
    assert.deepEqual(await node.accept(newEvent({ acceptedAtMs: laterMs })), { kind: 'accepted' })
  })
})

/** A runtime's connection as a dispatcher sees it, which takes everything and answers nothing. */
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

  writable(): boolean {
    return true
  }

  evicted(): void {
    this.isEvicted = true
  }
}

async function twoNodes(t: TestContext, limits = roomy) {
  const { openNode } = await openQueueDatabase(t)
  const [one, other] = [await openNode({ limits }), await openNode({ limits })]
  return { one, other }
}

async function pathsOf(queue: PostgresQueue, claim: Partial<Claim> = {}): Promise<string[]> {
  return (await queue.claim(claimOf(claim))).deliveries.map(({ path }) => path)
}

function nextDue(queue: PostgresQueue): Promise<BotId> {
  return new Promise((resolve) => queue.onDue(resolve))
}

const endListeners = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE application_name = 'gatehouse listener' AND datname = current_database()`
