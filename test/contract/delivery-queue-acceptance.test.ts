import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BotId, parseBotId } from '../../src/domain/ids-and-secrets.ts'
import { onEachQueue } from '../support/adapters/queue-engines.ts'
import { atOnce, pluck, tally } from '../support/together.ts'
import { claim, claimOf, greeter, guard, holder, inLine, list, newEvent, roomy, startMs } from './queue-scene.ts'

onEachQueue('DeliveryQueue, acceptance', (open) => {
  test('bots that fill the queue can’t take all of it: an event of another bot is still accepted', async (t) => {
    const { queue } = await open(t, { ...roomy, maxEvents: 40 })
    const fill = async (botId: BotId) => {
      for (let accepted = 0; ; accepted += 1) {
        const outcome = await queue.accept(newEvent({ botId, body: new Uint8Array(1) }))
        if (outcome.kind === 'accepted') continue
        assert.deepEqual(outcome, { kind: 'full', of: 'bot' })
        return accepted
      }
    }
    assert.deepEqual([await fill(greeter), await fill(parseBotId('second')!)], [32, 7])
    assert.deepEqual(await queue.accept(newEvent({ botId: guard })), { kind: 'accepted' })
  })

  test('of fifty simultaneous duplicates, a queue with room for one accepts one; the others are refused or repeated, and leave no mark', async (t) => {
    for (const limit of ['maxEventsPerBot', 'maxEvents']) {
      const { queue } = await open(t, { ...roomy, [limit]: 1 })
      const accept = (fill: number) =>
        queue.accept(newEvent(), { digest: new Uint8Array(32).fill(fill), untilMs: startMs + 100 })
      const { accepted, full = 0, repeated = 0 } = tally(await atOnce(50, () => accept(1)))
      assert.deepEqual([accepted, full + repeated], [1, 49])
      assert.equal((await accept(1)).kind, 'full', 'a full queue refuses duplicates too')
      assert.equal((await accept(2)).kind, 'full')
      const [delivery] = await claim(queue)
      await queue.acknowledge(holder, [delivery?.delivery ?? ''], startMs)
      assert.deepEqual([(await accept(1)).kind, (await accept(2)).kind], ['repeated', 'accepted'])
    }
  })

  test('a dedupe mark belongs to one bot, and holds until its end; expired ones are pruned in batches, and discarding a bot removes its marks', async (t) => {
    const { queue } = await open(t)
    const accept = async (botId: BotId, fill: number, acceptedAtMs = startMs) => {
      const mark = { digest: new Uint8Array(32).fill(fill), untilMs: acceptedAtMs + fill }
      return (await queue.accept(newEvent({ botId, acceptedAtMs }), mark)).kind
    }
    for (const fill of [1, 2, 3]) await accept(greeter, fill)
    assert.deepEqual([await accept(guard, 3), await accept(guard, 9)], ['accepted', 'accepted'])
    assert.deepEqual([await queue.pruneMarks(startMs + 2, 1), await queue.pruneMarks(startMs + 2, 10)], [1, 1])
    assert.deepEqual([await accept(greeter, 2), await accept(greeter, 3)], ['accepted', 'repeated'])
    await queue.discard(greeter, await queue.lastAccepted(greeter), 'keep')
    assert.deepEqual([await accept(greeter, 3), await accept(guard, 9)], ['accepted', 'repeated'])
    const later = [await accept(guard, 9, startMs + 8), await accept(guard, 9, startMs + 9)]
    assert.deepEqual([...later, await accept(guard, 9, startMs + 10)], ['repeated', 'accepted', 'repeated'])
  })

  test('discarding a bot’s events up to a given event leaves later events, those in flight if they are kept, and other bots’ events, also after a restart', async (t) => {
    const { queue, again } = await open(t)
    const accept = async (botId: BotId, path: string, bytes = 5) =>
      queue.accept(newEvent({ botId, path, body: new Uint8Array(bytes) }))
    for (const path of ['done', 'dead', 'retried', 'leased']) await accept(greeter, path)
    await accept(guard, 'other bot')
    const taken = pluck(await claim(queue, { botIds: [greeter] }), 'delivery')
    const [done = '', dead = '', retried = '', leased = ''] = taken
    await queue.acknowledge(holder, [done], startMs)
    const failedAtMs = startMs
    await queue.fail(holder, [
      { delivery: dead, failedAtMs, dead: true },
      { delivery: retried, failedAtMs },
    ])
    await accept(greeter, 'waiting', 5_000)
    const bound = await queue.lastAccepted(greeter)
    for (const path of ['finished later', 'later']) await accept(greeter, path)
    const [waiting = '', later = '', latest = ''] = pluck(await claim(queue, { botIds: [greeter] }), 'delivery')
    await queue.acknowledge(holder, [later], startMs)
    await queue.release(holder, [waiting, latest])
    const left = async ({ log }: typeof queue, botId: BotId) =>
      (await log.page(botId, {}, { most: 10 })).events.map(({ path }) => path)

    await queue.discard(greeter, bound, 'keep')
    let reopened = queue
    for (const reopen of [async () => queue, () => again(startMs)]) {
      reopened = await reopen()
      assert.deepEqual(await left(reopened, greeter), ['later', 'finished later', 'leased'])
      assert.deepEqual(await reopened.renew(holder, [leased], startMs), [])
    }
    await reopened.discard(greeter, bound, 'remove')
    assert.deepEqual(await left(reopened, greeter), ['later', 'finished later'])
    assert.deepEqual(await left(reopened, guard), ['other bot'])
    assert.deepEqual(await reopened.botsWithEvents([greeter, guard]), [greeter, guard])
    assert.equal((await reopened.figures()).waitingEvents, 2)
    assert.deepEqual(pluck(await claim(reopened, { nowMs: startMs + 5_000 }), 'path'), ['later'])
  })
})

onEachQueue('DeliveryQueue, discarding and retrying on request', (open) => {
  test('discarding an event frees its space in the queue, makes the flow’s next event due, and leaves its dedupe mark', async (t) => {
    const { queue, again } = await open(t, { ...roomy, maxEventsPerBot: 3, maxBytesPerBot: 10_010 })
    const mark = { digest: new Uint8Array(32).fill(1), untilMs: startMs + 100 }
    await queue.accept(newEvent({ path: 'large', body: new Uint8Array(10_000) }), mark)
    for (const path of ['head', 'next']) await queue.accept(inLine(path))
    assert.deepEqual(await queue.accept(newEvent()), { kind: 'full', of: 'bot' })
    const idOf = new Map((await list(queue, greeter, 'ready', 9)).map(({ path, id }) => [path, id]))
    const notified: BotId[] = []
    queue.onDue((botId) => notified.push(botId))
    assert.equal(await queue.discardWaiting(greeter, idOf.get('large') ?? ''), true)
    const woken = notified.length
    assert.equal(await queue.discardWaiting(greeter, idOf.get('head') ?? ''), true)
    assert.ok(notified.length > woken, 'the next in line is due')
    assert.deepEqual(await queue.accept(newEvent({ path: 'large' }), mark), { kind: 'repeated' })
    const { waitingEvents, waitingBytes, leasedEvents, deadLetters } = await queue.figures()
    assert.deepEqual([waitingEvents, waitingBytes, leasedEvents, deadLetters], [1, 5, 0, 0])
    assert.deepEqual(await queue.accept(newEvent({ body: new Uint8Array(10_000) })), { kind: 'accepted' })
    const reopened = await again(startMs)
    const outcomes = [await reopened.accept(newEvent()), await reopened.accept(newEvent())]
    assert.deepEqual(outcomes, [{ kind: 'accepted' }, { kind: 'full', of: 'bot' }])
  })

  test('of a concurrent discard and claim, exactly one gets the event', async (t) => {
    const { queue } = await open(t)
    for (let n = 0; n < 40; n += 1) {
      await queue.accept(n % 2 === 0 ? newEvent({ path: `${n}` }) : inLine(`${n}`))
    }
    const events = await list(queue, greeter, 'ready', 40)
    const claims = Array.from({ length: 8 }, (_, at) => queue.claim(claimOf({ holder: `runtime/${at}`, most: 3 })))
    const gone = await Promise.all(events.map(({ id }) => queue.discardWaiting(greeter, id)))
    const discarded = events.filter((_, at) => gone[at]).map(({ id }) => id)
    const handedOut = (await Promise.all(claims)).flatMap(({ deliveries }) => pluck(deliveries, 'id'))
    const left = pluck(await list(queue, greeter, 'ready', 40), 'id')
    assert.deepEqual([...discarded, ...handedOut, ...left].sort(), pluck(events, 'id').sort())
    assert.equal((await queue.figures()).waitingEvents, handedOut.length + left.length)
  })

  test('each event goes to exactly one of fifty simultaneous claims, at first and as a retry, even while retries are being made due immediately', async (t) => {
    const { queue } = await open(t)
    for (let n = 0; n < 20; n += 1) await queue.accept(newEvent())
    const claimAtOnce = (claims: number, nowMs: number) =>
      atOnce(claims, (at) => queue.claim(claimOf({ holder: `runtime/${at}`, most: 1, nowMs })))
    const first = await claimAtOnce(50, startMs)
    const failed = first.flatMap(({ deliveries }) => pluck(deliveries, 'id'))
    assert.deepEqual([failed.length, new Set(failed).size], [20, 20])
    for (const [at, { deliveries }] of first.entries()) {
      for (const { delivery } of deliveries) await queue.fail(`runtime/${at}`, [{ delivery, failedAtMs: startMs }])
    }
    const nowMs = startMs + 5_000
    const claims = claimAtOnce(10, nowMs)
    const hurried = failed.map((id) => queue.tryNow(greeter, id, nowMs - 1))
    const handedOut = (await claims).flatMap(({ deliveries }) => deliveries)
    await Promise.all(hurried)
    handedOut.push(...(await claim(queue, { nowMs })))
    assert.deepEqual([handedOut.length, new Set(handedOut.map(({ id }) => id)).size], [20, 20])
    assert.ok(handedOut.every(({ attempt }) => attempt === 2))
  })
})
