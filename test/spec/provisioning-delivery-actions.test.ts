import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseBotId } from '../../src/domain/ids.ts'
import { exported } from '../support/audit.ts'
import { withQueue } from '../support/bot-deliveries.ts'
import { provision } from '../support/people.ts'
import { assertAnswer, assertProblem } from './provisioning-scene.ts'

type Scene = Awaited<ReturnType<typeof withQueue>>

function caller({ world }: Scene) {
  return (path: string, body?: object, operatorKey = world.operatorKey) =>
    provision({ ...world, operatorKey }, 'POST', `/v1/bots/bot-1/deliveries/${path}`, body)
}

const eventsOf = async ({ world }: Scene) =>
  (await world.service.queue.log.page(parseBotId('bot-1')!, {}, { most: 200 })).events

describe('POST /v1/bots/{botId}/deliveries/{eventId}/replay and /discard', () => {
  test('a dead letter is replayed as a new event (202) and discarded (204); both are audited with the key’s name', async (t) => {
    const scene = await withQueue(t)
    const call = caller(scene)
    const runtime = await scene.connect()
    const id = await scene.deadLetter(runtime, 'again')
    const { json: named } = await provision(scene.world, 'POST', '/v1/operator-keys', {
      name: 'support',
      access: 'full',
    })
    const replayed = await call(`${id}/replay`, undefined, named.key)
    assertAnswer(replayed, 202, { id: replayed.json.id })
    const again = await runtime.next('dispatch')
    assert.deepEqual(
      [again.id, again.replayOf, Buffer.from(again.body, 'base64').toString()],
      [replayed.json.id, id, 'again'],
    )

    assertProblem(await call(`${again.id}/discard`), 409, /A runtime is processing this event/)
    const discarded = await call(`${id}/discard`, undefined, named.key)
    assert.deepEqual([discarded.status, discarded.json], [204, undefined])
    for (const action of ['replay', 'discard']) {
      for (const unknown of [id, 'nothing', 'ev0', `${id}-other`]) {
        assertProblem(await call(`${unknown}/${action}`), 404, /no such event/)
      }
      const nowhere = await provision(scene.world, 'POST', `/v1/bots/nobody/deliveries/${id}/${action}`)
      assertProblem(nowhere, 404, /no bot nobody/)
    }
    runtime.send({ type: 'ack', deliveries: [again.delivery] })
    await runtime.heartbeat()
    assertProblem(await call(`${again.id}/discard`), 409, /is finished already/)

    const by = { operatorKeyId: named.id, operatorKeyName: 'support' }
    const audited = (await exported(scene.world)).filter(({ detail }) => detail.call?.endsWith('Delivery'))
    assert.deepEqual(
      audited.map(({ kind, actor, botId, detail }) => ({ kind, actor, botId, ...detail })),
      [
        { call: 'replayDelivery', outcome: 'replayed', eventId: id, id: again.id, ...by },
        { call: 'discardDelivery', outcome: 'discarded', eventId: id, ...by },
      ].map((detail) => ({ kind: 'provisioned', actor: 'operator', botId: 'bot-1', ...detail })),
    )
  })
})

describe('our choice: POST /v1/bots/{botId}/deliveries/replay and /discard', () => {
  test('replay and discard select dead letters by flow and time; an event is replayed once, and the audit log has the number of events', async (t) => {
    const scene = await withQueue(t)
    const call = caller(scene)
    const runtime = await scene.connect()
    const early = await scene.deadLetter(runtime, 'early')
    await scene.world.clock.advance(60_000)
    await runtime.heartbeat()
    const since = new Date(scene.world.clock.nowMs()).toISOString()
    const late = await scene.deadLetter(runtime, 'late')
    const other = await scene.deadLetter(runtime, 'other', 'other')
    await scene.world.clock.advance(1)

    const done = { next: null, stopped: null }
    assertAnswer(await call('replay', { flowId: 'other', since }), 200, { events: 1, ...done })
    assert.equal((await runtime.next('dispatch')).replayOf, other)
    assertAnswer(await call('replay', { until: since }), 200, { events: 1, ...done })
    assert.equal((await runtime.next('dispatch')).replayOf, early)
    assertAnswer(await call('replay', {}), 200, { events: 1, ...done })
    assert.equal((await runtime.next('dispatch')).replayOf, late)
    assertAnswer(await call('replay', {}), 200, { events: 0, ...done })
    assertAnswer(await call('replay', { state: 'delivered' }), 200, { events: 0, ...done })

    assertAnswer(await call('discard', { flowId: 'none' }), 200, { events: 0, ...done })
    assertAnswer(await call('discard', { state: 'dead' }), 200, { events: 3, ...done })
    assert.deepEqual(
      (await eventsOf(scene)).filter(({ state }) => state === 'dead'),
      [],
    )
    const audited = (await exported(scene.world)).filter(({ detail }) => detail.call?.endsWith('Deliveries'))
    assert.deepEqual(audited.at(-1)?.detail, {
      call: 'discardDeliveries',
      outcome: 'discarded',
      events: '3',
      members: 'state',
    })
  })

  test('one bulk call processes at most 1000 events; a call with next continues, without events accepted in the meantime', async (t) => {
    const scene = await withQueue(t)
    const call = caller(scene)
    for (let sent = 0; sent < 1_005; sent += 67) {
      await Promise.all(Array.from({ length: 67 }, (_, n) => scene.post(String(sent + n))))
    }
    // No runtime received the events in time, so they become dead letters.
    await scene.world.clock.advance(25 * 3_600_000)
    await scene.world.service.queue.prune(scene.world.clock.nowMs(), 2_000)
    const first = await call('discard', {})
    assert.deepEqual([first.json.events, first.json.stopped], [1_000, null])
    assert.match(first.json.next, /^\d+\.[\w-]+$/)
    await scene.world.clock.advance(1_000)
    const newer = await scene.deadLetter(await scene.connect(), 'newer')
    await scene.world.clock.advance(1_000)
    assertAnswer(await call('discard', { cursor: first.json.next }), 200, { events: 5, next: null, stopped: null })
    assert.deepEqual(
      (await eventsOf(scene)).map(({ id }) => id),
      [newer],
    )
  })

  test('a bulk call with a malformed filter returns 400 and changes nothing; an unknown bot returns 404', async (t) => {
    const scene = await withQueue(t)
    const call = caller(scene)
    const runtime = await scene.connect()
    await scene.deadLetter(runtime, 'stays')
    for (const [member, value] of [
      ['flowId', 'a b'],
      ['since', 'yesterday'],
      ['until', '2026-02-30T25:00:00Z'],
      ['cursor', 'x'],
      ['state', 'delivered'],
      ['events', 5],
    ] as const) {
      assertProblem(await call('discard', { [member]: value }), 400, [`#/${member}`])
    }
    assertProblem(await call('replay', { state: 'waiting' }), 400, ['#/state'])
    assertProblem(await call('replay'), 400, ['#'])
    for (const action of ['replay', 'discard']) {
      assertProblem(await provision(scene.world, 'POST', `/v1/bots/none/deliveries/${action}`, {}), 404, /no bot none/)
    }
    assert.equal((await eventsOf(scene)).length, 1)
  })
})
