import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { openEventReceiver } from '../support/event-receiver.ts'
import { advanceUntil, eventually } from '../support/eventually.ts'
import { openNodes } from '../support/nodes.ts'
import { provision } from '../support/people.ts'
import { inDatabase } from '../support/world-database.ts'
import { openScene } from './subscriptions-scene.ts'

const verified = (secret: string, { headers, body }: { headers: object; body: string }) =>
  new Webhook(secret).verify(body, headers as Record<string, string>)

describe('our choice: delivery of events to subscriptions', () => {
  test('an outgoing event is a signed POST request that the standardwebhooks library verifies; for 24 hours after a rotation, requests carry signatures of both secrets, then of the new secret only', async (t) => {
    const { world, receiver, call, subscribe, delivery } = await openScene(t, {}, Date.now())
    const secret = await subscribe('one', ['bot.online'])
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.equal((await call('POST', 'subscriptions/one/test')).status, 202)
    const [event] = await receiver.on('/one')
    const { timestamp } = event!.json
    assert.deepEqual(event!.json, { type: 'subscription.test', timestamp, data: { subscriptionId: 'one' } })
    assert.match(timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.equal(event!.headers['content-type'], 'application/json')
    assert.equal(event!.headers['user-agent'], 'Gatehouse/1.2.3')
    assert.match(String(event!.headers['webhook-id']), /^msg_[A-Za-z0-9_-]{22}$/)
    assert.deepEqual(verified(secret, event!), event!.json)
    assert.throws(() => verified(secret, { ...event!, body: event!.body.replace('one', 'two') }))

    const { id, acceptedAt, ...sent } = await delivery('one', 'delivered')
    const delivered = { state: 'delivered', attempts: 1, lastError: null, nextAttemptAt: null, replayOf: null }
    const webhookId = event!.headers['webhook-id']
    assert.deepEqual(sent, { type: 'subscription.test', webhookId, ...delivered })
    assert.equal(acceptedAt, event!.json.timestamp)
    const { items } = (await call('GET', 'bots')).json
    assert.deepEqual([items.length, items[0].id], [1, 'bot-1'], 'an outbox is no bot')

    const rotated = await call('POST', 'subscriptions/one/secret')
    assert.equal(rotated.status, 201)
    assert.notEqual(rotated.json.secret, secret)
    await call('POST', 'subscriptions/one/test')
    const [, both] = await receiver.on('/one', 2)
    assert.equal(String(both!.headers['webhook-signature']).split(' ').length, 2)
    verified(secret, both!)
    verified(rotated.json.secret, both!)

    world.clock.jump(24 * 3_600_000)
    await call('POST', 'subscriptions/one/test')
    const [, , later] = await receiver.on('/one', 3)
    assert.equal(String(later!.headers['webhook-signature']).split(' ').length, 1)
    assert.throws(() => verified(secret, later!), /No matching signature|too new/)
  })

  test('an event that the service fails to send counts as a failed attempt and does not delay later events', async (t) => {
    const { world, receiver, call, subscribe, delivery, receivedInTime } = await openScene(t)
    await subscribe('one', ['bot.online'])
    await inDatabase(world, 'identity', {
      sqlite: "UPDATE subscriptions SET sealed_secret = X'00'",
      postgres: "UPDATE subscriptions SET sealed_secret = '\\x00'",
    })
    for (let n = 0; n < 5; n += 1) await call('POST', 'subscriptions/one/test')
    const { lastError, nextAttemptAt } = await delivery('one', 'waiting')
    assert.equal(lastError, 'the service failed to send the request')
    assert.ok(Date.parse(nextAttemptAt) - world.clock.nowMs() < 10_000)
    await call('POST', 'subscriptions/one/secret')
    await receivedInTime('/one', 5)
    assert.equal(receiver.received.length, 5)
  })

  test('a failed attempt is retried with the same webhook-id after the same delays as a webhook; after the last attempt, the event is dead', async (t) => {
    const { world, receiver, call, subscribe, delivery, receivedInTime } = await openScene(t)
    await subscribe('one', ['bot.online'])
    receiver.responses.set('/one', { status: 500, body: 'out\u0000 of order\n' })
    await call('POST', 'subscriptions/one/test')
    const waitsMs = [5_000, 30_000, 120_000, 600_000, 3_600_000]
    for (const [at, waitMs] of waitsMs.entries()) {
      await receiver.on('/one', at + 1)
      const waiting = await delivery('one', 'waiting', at + 1)
      const untilDueMs = Date.parse(waiting.nextAttemptAt) - world.clock.nowMs()
      assert.ok(untilDueMs > waitMs * 0.5 && untilDueMs <= waitMs * 1.2, `${untilDueMs}`)
      await world.clock.advance(untilDueMs)
      await receivedInTime('/one', at + 2)
    }
    const all = await receiver.on('/one', 6)
    assert.equal(new Set(all.map(({ headers }) => headers['webhook-id'])).size, 1)
    const dead = await delivery('one', 'dead', 6)
    assert.deepEqual([dead.attempts, dead.lastError], [6, 'status 500\nout\ufffd of order'])
    const { json } = await call('GET', `subscriptions/one/deliveries/${dead.id}`)
    assert.equal(json.body, all[0]!.body)
    const failed = { outcome: 'failed', error: dead.lastError }
    const attempts = [1, 2, 3, 4, 5, 6].map((attempt) => ({ attempt, ...failed }))
    assert.partialDeepStrictEqual(json.attempts, attempts)
    assert.equal(json.attempts.length, 6)

    receiver.responses.set('/one', { status: 202, body: 'thanks' })
    const replay = await call('POST', `subscriptions/one/deliveries/${dead.id}/replay`)
    assert.equal(replay.status, 202)
    const replayed = (await receiver.on('/one', 7))[6]
    assert.equal(replayed!.headers['webhook-id'], all[0]!.headers['webhook-id'])
    const delivered = await delivery('one', 'delivered')
    assert.deepEqual([delivered.id, delivered.replayOf], [replay.json.id, dead.id])
  })

  test('Retry-After of a 429 or 503 response delays the next attempt by up to an hour, but never shortens a delay', async (t) => {
    const { world, receiver, call, subscribe, delivery } = await openScene(t)
    const inSeconds = (seconds: number) => new Date(world.clock.nowMs() + seconds * 1_000).toUTCString()
    const schedule = [5_000, 6_000] as const
    const rows: [status: number, retryAfter: string, from: number, to?: number][] = [
      [429, '120', 120_000],
      [503, '120', 120_000],
      [503, inSeconds(300), 299_000, 300_000],
      // The obsolete forms (RFC 9110 section 5.6.7)
      [503, inSeconds(300).replace(/, (..) (...) ..(..)/, 'day, $1-$2-$3'), 299_000, 300_000],
      [503, inSeconds(300).replace(/, (..) (...) (.{4}) (.+) GMT/, ' $2 $1 $4 $3'), 299_000, 300_000],
      [429, '3600', 3_600_000],
      [429, '3601', 3_600_000],
      [429, '9'.repeat(400), 3_600_000],
      [503, inSeconds(7_200), 3_600_000],
      ...['0', '1', '-120', '1.5', '', 'soon', '120, 240', '2 minutes', inSeconds(-300), '2030-01-01'].map(
        (value) => [429, value, ...schedule] as [number, string, number, number],
      ),
      ...[400, 500, 502, 302].map((status) => [status, '120', ...schedule] as [number, string, number, number]),
    ]
    for (const [at, [status, retryAfter, from, to = from]] of rows.entries()) {
      const id = `one-${at}`
      await subscribe(id, ['bot.online'])
      receiver.responses.set(`/${id}`, { status, headers: { 'retry-after': retryAfter } })
      await call('POST', `subscriptions/${id}/test`)
      const waitMs = Date.parse((await delivery(id, 'waiting')).nextAttemptAt) - world.clock.nowMs()
      assert.ok(waitMs >= from && waitMs <= to, `${status}, Retry-After: ${retryAfter}: ${waitMs} ms`)
    }
  })

  test('a 410 response disables the subscription and ends retries, unless its URL was replaced meanwhile; a redirect is not followed and counts as a failure', async (t) => {
    const { receiver, call, subscribe, delivery } = await openScene(t)
    await subscribe('gone', ['bot.online'])
    await subscribe('moved', ['bot.online'])
    receiver.responses.set('/gone', { status: 410 })
    receiver.responses.set('/moved', { status: 302, headers: { location: `${receiver.url}/elsewhere` } })
    await call('POST', 'subscriptions/gone/test')
    await call('POST', 'subscriptions/moved/test')
    assert.equal((await delivery('gone', 'dead')).lastError, 'status 410')
    const { json } = await call('GET', 'subscriptions/gone')
    assert.deepEqual([json.enabled, json.disabledBecause], [false, 'gone'])
    assert.equal((await delivery('moved', 'waiting')).lastError, 'status 302')
    // A failure is counted once it is synced to the disk, which is after a list can show it.
    const [depth] = await eventually(async () => {
      const { items } = (await call('GET', 'queues')).json
      return items.length === 1 ? items : undefined
    })
    assert.deepEqual(depth, { botId: null, subscriptionId: 'moved', waiting: 1, bytes: depth.bytes })
    assert.deepEqual(receiver.at('/elsewhere'), [])
    await call('POST', 'subscriptions/gone/test')
    const unsent = await eventually(async () => {
      const { lastError } = await delivery('gone', 'dead')
      return lastError === 'status 410' ? undefined : lastError
    })
    assert.equal(unsent, 'subscription disabled')
    assert.equal((await receiver.on('/gone')).length, 1)

    await subscribe('old', ['bot.online'])
    const answer = Promise.withResolvers<{ status: number }>()
    receiver.responses.set('/old', answer.promise)
    await call('POST', 'subscriptions/old/test')
    await receiver.on('/old')
    await call('PUT', 'subscriptions/old', { url: `${receiver.url}/new`, types: ['bot.online'] })
    answer.resolve({ status: 410 })
    assert.equal((await delivery('old', 'dead')).lastError, 'status 410')
    assert.equal((await call('GET', 'subscriptions/old')).json.enabled, true)
  })

  test('events that wait when their owner is disabled fail; once the owner is enabled, the events can be replayed', async (t) => {
    const { world, receiver, call, subscribe, delivery } = await openScene(t)
    await subscribe('one', ['bot.online'], 'ada')
    receiver.responses.set('/one', { status: 500 })
    await call('POST', 'subscriptions/one/test')
    await delivery('one', 'waiting')
    await call('POST', 'users/ada/disable')
    const dead = await advanceUntil(world.clock, async () => {
      const [latest] = (await call('GET', 'subscriptions/one/deliveries')).json.items
      return latest?.state === 'dead' && latest
    })
    assert.equal(dead.lastError, 'the owner’s account is disabled')
    assert.equal((await receiver.on('/one')).length, 1)

    await call('POST', 'users/ada/enable')
    receiver.responses.set('/one', { status: 204 })
    assert.equal((await call('POST', `subscriptions/one/deliveries/${dead.id}/replay`)).status, 202)
    await delivery('one', 'delivered')
  })

  test('a subscription URL that never responds delays no other subscription and gets at most four requests at a time', async (t) => {
    const { receiver, call, subscribe } = await openScene(t)
    await subscribe('slow', ['bot.online'])
    await subscribe('quick', ['bot.online'])
    receiver.responses.set('/slow', 'hang')
    for (let at = 0; at < 6; at += 1) await call('POST', 'subscriptions/slow/test')
    await receiver.on('/slow', 4)
    for (let at = 0; at < 6; at += 1) await call('POST', 'subscriptions/quick/test')
    await receiver.on('/quick', 6)
    assert.equal(receiver.at('/slow').length, 4)
  })

  test('outgoing events that wait when the service stops are sent after it starts again', async (t) => {
    const { world, receiver, call, subscribe } = await openScene(t)
    await subscribe('one', ['bot.online'])
    receiver.responses.set('/one', 'hang')
    await call('POST', 'subscriptions/one/test')
    const [first] = await receiver.on('/one')
    await world.stop()
    receiver.responses.delete('/one')
    await world.restart()
    const [, second] = await receiver.on('/one', 2)
    assert.equal(second!.headers['webhook-id'], first!.headers['webhook-id'])
    assert.equal((await call('GET', 'subscriptions/one/deliveries')).json.items[0].attempts, 1)
  })

  test('without EVENTS_ALLOW_PRIVATE, internal addresses are refused when the event is sent, and http:// when the subscription is created', async (t) => {
    const { receiver, call, delivery } = await openScene(t, { EVENTS_ALLOW_PRIVATE: 'false' })
    const made = await call('PUT', 'subscriptions/one', { url: 'https://127.0.0.1:1/x', types: ['bot.online'] })
    assert.equal(made.status, 201)
    await call('POST', 'subscriptions/one/test')
    assert.equal((await delivery('one', 'waiting')).lastError, 'the URL leads to an internal address')
    const plain = await call('PUT', 'subscriptions/two', { url: `${receiver.url}/x`, types: ['bot.online'] })
    assert.equal(plain.status, 400)
    assert.deepEqual(plain.json.errors, [{ pointer: '#/url', detail: 'The URL must use https://.' }])
  })
})

test('our choice: each outgoing event is sent once, whichever node queued it; when one node stops, the other still sends events', async (t) => {
  const [first, second] = await openNodes(t, { EVENTS_ALLOW_PRIVATE: 'true' })
  const receiver = await openEventReceiver(t)
  const body = { url: `${receiver.url}/one`, types: ['bot.online'] }
  assert.equal((await provision(first, 'PUT', '/v1/subscriptions/one', body)).status, 201)
  for (const node of [first, second, first, second])
    assert.equal((await provision(node, 'POST', '/v1/subscriptions/one/test')).status, 202)
  const events = await receiver.on('/one', 4)
  assert.equal(new Set(events.map(({ headers }) => headers['webhook-id'])).size, 4)
  const allDelivered = () =>
    eventually(async () => (await provision(second, 'GET', '/v1/queues')).json.items.length === 0 || undefined)
  // A node that stops aborts its requests, and the other node then sends those events again.
  await allDelivered()
  await first.stop()
  await provision(second, 'POST', '/v1/subscriptions/one/test')
  await receiver.on('/one', 5)
  assert.equal(receiver.received.length, 5)

  // The next one begins to be sent while the sweep reads that the outbox is empty.
  await allDelivered()
  const answer = Promise.withResolvers<{ status: number }>()
  receiver.responses.set('/one', answer.promise)
  const { queue } = second.service
  const { botsWithEvents } = queue
  const readSlowly = async (...outboxes: Parameters<typeof botsWithEvents>) => {
    const found = await botsWithEvents(...outboxes)
    await provision(second, 'POST', '/v1/subscriptions/one/test')
    await receiver.on('/one', 6)
    return found
  }
  t.mock.method(queue, 'botsWithEvents', readSlowly, { times: 1 })
  await second.clock.advance(30_000)
  await receiver.on('/one', 6)
  answer.resolve({ status: 204 })
  await allDelivered()
  assert.equal(receiver.received.length, 6)
})
