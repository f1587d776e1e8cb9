import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { BotId, UserId } from '../../src/domain/ids-and-secrets.ts'
import type { EventState } from '../../src/domain/webhooks/event-log.ts'
import { audited, exported } from '../support/audit.ts'
import { withQueue } from '../support/bot-deliveries.ts'
import { reportOf, untilStored } from '../support/bot-runtime.ts'
import { eventually } from '../support/eventually.ts'
import { call, makeToken, provision, testOrigin } from '../support/people.ts'
import { atOnce, pluck } from '../support/together.ts'
import { storageOfRun } from '../support/world.ts'
import { failRows, inDatabase } from '../support/world-database.ts'
import { assertAnswer, assertProblem } from './provisioning-scene.ts'
import { dispatched } from './runtime-link-scene.ts'

interface Listed {
  items: { id: string; path: string; state: string }[]
  next: string | null
}

/** Opens a bot with flows, and the control API (`operate`) and the API for owners (`own`), below the bot. */
async function openApis(t: TestContext) {
  const scene = await withQueue(t)
  const { world } = scene
  const token = await makeToken(await scene.as('ada'), world)
  const operate = (method: string, path: string, body?: object, operatorKey = world.operatorKey) =>
    provision({ ...world, operatorKey }, method, `/v1/bots/bot-1/${path}`, body)
  const own = (method: string, path: string, body?: object) => call(world, token, method, `bots/bot-1/${path}`, body)
  /** Reads from both APIs, which respond alike. */
  const get = async (path: string) => {
    const answer = await operate('GET', path)
    const { status, json } = await own('GET', path)
    assert.deepEqual([status, json], [answer.status, answer.json], path)
    return answer
  }
  const listed = async (query = '') => (await get(`deliveries?${query}`)).json as Listed
  return { ...scene, token, operate, own, get, listed }
}

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

describe('GET /v1/bots/{botId}/deliveries, and the same in the API for owners', () => {
  test('a delivery is listed with its state, and read with its headers, its body in base64 and its attempts', async (t) => {
    const { world, post, connect, get } = await openApis(t)
    const at = world.clock.iso()
    const body = Buffer.from([0, 255, 10, 13])
    await post(body, 'orders', { 'content-type': 'application/octet-stream', 'x-request-id': 'r-1', 'user-agent': 'T' })
    const waiting = (await get('deliveries')).json.items[0]
    const { id } = waiting
    const members = {
      ...{ id, flowId: 'orders', path: 'orders', acceptedAt: at, finishedAt: null, lastError: null, deadBecause: null },
      ...{ bodyBytes: 4, replayOf: null, replayedAs: null },
    }
    assert.deepEqual(waiting, { ...members, state: 'waiting', attempts: 0 })

    const runtime = await connect()
    const first = await runtime.next('dispatch')
    assert.equal((await get('deliveries?state=processing')).json.items[0].attempts, 1)
    runtime.send({ type: 'nack', delivery: first.delivery, error: 'No such order' })
    await untilStored(world, 'bot-1', id)
    const failed = { attempt: 1, beganAt: at, endedAt: at, outcome: 'failed', error: 'No such order' }
    const request = {
      clientIp: '127.0.0.1',
      headers: { 'content-type': 'application/octet-stream', 'user-agent': 'T', 'x-request-id': 'r-1' },
      body: body.toString('base64'),
    }
    const { nextAttemptAt, ...retried } = (await get(`deliveries/${id}`)).json
    const failure = { lastError: 'No such order', attempts: [failed] }
    assert.deepEqual(retried, { ...members, ...request, ...failure, state: 'waiting' })
    assert.ok(nextAttemptAt > at)

    const again = await dispatched(world, runtime)
    runtime.send({ type: 'nack', delivery: again.delivery, error: 'Never', dead: true })
    await untilStored(world, 'bot-1', id)
    const dead = (await get(`deliveries/${id}`)).json
    assert.deepEqual(
      [dead.state, dead.nextAttemptAt, dead.attempts[1].outcome, dead.lastError, dead.deadBecause],
      ['dead', null, 'failed', 'Never', 'refused-by-runtime'],
    )
    assert.deepEqual(dead.finishedAt, dead.attempts[1].endedAt)
  })

  test('filters select deliveries by state, flow and time, newest first; unknown bots and deliveries return 404; a viewer lists deliveries but can’t read one', async (t) => {
    const { world, as, token, post, connect, deadLetter, operate, own, get, listed } = await openApis(t)
    const runtime = await connect()
    const dead = await deadLetter(runtime, 'dead', 'other')
    await world.clock.advance(1_000)
    await post('x', 'line')
    const { delivery, id: done } = await runtime.next('dispatch')
    runtime.send({ type: 'ack', deliveries: [delivery] })
    await untilStored(world, 'bot-1', done)
    for (const [query, ids] of [
      ['', [done, dead]],
      ['state=dead', [dead]],
      ['state=delivered', [done]],
      ['flowId=other', [dead]],
      ['since=9999-12-31T23:59:59Z', []],
      [`since=${world.clock.iso(1_000)}&state=delivered`, [done]],
      [`until=${world.clock.iso(3_601_000).replace('Z', '%2B01:00')}`, [dead]],
    ] as const) {
      assert.deepEqual(pluck((await listed(query)).items, 'id'), ids, query)
    }
    for (const query of ['state=done', 'since=yesterday', 'since=2026-13-05T12:00:01Z', 'after=YWJj']) {
      const [name] = query.split('=')
      assertProblem(await get(`deliveries?${query}`), 400, new RegExp(`^The parameter ${name} is malformed`))
    }

    for (const path of ['deliveries', `deliveries/${dead}`]) {
      assertProblem(await provision(world, 'GET', `/v1/bots/nobody/${path}`), 404, /no bot nobody/)
      assertProblem(await call(world, token, 'GET', `bots/nobody/${path}`), 404, /^There is no such bot/)
    }
    for (const unknown of ['ev1', 'none', '%00', 'x'.repeat(90)]) {
      assertProblem(await operate('GET', `deliveries/${unknown}`), 404, /^There is no event /)
      assertProblem(await own('GET', `deliveries/${unknown}`), 404, /^The bot has no such event/)
    }
    const viewer = await makeToken(await as('vi'), world)
    assert.equal((await call(world, viewer, 'GET', 'bots/bot-1/deliveries')).status, 200)
    const hidden = await call(world, viewer, 'GET', `bots/bot-1/deliveries/${dead}`)
    assertProblem(hidden, 403, /^Your role in this bot/)
  })
})

describe('POST /v1/bots/{botId}/deliveries/{eventId}/replay and /discard, and in the API for owners also /retry', () => {
  test('a dead letter is replayed as a new event (202) and discarded (204), audited with the name of the key or token; an owner also retries an event, in strict order only the first', async (t) => {
    const { world, operate, own, post, listed, connect, deadLetter } = await openApis(t)
    const { json: named } = await provision(world, 'POST', '/v1/operator-keys', { name: 'support', access: 'full' })
    const runtime = await connect()
    const asOperator = (path: string) => operate('POST', `deliveries/${path}`, undefined, named.key)
    const asOwner = (path: string) => own('POST', `deliveries/${path}`)
    const ids: string[] = []
    for (const act of [asOperator, asOwner]) {
      const id = await deadLetter(runtime, 'again')
      const replayed = await act(`${id}/replay`)
      assertAnswer(replayed, 202, { id: replayed.json.id })
      let again = await runtime.next('dispatch')
      const body = Buffer.from(again.body, 'base64').toString()
      assert.deepEqual([again.id, again.replayOf, body], [replayed.json.id, id, 'again'])
      assertProblem(await act(`${again.id}/discard`), 409, /^A runtime is processing this event/)
      if (act === asOwner) {
        runtime.send({ type: 'nack', delivery: again.delivery, error: 'busy', retryMs: 60_000 })
        await untilStored(world, 'bot-1', again.id)
        assert.equal((await act(`${again.id}/retry`)).status, 204)
        again = await runtime.next('dispatch')
        assert.deepEqual([again.id, again.attempt], [replayed.json.id, 2])
      }
      runtime.send({ type: 'ack', deliveries: [again.delivery] })
      await untilStored(world, 'bot-1', again.id)
      for (const action of act === asOwner ? ['discard', 'retry'] : ['discard']) {
        assertProblem(await act(`${again.id}/${action}`), 409, /^This event is finished/)
      }
      const discarded = await act(`${id}/discard`)
      assert.deepEqual([discarded.status, discarded.json], [204, undefined])
      for (const action of ['replay', 'discard']) {
        for (const unknown of [id, 'nothing', 'ev0', `${id}-other`]) {
          assertProblem(await act(`${unknown}/${action}`), 404, /no such event/)
        }
        const nowhere = await provision(world, 'POST', `/v1/bots/nobody/deliveries/${id}/${action}`)
        assertProblem(nowhere, 404, /no bot nobody/)
      }
      ids.push(id, again.id)
    }
    await runtime.crash()
    for (const body of ['one', 'two']) await post(body, 'line')
    const [second] = (await listed('flowId=line')).items
    assertProblem(await asOwner(`${second?.id}/retry`), 409, /^The flow has strict order/)

    const changes = (await exported(world)).flatMap(
      ({ kind, detail: { operatorKeyId: _, personalTokenId: __, ...detail } }) =>
        kind.startsWith('events-') || detail.call?.endsWith('Delivery') ? [{ kind, ...detail }] : [],
    )
    const [dead, replay, ofOwner, retried] = ids
    const byKey = { kind: 'provisioned', eventId: dead, operatorKeyName: 'support' }
    assert.deepEqual(changes, [
      { ...byKey, call: 'replayDelivery', outcome: 'replayed', id: replay },
      { ...byKey, call: 'discardDelivery', outcome: 'discarded' },
      ...[
        ['events-replayed', ofOwner],
        ['events-tried-now', retried],
        ['events-discarded', ofOwner],
      ].map(([kind, event]) => ({ kind, events: '1', event, personalTokenName: 'script' })),
    ])
  })
})

describe('our choice: POST /v1/bots/{botId}/deliveries/replay and /discard, and the same in the API for owners', () => {
  test('replay and discard select dead letters by flow and time; a malformed filter returns 400 and changes nothing, an unknown bot 404; an event is replayed once, and the audit log has the number of events', async (t) => {
    const { world, operate, own, connect, deadLetter, listed } = await openApis(t)
    const runtime = await connect()
    const early = await deadLetter(runtime, 'early')
    await world.clock.advance(60_000)
    await runtime.heartbeat()
    const since = world.clock.iso(60_000)
    const late = await deadLetter(runtime, 'late')
    const other = await deadLetter(runtime, 'other', 'other')
    await world.clock.advance(1)

    for (const api of [operate, own]) {
      for (const [member, value] of [
        ['flowId', 'a b'],
        ['since', 'yesterday'],
        ['until', '2026-02-30T12:00:00Z'],
        ['cursor', 'x'],
        ['cursor', 'YWJj'],
        ['state', 'delivered'],
        ['events', 5],
      ] as const) {
        assertProblem(await api('POST', 'deliveries/discard', { [member]: value }), 400, [`#/${member}`])
      }
      assertProblem(await api('POST', 'deliveries/replay', { state: 'waiting' }), 400, ['#/state'])
      assertProblem(await api('POST', 'deliveries/replay'), 400, ['#'])
    }
    for (const action of ['replay', 'discard']) {
      assertProblem(await provision(world, 'POST', `/v1/bots/none/deliveries/${action}`, {}), 404, /no bot none/)
    }

    const outcome = (events: number) => ({ events, next: null, stopped: null })
    for (const [api, filter, replayed] of [
      [operate, { flowId: 'other', since }, other],
      [own, { until: since }, early],
      [operate, {}, late],
    ] as const) {
      const both = await atOnce(2, () => api('POST', 'deliveries/replay', filter))
      both.sort((one, other) => one.json.events - other.json.events)
      for (const [events, answer] of both.entries()) assertAnswer(answer, 200, outcome(events))
      assert.equal((await runtime.next('dispatch')).replayOf, replayed)
    }
    for (const api of [operate, own]) {
      assertAnswer(await api('POST', 'deliveries/replay', {}), 200, outcome(0))
      assertAnswer(await api('POST', 'deliveries/replay', { state: 'delivered' }), 200, outcome(0))
      assertAnswer(await api('POST', 'deliveries/discard', { flowId: 'none' }), 200, outcome(0))
    }
    assertAnswer(await own('POST', 'deliveries/discard', { flowId: 'other' }), 200, outcome(1))
    assertAnswer(await operate('POST', 'deliveries/discard', { state: 'dead' }), 200, outcome(2))
    assert.deepEqual((await listed('state=dead')).items, [])
    const audited = (await exported(world)).filter(({ detail }) => detail.call?.endsWith('Deliveries'))
    const discarded = { call: 'discardDeliveries', outcome: 'discarded', events: '2', members: 'state' }
    assert.deepEqual(audited.at(-1)?.detail, discarded)
  })

  test('one bulk call processes at most 1000 events, each once and oldest first; a call with next continues, without dead letters of the meantime; skipping replayed ones, and a search in bodies, don’t block the event loop', async (t) => {
    const { world, post, operate, own } = await openApis(t)
    const { queue, eventAccess } = world.service
    const botId = 'bot-1' as BotId
    const userId = 'ada' as UserId
    const inState = async (state: EventState) => (await queue.log.page(botId, { state }, { most: 2_000 })).events
    const expire = async () => {
      await world.clock.advance(25 * 3_600_000)
      await queue.prune(world.clock.nowMs(), 2_000)
    }
    for (let sent = 0; sent < 1_005; sent += 67) {
      await Promise.all(Array.from({ length: 67 }, (_, n) => post(String(sent + n))))
    }
    await expire()
    const bulk = async (action: string, meanwhile?: () => Promise<void>) => {
      await world.clock.advance(1)
      const { json } = await operate('POST', `deliveries/${action}`, {})
      assert.deepEqual([json.events, json.stopped], [1_000, null])
      assert.match(json.next, /^\d+\.[\w-]+$/)
      await meanwhile?.()
      const rest = await operate('POST', `deliveries/${action}`, { cursor: json.next })
      assertAnswer(rest, 200, { events: 5, next: null, stopped: null })
    }
    await bulk('replay')
    assert.deepEqual(pluck(await inState('ready'), 'replayOf'), pluck(await inState('dead'), 'id'))

    const again = await ticksDuring(eventAccess.replayAll({ userId, origin: testOrigin }, botId, { state: 'dead' }))
    const search = await ticksDuring(eventAccess.search(userId, botId, {}, 'not in any body', { most: 50 }))
    assert.deepEqual([again.result.events, search.result.events, search.result.examined], [0, [], 1_000])
    for (const { ticks } of [again, search]) assert.ok(ticks >= 10, `${ticks} ticks`)

    await bulk('discard', expire)
    assert.equal((await inState('dead')).length, 1_005)

    // One event can't be removed: PostgreSQL stops before its batch, and SQLite skips it.
    const table = { sqlite: 'events', postgres: 'queue_dead' }[storageOfRun]
    const [row] = await inDatabase(world, 'queue', `SELECT number FROM ${table} ORDER BY number LIMIT 1 OFFSET 150`)
    const diskFull = '53100'
    await failRows(world, 'queue', { table, change: 'DELETE', when: `OLD.number = ${row?.number}`, code: diskFull })
    const { json } = await own('POST', 'deliveries/discard', {})
    const [events, stopped] = { sqlite: [1_000, null], postgres: [100, 'gateway-unavailable'] }[storageOfRun]
    assert.deepEqual([json.events, json.stopped, typeof json.next], [events, stopped, 'string'])
    assert.equal((await audited(world, /^events-discarded/)).at(-1)?.detail.events, String(events))
    assert.equal((await inState('dead')).length, 1_005 - Number(events))
  })
})

test('GET /v1/bots: a bot’s state, runtimeConnected and waiting reflect its runtime and queue', async (t) => {
  const { world, post, connect } = await openApis(t)
  const get = (path: string) => provision(world, 'GET', `/v1/${path}`)
  const bot = async (query = '') => {
    const { json } = await get(`bots?${query}`)
    return json.items.map(({ state, runtimeConnected, waiting }: Record<string, unknown>) => [
      ...[state, runtimeConnected, waiting],
    ])
  }
  await post('one')
  await post('two')
  assert.deepEqual(await bot(), [['offline', false, 2]])
  const queue = { botId: 'bot-1', subscriptionId: null, waiting: 2, bytes: 6 }
  assertAnswer(await get('queues'), 200, { items: [queue], next: null })
  assertProblem(await get('queues?limit=0'), 400, /^The parameter limit is malformed/)
  assertProblem(await get('queues?after=x'), 400, /^Unknown parameter after/)
  assert.deepEqual(await bot('runtimeConnected=true'), [])

  const runtime = await connect()
  const [first] = await runtime.deliveries(2)
  await runtime.heartbeat([], [reportOf('bot-1')])
  assert.deepEqual(await bot('state=online'), [['online', true, 2]])
  assert.deepEqual(await bot('runtimeConnected=false'), [])
  runtime.send({ type: 'ack', deliveries: [first?.delivery] })
  await eventually(async () => (await bot())[0][2] === 1 || undefined)
  assert.deepEqual(await bot('runtimeConnected=true&ownerId=ada'), [['online', true, 1]])
  await runtime.heartbeat([], [reportOf('bot-1', false)])
  assert.deepEqual(await bot('state=connecting'), [['connecting', true, 1]])
  await runtime.crash()
  await world.clock.advance(91_000)
  assert.deepEqual(await bot(), [['offline', false, 1]])
})
