import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { withQueue } from '../support/bot-deliveries.ts'
import { untilStored } from '../support/bot-runtime.ts'
import { eventually } from '../support/eventually.ts'
import { provision } from '../support/people.ts'
import { assertAnswer, assertProblem } from './provisioning-scene.ts'
import { dispatched } from './runtime-link-scene.ts'

async function openDeliveries(t: TestContext) {
  const scene = await withQueue(t)
  const get = (path: string) => provision(scene.world, 'GET', `/v1/${path}`)
  const listed = async (query = '') => {
    const { items, next } = (await get(`bots/bot-1/deliveries?${query}`)).json
    return { items: items as { id: string; path: string; state: string }[], next: next as string | null }
  }
  return { ...scene, get, listed }
}

describe('GET /v1/bots/{botId}/deliveries', () => {
  test('a delivery is listed with its state, and read with its headers, its body in base64 and its attempts', async (t) => {
    const { world, post, connect, get } = await openDeliveries(t)
    const at = world.clock.iso()
    const body = Buffer.from([0, 255, 10, 13])
    await post(body, 'orders', { 'content-type': 'application/octet-stream', 'x-request-id': 'r-1', 'user-agent': 'T' })
    const waiting = (await get('bots/bot-1/deliveries')).json.items[0]
    const { id } = waiting
    const members = {
      ...{ id, flowId: 'orders', path: 'orders', acceptedAt: at, finishedAt: null, lastError: null, deadBecause: null },
      ...{ bodyBytes: 4, replayOf: null, replayedAs: null },
    }
    assert.deepEqual(waiting, { ...members, state: 'waiting', attempts: 0 })

    const runtime = await connect()
    const first = await runtime.next('dispatch')
    assert.equal((await get('bots/bot-1/deliveries?state=processing')).json.items[0].attempts, 1)
    runtime.send({ type: 'nack', delivery: first.delivery, error: 'No such order' })
    await untilStored(world, 'bot-1', id)
    const failed = { attempt: 1, beganAt: at, endedAt: at, outcome: 'failed', error: 'No such order' }
    const request = {
      clientIp: '127.0.0.1',
      headers: { 'content-type': 'application/octet-stream', 'user-agent': 'T', 'x-request-id': 'r-1' },
      body: body.toString('base64'),
    }
    const { nextAttemptAt, ...retried } = (await get(`bots/bot-1/deliveries/${id}`)).json
    const failure = { lastError: 'No such order', attempts: [failed] }
    assert.deepEqual(retried, { ...members, ...request, ...failure, state: 'waiting' })
    assert.ok(nextAttemptAt > at)

    runtime.send({ type: 'ack', deliveries: [(await dispatched(world, runtime)).delivery] })
    await untilStored(world, 'bot-1', id)
    const done = (await get(`bots/bot-1/deliveries/${id}`)).json
    assert.deepEqual([done.state, done.nextAttemptAt, done.attempts[1].outcome], ['delivered', null, 'delivered'])
    assert.deepEqual(done.finishedAt, done.attempts[1].endedAt)
  })

  test('filters select deliveries by state, flow and time, and pages list deliveries newest first', async (t) => {
    const { world, post, connect, deadLetter, listed } = await openDeliveries(t)
    const runtime = await connect()
    const dead = await deadLetter(runtime, 'dead', 'other')
    await world.clock.advance(1_000)
    await post('x', 'line')
    // On SQLite, an event isn't listed while its lease is being written.
    await runtime.next('dispatch')
    const { items } = await listed()
    assert.deepEqual(
      items.map(({ path }) => path),
      ['line', 'other'],
    )
    const ids = async (query: string) => (await listed(query)).items.map(({ id }) => id)
    assert.deepEqual(await ids('state=dead'), [dead])
    assert.deepEqual(await ids('state=delivered'), [])
    assert.deepEqual(await ids('flowId=other'), [dead])
    assert.deepEqual(await ids('since=9999-12-31T23:59:59Z'), [])
    assert.deepEqual(await ids(`since=${world.clock.iso(1_000)}`), [items[0]?.id])
    assert.deepEqual(await ids(`until=${world.clock.iso(3_601_000).replace('Z', '%2B01:00')}`), [dead])
    const first = await listed('limit=1')
    assert.deepEqual([first.items.length, (await listed(`limit=1&after=${first.next}`)).items[0]?.id], [1, dead])
  })

  test('deliveries of an unknown bot, and an unknown delivery, return 404', async (t) => {
    const { get, world } = await openDeliveries(t)
    assertProblem(await get('bots/nobody/deliveries'), 404, /no bot nobody/)
    assertProblem(await get('bots/nobody/deliveries/ev1'), 404, /no bot nobody/)
    for (const id of ['ev1', 'none', '%00', 'x'.repeat(90)]) {
      assertProblem(await get(`bots/bot-1/deliveries/${id}`), 404, /^There is no event /)
    }
    assert.equal((await fetch(`${world.controlUrl}/v1/bots/bot-1/deliveries/ev1`)).status, 401)
  })
})

describe('GET /v1/bots', () => {
  test('a bot’s state, runtimeConnected and waiting reflect its runtime and queue', async (t) => {
    const { world, post, connect, get } = await openDeliveries(t)
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
    const report = { botId: 'bot-1', ready: true, presence: 'online', uptimeMs: 1, guildCount: 1, shardCount: 1 }
    await runtime.heartbeat([], [report])
    assert.deepEqual(await bot('state=online'), [['online', true, 2]])
    assert.deepEqual(await bot('runtimeConnected=false'), [])
    runtime.send({ type: 'ack', deliveries: [first?.delivery] })
    await eventually(async () => (await bot())[0][2] === 1 || undefined)
    assert.deepEqual(await bot('runtimeConnected=true&ownerId=ada'), [['online', true, 1]])
    await runtime.heartbeat([], [{ ...report, ready: false }])
    assert.deepEqual(await bot('state=connecting'), [['connecting', true, 1]])
    await runtime.crash()
    await world.clock.advance(91_000)
    assert.deepEqual(await bot(), [['offline', false, 1]])
  })
})
