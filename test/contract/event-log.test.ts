import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BotId, FlowId } from '../../src/domain/ids-and-secrets.ts'
import type { DeliveryQueue } from '../../src/domain/webhooks/delivery-queue.ts'
import type { EventFilter, EventState } from '../../src/domain/webhooks/event-log.ts'
import { onEachQueue } from '../support/adapters/queue-engines.ts'
import { pluck } from '../support/together.ts'
import { greeter, guard, holder, newEvent, orders, startMs } from './queue-scene.ts'

const returns = 'returns' as FlowId

onEachQueue('EventLog', (open) => {
  test('botOf returns which of the bots has the event, in each of its states, and undefined if none of them has', async (t) => {
    const { queue } = await open(t)
    const other = 'other' as BotId
    await queue.accept(newEvent({}))
    const [{ id } = { id: '' }] = (await queue.log.page(greeter, {}, { most: 1 })).events
    assert.equal(await queue.log.botOf([other, greeter], id), greeter)
    assert.equal(await queue.log.botOf([other], id), undefined)
    assert.equal(await queue.log.botOf([], id), undefined)
    for (const malformed of ['', 'ev', 'ev-', `${id}x!`, `ev-${greeter}`, `${id}-${other}`]) {
      assert.equal(await queue.log.botOf([other, greeter], malformed), undefined, malformed)
    }
    await queue.accept(newEvent({}))
    await queue.acknowledge(holder, [await claimOne(queue, startMs)], startMs + 5)
    await queue.fail(holder, [{ delivery: await claimOne(queue, startMs), failedAtMs: startMs, dead: true }])
    for (const { id } of (await queue.log.page(greeter, {}, { most: 2 })).events) {
      assert.equal(await queue.log.botOf([greeter, other], id), greeter)
    }
  })

  test('an event is listed and counted once at any moment, also while a lease or an outcome is being written', async (t) => {
    const { queue } = await open(t)
    await queue.accept(newEvent())
    const first = await whileRunning(queue, claimOne(queue, startMs))
    await whileRunning(queue, queue.fail(holder, [{ delivery: first, failedAtMs: startMs, error: 'not now' }]))
    const second = await whileRunning(queue, claimOne(queue, startMs + 5_000))
    await whileRunning(queue, queue.release(holder, [second]))
    const third = await whileRunning(queue, claimOne(queue, startMs + 5_000))
    await whileRunning(queue, queue.acknowledge(holder, [third], startMs + 5_000))
  })

  test('an event is listed and counted once while it expires', async (t) => {
    const { queue } = await open(t)
    await queue.accept(newEvent())
    await whileRunning(queue, queue.prune(startMs + 24 * 3_600_000, 100))
    assert.equal((await queue.log.countStates(greeter, {}, 9)).dead.events, 1)
  })

  test('follow returns each new event of the bot once, in order of acceptance, whatever the event’s state', async (t) => {
    const { queue } = await open(t)
    await queue.accept(newEvent({ path: 'before' }))
    let { events, cursor } = await queue.log.follow(greeter, undefined, 9)
    assert.deepEqual(events, [])
    const read = async (most: number) => {
      ;({ events, cursor } = await queue.log.follow(greeter, cursor, most))
      return events.map(({ path }) => path)
    }
    assert.deepEqual(await read(9), [])
    for (const path of ['1', '2', '3', '4']) {
      await queue.accept(newEvent({ path }))
      await queue.accept(newEvent({ path: 'of another', botId: guard }))
    }
    await queue.acknowledge(holder, [await claimOne(queue, startMs), await claimOne(queue, startMs)], startMs)
    await queue.fail(holder, [{ delivery: await claimOne(queue, startMs), failedAtMs: startMs, dead: true }])
    const claiming = claimOne(queue, startMs)
    assert.deepEqual(await read(2), ['1', '2'])
    assert.deepEqual(await read(2), ['3', '4'], 'includes an event whose lease is being written')
    await claiming
    assert.deepEqual(await read(2), [])
    await queue.accept(newEvent({ path: 'of another', botId: guard }))
    assert.deepEqual(await read(2), [])
    await Promise.all(['5', '6', '7'].map((path) => queue.accept(newEvent({ path }))))
    assert.deepEqual(await read(9), ['5', '6', '7'])
  })

  test('an event is listed with its details, and each attempt with its start, end, outcome and error; a released delivery records no attempt', async (t) => {
    const { queue, again } = await open(t)
    const headers = { contentType: 'a/b', userAgent: undefined, forwardedFor: 'ä', requestId: '' }
    await queue.accept(newEvent({ path: 'p', headers, body: new Uint8Array(5_000).fill(7) }))
    const listed = async (state: EventState, { log } = queue) =>
      (await log.page(greeter, { state }, { most: 9 })).events
    const [{ id } = assert.fail('nothing is listed')] = await listed('ready')
    const finishedAtMs = undefined
    const replay = { deadBecause: undefined, replayOf: undefined, replayedAs: undefined }
    const accepted = { id, flowId: orders, path: 'p', acceptedAtMs: startMs, bodyBytes: 5_000, ...replay }
    const ready = { ...accepted, state: 'ready', finishedAtMs }
    assert.deepEqual(await listed('ready'), [{ ...ready, attempts: 0, dueAtMs: startMs, lastError: undefined }])
    await queue.release(holder, [await claimOne(queue, startMs)])
    await queue.fail(holder, [{ delivery: await claimOne(queue, startMs), failedAtMs: startMs + 1, error: 'first' }])
    assert.deepEqual(await listed('ready'), [{ ...ready, attempts: 1, dueAtMs: startMs + 5_001, lastError: 'first' }])
    await queue.fail(holder, [{ delivery: await claimOne(queue, startMs + 6_000), failedAtMs: startMs + 6_001 }])
    const underWay = await claimOne(queue, startMs + 60_000)
    const reopened = await again(startMs + 60_000)
    const event = (await reopened.log.find(greeter, id)) ?? assert.fail('not found')
    const failed = { outcome: 'failed' }
    assert.deepEqual(event.history, [
      { ...failed, attempt: 1, beganAtMs: startMs, endedAtMs: startMs + 1, error: 'first' },
      { ...failed, attempt: 2, beganAtMs: startMs + 6_000, endedAtMs: startMs + 6_001, error: undefined },
      { outcome: 'under-way', attempt: 3, beganAtMs: startMs + 60_000, endedAtMs: undefined, error: undefined },
    ])
    assert.deepEqual([event.headers, event.clientIp, event.body.length], [headers, '192.0.2.7', 5_000])
    await reopened.acknowledge(holder, [underWay], startMs + 60_005)
    const done = { attempts: 3, dueAtMs: undefined, finishedAtMs: startMs + 60_005, lastError: undefined }
    assert.deepEqual(await listed('done', reopened), [{ ...accepted, state: 'done', ...done }])
    assert.deepEqual((await reopened.log.find(greeter, id))?.history[2], {
      outcome: 'acknowledged',
      attempt: 3,
      beganAtMs: startMs + 60_000,
      endedAtMs: startMs + 60_005,
      error: undefined,
    })
  })

  test('countStates counts the matching events per state and says when there may be more', async (t) => {
    const { queue } = await open(t)
    for (let n = 0; n < 4; n += 1) await queue.accept(newEvent({ flowId: n === 0 ? returns : orders }))
    await queue.acknowledge(holder, [await claimOne(queue, startMs)], startMs)
    await queue.fail(holder, [{ delivery: await claimOne(queue, startMs), failedAtMs: startMs, dead: true }])
    await claimOne(queue, startMs)
    await queue.accept(newEvent({ acceptedAtMs: startMs + 60_000 }))
    const counts = async (filter: EventFilter, most = 9) => {
      const states = await queue.log.countStates(greeter, filter, most)
      return [states.ready, states.leased, states.done, states.dead].map(
        ({ events, more }) => `${events}${more ? '+' : ''}`,
      )
    }
    assert.deepEqual(await counts({}), ['2', '1', '1', '1'])
    assert.deepEqual(await counts({ flowId: returns }), ['0', '0', '1', '0'])
    assert.deepEqual(await counts({ flowId: orders, untilMs: startMs + 1 }), ['1', '1', '0', '1'])
    assert.deepEqual(await counts({ sinceMs: startMs + 1 }), ['1', '0', '0', '0'])
    const few = await queue.log.countStates(greeter, { flowId: orders }, 1)
    assert.deepEqual(
      [few.ready, few.dead],
      [
        { events: 1, more: true },
        { events: 1, more: false },
      ],
    )
    assert.deepEqual((await queue.log.countStates(guard, {}, 9)).ready, { events: 0, more: false })
  })

  test('deadLetterCauses groups the newest dead letters by their last error or their reason, and says when there may be more', async (t) => {
    const { queue } = await open(t)
    const odd = 'half a pair: \ud83d, "}], \\ and "error":"x"}]'
    const errors = ['no channel', odd, 'no channel', undefined, 'no channel']
    for (const [at, error] of errors.entries()) {
      await queue.accept(newEvent({ flowId: at === 0 ? returns : orders }))
      const failure = { failedAtMs: startMs + at, error, dead: true }
      await queue.fail(holder, [{ delivery: await claimOne(queue, startMs), ...failure }])
    }
    await queue.accept(newEvent())
    await queue.fail(holder, [{ delivery: await claimOne(queue, startMs), failedAtMs: startMs, error: 'no channel' }])
    const causes = async (filter: EventFilter, most = 9) => {
      const found = await queue.log.deadLetterCauses(greeter, filter, most)
      const shown = found.causes.map(({ error, because, events, unreplayed }) => [
        (error ?? because)?.toWellFormed(),
        events,
        unreplayed,
      ])
      return { shown, more: found.more }
    }
    const one = (cause: string, count = 1) => [cause, count, count]
    assert.deepEqual(await causes({}), {
      shown: [one('no channel', 3), one('refused-by-runtime'), one(odd.toWellFormed())],
      more: false,
    })
    assert.deepEqual(await causes({ flowId: returns }), { shown: [one('no channel')], more: false })
    assert.deepEqual(await causes({}, 2), { shown: [one('no channel'), one('refused-by-runtime')], more: true })
    assert.deepEqual(await causes({ sinceMs: startMs + 60_000 }), { shown: [], more: false })
    const [latest] = (await queue.log.deadLetterCauses(greeter, {}, 9)).causes
    assert.deepEqual(latest, {
      error: 'no channel',
      because: undefined,
      events: 3,
      unreplayed: 3,
      lastAtMs: startMs + 4,
    })

    const [{ id } = { id: '' }] = (await queue.log.page(greeter, { state: 'dead' }, { most: 1 })).events
    await queue.replay(greeter, id, startMs)
    assert.deepEqual((await causes({})).shown[0], ['no channel', 3, 2])
    assert.deepEqual((await queue.log.deadLetterCauses(guard, {}, 9)).causes, [])
  })

  test('bodyStarts returns the beginnings of bodies, and pageAfter returns the next matching events, for events in any state', async (t) => {
    const { queue } = await open(t)
    const bodies = [Buffer.from('short'), Buffer.alloc(9_000, 'long'), Buffer.alloc(0)]
    for (const body of bodies) await queue.accept(newEvent({ body, flowId: body.length === 0 ? returns : orders }))
    await queue.acknowledge(holder, [await claimOne(queue, startMs)], startMs)
    const ids = (await queue.log.page(greeter, {}, { most: 9 })).events.map(({ id }) => id).reverse()
    const starts = await queue.log.bodyStarts(greeter, [...ids, 'ev1', 'x'], 6)
    assert.deepEqual(
      ids.map((id) => Buffer.from(starts.get(id) ?? assert.fail(id)).toString()),
      ['short', 'longlo', ''],
    )
    assert.equal(starts.size, 3)
    assert.equal((await queue.log.bodyStarts(guard, ids, 6)).size, 0)
    const [first = '', second = '', third = ''] = ids
    const after = async (id: string, filter: EventFilter, most: number) =>
      pluck(await queue.log.pageAfter(greeter, filter, { after: id, most }), 'id')
    assert.deepEqual(await after(first, {}, 1), [second])
    assert.deepEqual(await after(first, {}, 9), [second, third])
    assert.deepEqual(await after(first, { flowId: returns }, 1), [third])
    assert.deepEqual(await after(first, { state: 'done' }, 1), [])
  })

  test('events for several bots in the same millisecond have different IDs, which stay the same across attempts and lists', async (t) => {
    const { queue, again } = await open(t)
    const botIds = ['greeter', 'guard', 'greeter-2', '2', 'x'.repeat(64)] as BotId[]
    for (let n = 0; n < 3; n += 1) {
      for (const botId of botIds) await queue.accept(newEvent({ botId, path: `${botId} ${n}` }))
    }
    const claimAll = async (from: DeliveryQueue, nowMs: number) => {
      const { deliveries } = await from.claim({ holder, botIds, most: 100, mostBytes: 1e9, nowMs })
      return deliveries
    }
    const first = await claimAll(queue, startMs)
    const idOfPath = new Map(first.map(({ path, id }) => [path, id]))
    assert.deepEqual([idOfPath.size, new Set(idOfPath.values()).size], [15, 15])
    assert.equal(new Set(first.map(({ delivery }) => delivery)).size, 15)
    for (const { id } of first) assert.match(id, /^[A-Za-z0-9_-]{1,78}$/)
    await queue.fail(
      holder,
      first.map(({ delivery }) => ({ delivery, failedAtMs: startMs })),
    )
    const reopened = await again(startMs)
    for (const { path, id } of await claimAll(reopened, startMs + 5_000)) assert.equal(id, idOfPath.get(path))
    for (const botId of botIds) {
      const { events } = await reopened.log.page(botId, {}, { most: 9 })
      assert.deepEqual(
        events.map(({ path, id }) => [path, id]),
        [2, 1, 0].map((n) => [`${botId} ${n}`, idOfPath.get(`${botId} ${n}`)]),
      )
      const [newest] = events
      assert.equal((await reopened.log.find(botId, newest?.id ?? ''))?.path, `${botId} 2`)
      for (const other of botIds) {
        if (other !== botId) assert.equal(await reopened.log.find(other, newest?.id ?? ''), undefined)
      }
    }
  })

  test('filters by state, flow and acceptance time can be combined, and pages leave no event out', async (t) => {
    const { queue } = await open(t)
    // Creates 40 events of two flows, a minute apart. Of every four, one is done, one dead, one leased and one ready.
    const held: [string, string][] = []
    for (let n = 0; n < 40; n += 1) {
      const acceptedAtMs = startMs + n * 60_000
      await queue.accept(newEvent({ flowId: n % 3 === 0 ? returns : orders, path: `${n}`, acceptedAtMs }))
      const delivery = await claimOne(queue, acceptedAtMs, `runtime/${n}`)
      if (n % 4 === 0) await queue.acknowledge(`runtime/${n}`, [delivery], acceptedAtMs)
      if (n % 4 === 1) await queue.fail(`runtime/${n}`, [{ delivery, failedAtMs: acceptedAtMs, dead: true }])
      if (n % 4 === 3) held.push([`runtime/${n}`, delivery])
    }
    // Releases these events only after the loop. Otherwise, later claims in the loop could take them.
    for (const [by, delivery] of held) await queue.release(by, [delivery])
    const all = Array.from({ length: 40 }, (_, n) => n)
    const stateOf = (n: number) => (['done', 'dead', 'leased', 'ready'] as const)[n % 4]
    for (const flowId of [undefined, orders, returns]) {
      for (const state of [undefined, 'ready', 'leased', 'done', 'dead'] as const) {
        for (const [from, until] of [
          [undefined, undefined],
          [10, 30],
        ]) {
          const filter = {
            flowId,
            state,
            sinceMs: from && startMs + from * 60_000,
            untilMs: until && startMs + until * 60_000,
          }
          const expected = all
            .filter((n) => flowId === undefined || (n % 3 === 0) === (flowId === returns))
            .filter((n) => state === undefined || stateOf(n) === state)
            .filter((n) => n >= (from ?? 0) && n < (until ?? 40))
          assert.deepEqual(await allPaths(queue, filter, 3), expected.reverse(), JSON.stringify(filter))
        }
      }
    }
  })

  test('counts per hour and flow cover accepted, delivered, failed and dead-lettered events, and survive a restart once flushed', async (t) => {
    const { queue, again } = await open(t)
    const hour = 3_600_000
    for (const flowId of [orders, orders, returns]) await queue.accept(newEvent({ flowId }))
    await queue.acknowledge(holder, [await claimOne(queue, startMs)], startMs + hour)
    await queue.fail(holder, [{ delivery: await claimOne(queue, startMs), failedAtMs: startMs + 1 }])
    await queue.fail(holder, [{ delivery: await claimOne(queue, startMs), failedAtMs: startMs + 2, dead: true }])
    const first = { hourMs: startMs, accepted: 3, delivered: 0, failed: 2, dead: 1 }
    const second = { hourMs: startMs + hour, accepted: 0, delivered: 1, failed: 0, dead: 0 }
    assert.deepEqual(await queue.log.counts(greeter, undefined, startMs), [first, second])
    await queue.flushCounts()
    await queue.accept(newEvent({ flowId: returns }))
    assert.deepEqual((await queue.log.counts(greeter, undefined, startMs))[0], { ...first, accepted: 4 })
    assert.deepEqual(await queue.log.counts(greeter, returns, startMs), [
      { hourMs: startMs, accepted: 2, delivered: 0, failed: 1, dead: 1 },
    ])
    assert.deepEqual(await queue.log.counts(greeter, undefined, startMs + hour), [second])
    assert.deepEqual(await queue.log.counts(guard, undefined, startMs), [])
    await queue.flushCounts()
    const reopened = await again(startMs)
    assert.deepEqual(await reopened.log.counts(greeter, undefined, startMs), [{ ...first, accepted: 4 }, second])
    await reopened.discard(greeter, await reopened.lastAccepted(greeter), 'keep')
    assert.deepEqual(await reopened.log.counts(greeter, undefined, startMs), [])
  })

  test('dead letters of several bots are counted per flow, whether their counts are flushed or not', async (t) => {
    const { queue } = await open(t)
    const failNext = async (botId: BotId, flowId: FlowId) => {
      await queue.accept(newEvent({ botId, flowId }))
      const lease = { holder, botIds: [botId], most: 1, mostBytes: 1e9, nowMs: startMs }
      const { deliveries } = await queue.claim(lease)
      await queue.fail(
        holder,
        deliveries.map(({ delivery }) => ({ delivery, failedAtMs: startMs, dead: true })),
      )
    }
    const sums = async (botIds: BotId[], sinceMs = startMs) => {
      const found = await queue.log.deadLetters(botIds, sinceMs)
      const groups = Map.groupBy(found, ({ botId, flowId }) => `${botId} ${flowId}`)
      return [...groups].map(([name, each]) => `${name}: ${each.reduce((sum, { dead }) => sum + dead, 0)}`).sort()
    }
    await failNext(greeter, orders)
    await failNext(greeter, returns)
    await queue.flushCounts()
    await failNext(greeter, orders)
    await failNext(guard, orders)
    const expected = [`${greeter} ${orders}: 2`, `${greeter} ${returns}: 1`]
    assert.deepEqual(await sums([greeter]), expected)
    assert.deepEqual(await sums([greeter, guard]), [...expected, `guard ${orders}: 1`].sort())
    await queue.flushCounts()
    assert.deepEqual(await sums([greeter, guard]), [...expected, `guard ${orders}: 1`].sort())
    assert.deepEqual(await sums([greeter, guard], startMs + 3_600_000), [])
    assert.deepEqual(await sums([]), [])
  })

  test('counts and dead letters that are read during a flush are complete and counted once', async (t) => {
    const { queue } = await open(t)
    const read = async () => {
      const [hour] = await queue.log.counts(greeter, orders, startMs)
      const [letters] = await queue.log.deadLetters([greeter], startMs)
      return [hour?.accepted, hour?.dead, letters?.dead]
    }
    for (let times = 1; times <= 20; times += 1) {
      await queue.accept(newEvent({ flowId: orders }))
      await queue.fail(holder, [{ delivery: await claimOne(queue, startMs), failedAtMs: startMs, dead: true }])
      const readings = [read()]
      const flushed = queue.flushCounts()
      readings.push(read())
      await new Promise((resolve) => setImmediate(resolve))
      readings.push(read())
      await flushed
      readings.push(read())
      const expected = [times, times, times]
      assert.deepEqual(await Promise.all(readings), Array(4).fill(expected))
    }
  })

  test('the fullest queues are listed by unfinished events, including leased ones, and empty queues are left out', async (t) => {
    const { queue, again } = await open(t)
    const fullest = async (most: number) => (await queue.log.fullest(most)).map((depth) => Object.values(depth))
    const herald = 'herald' as BotId
    assert.deepEqual(await fullest(9), [])
    await queue.accept(newEvent())
    for (const botId of [guard, guard, herald, herald]) await queue.accept(newEvent({ botId, body: Buffer.from('ab') }))
    const all = [
      [guard, 2, 4],
      [herald, 2, 4],
      [greeter, 1, 5],
    ]
    assert.deepEqual(await fullest(9), all)
    assert.deepEqual(await fullest(2), all.slice(0, 2))
    const delivery = await claimOne(queue, startMs)
    assert.deepEqual(await fullest(9), all)
    await queue.acknowledge(holder, [delivery], startMs)
    assert.deepEqual(await fullest(9), all.slice(0, 2))
    const reopened = await again(startMs)
    assert.deepEqual(pluck(await reopened.log.fullest(9), 'botId'), [guard, herald])
  })
})

/** Asserts until the change has finished that the bot's only event is listed and counted once. */
async function whileRunning<T>({ log }: DeliveryQueue, change: Promise<T>): Promise<T> {
  let isRunning = true
  const changed = change.finally(() => {
    isRunning = false
  })
  do {
    assert.equal((await log.page(greeter, {}, { most: 9 })).events.length, 1)
    const counts = Object.values(await log.countStates(greeter, {}, 9))
    assert.equal(
      counts.reduce((sum, { events }) => sum + events, 0),
      1,
    )
    await new Promise((resolve) => setImmediate(resolve))
  } while (isRunning)
  return changed
}

async function claimOne(queue: DeliveryQueue, nowMs: number, by = holder): Promise<string> {
  const { deliveries } = await queue.claim({ holder: by, botIds: [greeter], most: 1, mostBytes: 1e9, nowMs })
  return deliveries[0]?.delivery ?? assert.fail('nothing to claim')
}

async function allPaths(queue: DeliveryQueue, filter: EventFilter, most: number): Promise<number[]> {
  const paths: number[] = []
  let before: string | undefined
  do {
    const { events, next } = await queue.log.page(greeter, filter, { before, most })
    assert.ok(events.length <= most)
    paths.push(...events.map(({ path }) => Number(path)))
    before = next
  } while (before !== undefined)
  return paths
}
