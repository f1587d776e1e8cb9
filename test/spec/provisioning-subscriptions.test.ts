import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exported } from '../support/audit.ts'
import { documentAt, operationsOf } from '../support/openapi.ts'
import { assertAnswer, assertProblem } from './provisioning-scene.ts'
import { openScene } from './subscriptions-scene.ts'

const types = ['bot.offline', 'delivery.dead']

test('our choice: a subscription can be switched off and gets new secrets; each change is audited', async (t) => {
  const { world, call } = await openScene(t)
  const url = 'https://ops.example/'
  const made = await call('PUT', 'subscriptions/ada-1', { url, types, ownerId: 'ada', format: 'slack' })
  const { secret, ...record } = made.json
  assert.equal(record.ownerId, 'ada')
  const change = { url: record.url, types: ['bot.online', 'bot.online'], enabled: false, format: null }
  const standard = { ...record, url, types: ['bot.online'], format: 'standard' }
  const changed = { ...standard, enabled: false, disabledBecause: 'switched-off' }
  assertAnswer(await call('PUT', 'subscriptions/ada-1', change), 200, changed)
  assertProblem(await call('POST', 'subscriptions/ada-1/secret', { secretBefore: 'ends-now' }), 400, ['#/secretBefore'])
  const rotated = await call('POST', 'subscriptions/ada-1/secret', {})
  const previousSecretEndsAt = world.clock.iso(24 * 3_600_000)
  assertAnswer(rotated, 201, { ...changed, previousSecretEndsAt, secret: rotated.json.secret })
  assert.notEqual(rotated.json.secret, secret)
  await world.clock.advance(24 * 3_600_000)
  assertAnswer(await call('GET', 'subscriptions/ada-1'), 200, changed)
  assertAnswer(await call('PUT', 'subscriptions/ada-1', { ...change, url }), 200, changed)
  assert.equal((await call('DELETE', 'subscriptions/ada-1')).status, 204)

  const audited = (await exported(world)).filter(({ detail }) => /Subscription/.test(detail.call ?? ''))
  const calls = audited.map(({ detail }) => [detail.call, detail.outcome, detail.subscriptionId])
  assert.deepEqual(calls, [
    ['putSubscription', 'created', 'ada-1'],
    ['putSubscription', 'changed', 'ada-1'],
    ['postSubscriptionSecret', 'created', 'ada-1'],
    ['deleteSubscription', 'removed', 'ada-1'],
  ])
})

test('our choice: a subscription of another owner, or one too many, returns 409, and a malformed ID 400', async (t) => {
  const { call, subscribe } = await openScene(t)
  const url = 'https://ops.example/'
  await subscribe('ops', types)
  assertProblem(await call('PUT', 'subscriptions/ops', { url, types, ownerId: 'ada' }), 409, ['#/ownerId'])
  for (let at = 0; at < 20; at += 1) await subscribe(`ada-${at}`, types, 'ada')
  const more = await call('PUT', 'subscriptions/more', { url, types, ownerId: 'ada' })
  assertProblem(more, 409, /^The owner has too many subscriptions\./)
  assertProblem(await call('PUT', 'subscriptions/new', { url, types }), 409, /^This ID is reserved/)
  assertProblem(await call('PUT', 'subscriptions/a:b', { url, types }), 400, /^The subscriptionId in the URL is malf/)
})

test('our choice: a subscription’s deliveries are listed with filters; a malformed parameter returns 400, and an unknown event or subscription 404', async (t) => {
  const { world, receiver, call, subscribe, delivery } = await openScene(t)
  const one = 'l'.repeat(64)
  const at = `subscriptions/${one}`
  await subscribe(one, types)
  for (const count of [1, 2]) {
    await call('POST', `${at}/test`)
    await receiver.on(`/${one}`, count)
    await delivery(one, 'delivered')
  }
  const list = async (query: string) => (await call('GET', `${at}/deliveries${query}`)).json
  const all = await list('')
  assert.equal(all.items.length, 2)
  const described = operationsOf(await documentAt(world.controlUrl)).flatMap(({ operation }) => operation.parameters)
  const { maxLength = 0 } = described.find((each) => each?.name === 'eventId')!.schema
  assert.ok(all.items[0].id.length <= maxLength, all.items[0].id)
  assert.equal((await list('?state=delivered&type=subscription.test')).items.length, 2)
  assert.deepEqual((await list('?state=dead')).items, [])
  assert.deepEqual((await list('?type=bot.offline')).items, [])
  assertProblem(await call('GET', `${at}/deliveries?state=done`), 400, /^The parameter state is malformed/)
  assertProblem(await call('GET', `${at}/deliveries?type=%00`), 400, /^The parameter type is malformed/)
  assertProblem(await call('GET', `${at}/deliveries/ev1`), 404, /^There is no such event\./)
  assertProblem(await call('POST', `${at}/deliveries/ev1/replay`), 404, /^There is no such event\./)
  for (const path of ['test', 'secret']) {
    assertProblem(await call('POST', `subscriptions/none/${path}`), 404, /^There is no such subscription\./)
  }
  assert.equal((await call('POST', `${at}/deliveries/${all.items[0].id}/replay`)).status, 202)
  const replays = (await exported(world)).filter(({ detail }) => detail.call === 'postSubscriptionReplay')
  assert.equal(replays[0]?.detail.outcome, 'replayed')
})
