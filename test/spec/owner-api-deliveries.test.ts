import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { exported } from '../support/audit.ts'
import { withQueue } from '../support/bot-deliveries.ts'
import { untilStored } from '../support/bot-runtime.ts'
import { call, makeToken } from '../support/owner-api.ts'
import { assertAnswer, assertProblem } from './provisioning-scene.ts'

interface Listed {
  items: { id: string; state: string; flowId: string }[]
  next: string | null
}

async function openApi(t: TestContext) {
  const scene = await withQueue(t)
  const { world, as } = scene
  const token = await makeToken(await as('ada'), world)
  const api = (method: string, path: string, body?: object) => call(world, token, method, `bots/bot-1/${path}`, body)
  const list = async (query = ''): Promise<Listed> => {
    const { status, json } = await api('GET', `deliveries${query}`)
    assert.equal(status, 200, JSON.stringify(json))
    return json
  }
  return { ...scene, token, api, list }
}

const ids = ({ items }: Listed) => items.map(({ id }) => id)

describe('our choice: deliveries in the API for owners', () => {
  test('GET lists a bot’s deliveries by state, flow and time, newest first, page by page', async (t) => {
    const { world, post, list, api, connect, deadLetter } = await openApi(t)
    const madeAt = world.clock.iso()
    const runtime = await connect()
    const dead = await deadLetter(runtime, 'first')
    await world.clock.advance(1_000)
    await post('second', 'other')
    const { delivery, id: done } = await runtime.next('dispatch')
    runtime.send({ type: 'ack', deliveries: [delivery] })
    await untilStored(world, 'bot-1', done)
    runtime.close()
    await runtime.closed
    await world.clock.advance(1_000)
    for (let n = 0; n < 3; n += 1) await post(`waiting ${n}`)
    const all = await list()
    assert.deepEqual(
      all.items.map(({ state }) => state),
      ['waiting', 'waiting', 'waiting', 'delivered', 'dead'],
    )
    assert.deepEqual(all.items.at(-1), {
      id: dead,
      flowId: 'orders',
      path: 'orders',
      state: 'dead',
      attempts: 1,
      acceptedAt: madeAt,
      finishedAt: madeAt,
      lastError: 'No such <order>',
      deadBecause: 'refused-by-runtime',
      replayOf: null,
      replayedAs: null,
      bodyBytes: 5,
    })
    assert.deepEqual(ids(await list('?state=dead')), [dead])
    assert.deepEqual(ids(await list('?flowId=other')), [done])
    assert.deepEqual(ids(await list(`?until=${world.clock.iso(1_000)}`)), [dead])
    assert.deepEqual(ids(await list(`?since=${world.clock.iso(1_000)}&state=delivered`)), [done])
    const seen: string[] = []
    for (let page = await list('?limit=2'); ; page = await list(`?limit=2&after=${page.next}`)) {
      seen.push(...ids(page))
      if (page.next === null) break
    }
    assert.deepEqual(seen, ids(all))
    assertProblem(
      await api('GET', 'deliveries?state=done'),
      400,
      /^The parameter state is malformed\. Expected: waiting,/,
    )
    assertProblem(await api('GET', 'deliveries?since=yesterday'), 400, /^The parameter since is malformed/)
    assertProblem(await api('GET', 'deliveries?since=2026-13-05T12:00:01Z'), 400, /^The parameter since is malformed/)
    assertProblem(await api('GET', 'deliveries?after=YWJj'), 400, /^The parameter after is malformed/)
  })

  test('GET returns a delivery with its headers, its attempts and its body byte for byte', async (t) => {
    const { world, post, api, connect, as } = await openApi(t)
    const madeAt = world.clock.iso()
    const runtime = await connect()
    const body = new Uint8Array([0, 255, 1])
    await post(body, 'orders', { 'content-type': 'application/octet-stream', 'user-agent': 'sender/1' })
    const { delivery, id } = await runtime.next('dispatch')
    runtime.send({ type: 'nack', delivery, error: 'busy' })
    await untilStored(world, 'bot-1', id)
    const whole = await api('GET', `deliveries/${id}`)
    const { nextAttemptAt, clientIp, ...others } = whole.json
    assert.ok(Date.parse(nextAttemptAt) > world.clock.nowMs())
    assert.match(clientIp, /^127\.0\.0\.1$|^::1$/)
    assert.deepEqual(others, {
      id,
      flowId: 'orders',
      path: 'orders',
      state: 'waiting',
      acceptedAt: madeAt,
      finishedAt: null,
      lastError: 'busy',
      deadBecause: null,
      replayOf: null,
      replayedAs: null,
      bodyBytes: 3,
      headers: { 'content-type': 'application/octet-stream', 'user-agent': 'sender/1' },
      body: Buffer.from(body).toString('base64'),
      attempts: [{ attempt: 1, beganAt: madeAt, endedAt: madeAt, outcome: 'failed', error: 'busy' }],
    })
    assertProblem(await api('GET', 'deliveries/ev1'), 404, /^The bot has no such event/)
    const viewer = await makeToken(await as('vi'), world)
    assert.equal((await call(world, viewer, 'GET', 'bots/bot-1/deliveries')).status, 200)
    const hidden = await call(world, viewer, 'GET', `bots/bot-1/deliveries/${id}`)
    assertProblem(hidden, 403, /^Your role in this bot/)
  })

  test('replay accepts an event again, retry skips its delay, and discard removes it; in a state that does not allow the call, the event gets 409', async (t) => {
    const { world, post, api, list, connect, deadLetter } = await openApi(t)
    const runtime = await connect()
    const dead = await deadLetter(runtime, 'first')
    const replayed = await api('POST', `deliveries/${dead}/replay`)
    assertAnswer(replayed, 202, { id: replayed.json.id })
    const dispatched = await runtime.next('dispatch')
    assert.deepEqual([dispatched.id, dispatched.replayOf], [replayed.json.id, dead])
    assertProblem(
      await api('POST', `deliveries/${dispatched.id}/discard`),
      409,
      /^A runtime is processing this event\./,
    )
    runtime.send({ type: 'nack', delivery: dispatched.delivery, error: 'busy', retryMs: 60_000 })
    await untilStored(world, 'bot-1', dispatched.id)
    assert.equal((await api('POST', `deliveries/${dispatched.id}/retry`)).status, 204)
    const again = await runtime.next('dispatch')
    assert.deepEqual([again.id, again.attempt], [dispatched.id, 2])
    runtime.send({ type: 'ack', deliveries: [again.delivery] })
    await untilStored(world, 'bot-1', again.id)
    assertProblem(await api('POST', `deliveries/${again.id}/retry`), 409, /^This event is finished/)
    assert.equal((await api('POST', `deliveries/${dead}/discard`)).status, 204)
    assertProblem(await api('POST', `deliveries/${dead}/discard`), 404, /^The bot has no such event/)
    runtime.close()
    await runtime.closed
    await post('one', 'line')
    await post('two', 'line')
    const [second = ''] = ids(await list('?flowId=line'))
    assertProblem(await api('POST', `deliveries/${second}/retry`), 409, /^The flow has strict order/)
    assert.equal((await list('?flowId=line')).items.length, 2)
    const changes = (await exported(world)).flatMap(({ kind, detail }) =>
      kind.startsWith('events-') ? [`${kind} ${detail.personalTokenName}`] : [],
    )
    assert.deepEqual(changes, ['events-replayed script', 'events-tried-now script', 'events-discarded script'])
  })

  test('all dead letters of one flow or of all flows can be replayed once and then discarded', async (t) => {
    const { world, api, list, connect, deadLetter } = await openApi(t)
    const runtime = await connect()
    for (const path of ['orders', 'orders', 'other']) await deadLetter(runtime, path, path)
    runtime.close()
    await runtime.closed
    // A bulk operation takes only events that were accepted before it.
    await world.clock.advance(1_000)
    const outcome = (events: number) => ({ events, next: null, stopped: null })
    const post = (action: string, body: object) => api('POST', `deliveries/${action}`, body)
    assertAnswer(await post('replay', { flowId: 'orders' }), 200, outcome(2))
    assertAnswer(await post('replay', { flowId: 'orders' }), 200, outcome(0))
    assert.equal((await list('?state=waiting')).items.length, 2)
    assertAnswer(await post('discard', { flowId: 'other' }), 200, outcome(1))
    assertAnswer(await post('discard', {}), 200, outcome(2))
    assert.deepEqual(ids(await list('?state=dead')), [])
    assertProblem(await post('discard', { cursor: 'YWJj' }), 400, ['#/cursor'])
    assertProblem(await post('discard', { state: 'delivered' }), 400, ['#/state'])
  })
})
