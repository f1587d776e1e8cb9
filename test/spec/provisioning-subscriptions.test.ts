import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exported } from '../support/audit.ts'
import { assertAnswer, assertProblem } from './provisioning-scene.ts'
import { openScene } from './subscriptions-scene.ts'

const types = ['bot.offline', 'delivery.dead']

test('our choice: PUT creates a subscription and returns its secret once; the subscription can then be read, listed, changed and deleted', async (t) => {
  const { world, call } = await openScene(t)
  const madeAt = world.clock.iso()
  const url = 'https://ops.example/events?a=b'
  const made = await call('PUT', 'subscriptions/ops', { url, types })
  const record = {
    id: 'ops',
    ownerId: null,
    url,
    types,
    format: 'standard',
    enabled: true,
    disabledBecause: null,
    previousSecretEndsAt: null,
    createdAt: madeAt,
  }
  assertAnswer(made, 201, { ...record, secret: made.json.secret })
  assertAnswer(await call('GET', 'subscriptions/ops'), 200, record)
  const ofAda = { ...record, id: 'ada-1', ownerId: 'ada' }
  await call('PUT', 'subscriptions/ada-1', { url, types, ownerId: 'ada' })
  assertAnswer(await call('GET', 'subscriptions'), 200, { items: [ofAda, record], next: null })
  const first = await call('GET', 'subscriptions?limit=1')
  assertAnswer(first, 200, { items: [ofAda], next: first.json.next })
  const second = await call('GET', `subscriptions?limit=1&after=${first.json.next}`)
  assertAnswer(second, 200, { items: [record], next: null })

  const changed = { ...ofAda, types: ['bot.online'], enabled: false, disabledBecause: 'switched-off' }
  const change = { url, types: ['bot.online', 'bot.online'], enabled: false }
  assertProblem(await call('PUT', 'subscriptions/ada-1', { ...change, types: Array(8).fill('bot.online') }), 400, [
    '#/types',
  ])
  assertAnswer(await call('PUT', 'subscriptions/ada-1', change), 200, changed)
  const rotated = await call('POST', 'subscriptions/ada-1/secret')
  assertAnswer(rotated, 201, {
    ...changed,
    previousSecretEndsAt: world.clock.iso(24 * 3_600_000),
    secret: rotated.json.secret,
  })
  assert.equal((await call('DELETE', 'subscriptions/ada-1')).status, 204)
  assertProblem(await call('GET', 'subscriptions/ada-1'), 404, /^There is no such subscription\./)

  const audited = (await exported(world)).filter(({ detail }) => /Subscription/.test(detail.call ?? ''))
  assert.deepEqual(
    audited.map(({ detail }) => [detail.call, detail.outcome, detail.subscriptionId]),
    [
      ['putSubscription', 'created', 'ops'],
      ['putSubscription', 'created', 'ada-1'],
      ['putSubscription', 'changed', 'ada-1'],
      ['postSubscriptionSecret', 'created', 'ada-1'],
      ['deleteSubscription', 'removed', 'ada-1'],
    ],
  )
})

test('our choice: an invalid subscription returns 400 with a pointer to the member; another owner or one subscription too many returns 409', async (t) => {
  const { call, subscribe } = await openScene(t)
  const url = 'https://ops.example/'
  for (const [body, pointer] of [
    [{ url, types: [] }, '#/types'],
    [{ url, types: ['bot.unknown'] }, '#/types/0'],
    [{ url: '', types }, '#/url'],
    [{ url: 'ops.example', types }, '#/url'],
    [{ url: 'https://u@ops.example', types }, '#/url'],
    [{ url: 'https://ops.example/#a', types }, '#/url'],
    [{ url, types, ownerId: 'eve' }, '#/ownerId'],
    [{ url, types, more: 1 }, '#/more'],
    [{ url, types, enabled: 'yes' }, '#/enabled'],
  ] as const) {
    assertProblem(await call('PUT', 'subscriptions/ops', body), 400, [pointer])
  }
  assertAnswer(await call('GET', 'subscriptions'), 200, { items: [], next: null })
  await subscribe('ops', types)
  assertProblem(await call('PUT', 'subscriptions/ops', { url, types, ownerId: 'ada' }), 409, ['#/ownerId'])
  for (let at = 0; at < 20; at += 1) await subscribe(`ada-${at}`, types, 'ada')
  const more = await call('PUT', 'subscriptions/more', { url, types, ownerId: 'ada' })
  assertProblem(more, 409, /^The owner has too many subscriptions\./)
  assertProblem(await call('PUT', 'subscriptions/a:b', { url, types }), 400, /^The subscriptionId in the URL is malf/)
})

test('our choice: a subscription’s deliveries are listed with filters and pages; a malformed parameter returns 400, and an unknown event or subscription 404', async (t) => {
  const { world, receiver, call, subscribe, delivery } = await openScene(t)
  await subscribe('one', types)
  for (const at of [1, 2]) {
    await call('POST', 'subscriptions/one/test')
    await receiver.on('/one', at)
    await delivery('one', 'delivered')
  }
  const list = async (query: string) => (await call('GET', `subscriptions/one/deliveries${query}`)).json
  const all = await list('')
  assert.equal(all.items.length, 2)
  const first = await list('?limit=1')
  const second = await list(`?limit=1&after=${first.next}`)
  assert.deepEqual([...first.items, ...second.items], all.items)
  assert.equal((await list('?state=delivered&type=subscription.test')).items.length, 2)
  assert.deepEqual((await list('?state=dead')).items, [])
  assert.deepEqual((await list('?type=bot.offline')).items, [])
  assertProblem(await call('GET', 'subscriptions/one/deliveries?state=done'), 400, /^The parameter state is malformed/)
  assertProblem(await call('GET', 'subscriptions/one/deliveries/ev1'), 404, /^There is no such event\./)
  assertProblem(await call('POST', 'subscriptions/one/deliveries/ev1/replay'), 404, /^There is no such event\./)
  for (const path of ['test', 'secret']) {
    assertProblem(await call('POST', `subscriptions/none/${path}`), 404, /^There is no such subscription\./)
  }
  assert.equal((await call('POST', `subscriptions/one/deliveries/${all.items[0].id}/replay`)).status, 202)
  const replays = (await exported(world)).filter(({ detail }) => detail.call === 'postSubscriptionReplay')
  assert.equal(replays[0]?.detail.outcome, 'replayed')
})
