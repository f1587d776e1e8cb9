import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { exported } from '../support/audit.ts'
import { call, makeToken, openBot, provision } from '../support/people.ts'
import { pluck } from '../support/together.ts'
import { assertAnswer, assertProblem } from './provisioning-scene.ts'

async function openApi(t: TestContext, env: Record<string, string> = {}) {
  const scene = await openBot(t, env)
  const { world, as } = scene
  const token = await makeToken(await as('ada'), world)
  const api = (method: string, path: string, body?: object) =>
    call(world, token, method, `bots/bot-1/flows${path}`, body)
  const send = async (path: string, headers: Record<string, string> = {}, body = '{}') =>
    (await fetch(`${world.apiUrl}/bot-1/${path}`, { method: 'POST', body, headers })).status
  const webhook = { path: 'orders', requiresKey: false }
  await provision(world, 'PUT', '/v1/bots/bot-1/flows/orders', { kind: 'event', name: 'Orders', webhook })
  return { ...scene, token, api, send }
}

const orders = {
  botId: 'bot-1',
  id: 'orders',
  kind: 'event',
  name: 'Orders',
  publicCode: null,
  webhook: {
    path: 'orders',
    requiresKey: false,
    ordered: false,
    signature: null,
    dedupe: null,
    keyLastFour: null,
    keys: [],
  },
}

test('our choice: PUT of a webhook’s settings returns a generated key once, keeps absent members and clears null ones; a configured signature is checked from then on', async (t) => {
  const { world, api, send } = await openApi(t)
  const put = (settings: object) => api('PUT', '/orders/webhook', settings)
  const shown = (change: object) => ({ ...orders, webhook: { ...orders.webhook, ...change } })
  const required = await put({ requiresKey: true, ordered: true })
  const { key, keys } = required.json.webhook
  assert.match(key, /^svc_fk_/)
  const lastFour = key.slice(-4)
  const current = { number: keys[0].number, lastFour, createdAt: world.clock.iso(), lastUsedAt: null, endsAt: null }
  const withKey = { keyLastFour: lastFour, keys: [current] }
  assertAnswer(required, 200, shown({ ...withKey, requiresKey: true, ordered: true, key }))
  assertAnswer(await api('GET', '/orders'), 200, shown({ ...withKey, requiresKey: true, ordered: true }))

  const dedupe = { header: 'x-id' }
  const signed = await put({ requiresKey: false, dedupe, signature: { preset: 'github', secret: 'shared' } })
  const signature = { preset: 'github', previousSecretEndsAt: null }
  const stored = { ...withKey, ordered: true, dedupe: { ...dedupe, windowSeconds: 86_400 }, signature }
  assertAnswer(signed, 200, shown(stored))
  const hmac = createHmac('sha256', 'shared').update('{}').digest('hex')
  assert.deepEqual(
    [await send('orders'), await send('orders', { 'x-hub-signature-256': `sha256=${hmac}` })],
    [401, 202],
  )
  assertAnswer(await put({ signature: null, dedupe: null, ordered: null }), 200, shown(withKey))
  assertProblem(await put({ dedupe: { header: 'a', pointer: '/b' } }), 400, ['#/dedupe'])
  assertProblem(await put({ signature: { preset: 'stripe' } }), 400, ['#/signature/secret'])
  assertProblem(await put({ path: 'other' }), 400, ['#/path'])
})

test('our choice: POST creates a flow key, and DELETE revokes the previous key, but not the current key of a flow that requires one', async (t) => {
  const { world, api, send } = await openApi(t)
  const made = [await api('POST', '/orders/keys', {}), await api('POST', '/orders/keys', {})]
  assert.deepEqual(pluck(made, 'status'), [201, 201])
  const statuses = () => Promise.all(made.map(({ json }) => send('orders', { 'svc-key': json.webhook.key })))
  assert.deepEqual([await statuses(), await send('orders')], [[202, 202], 401])
  const [{ number: now }, { number: previous }] = made[1]!.json.webhook.keys
  assert.equal((await api('DELETE', `/orders/keys/${previous}`)).status, 204)
  assert.deepEqual(await statuses(), [401, 202])
  assertProblem(await api('DELETE', `/orders/keys/${now}`), 409, /^This is the current key\./)
  assertProblem(await api('DELETE', '/orders/keys/x'), 404, /^There is no active key with this number\.$/)
  await provision(world, 'PUT', '/v1/bots/bot-1/flows/hello', { kind: 'command', name: 'Hello' })
  assertProblem(await api('POST', '/hello/keys', {}), 409, /^This flow takes no webhooks/)
})

test('our choice: an editor changes flow settings but neither keys nor signatures; a change without members needs the same right as one with members', async (t) => {
  const { world, as } = await openApi(t)
  const [ed, vi, stan] = [
    await makeToken(await as('ed'), world),
    await makeToken(await as('vi'), world),
    await makeToken(await as('stan'), world),
  ]
  const put = (body: object, token = ed) => call(world, token, 'PUT', 'bots/bot-1/flows/orders/webhook', body)
  assertAnswer(await put({}), 200, orders)
  assertProblem(await put({}, vi), 403, /^Your role in this bot/)
  assertProblem(await put({}, stan), 404, /no such bot|have no access/)
  assert.equal((await put({ ordered: true })).status, 200)
  for (const body of [{ requiresKey: true }, { signature: null }, { ordered: false, signature: null }]) {
    assertProblem(await put(body), 403, /^Your role in this bot/)
  }
  assert.equal((await call(world, ed, 'POST', 'bots/bot-1/flows/orders/keys', {})).status, 403)
})

test('our choice: simultaneous changes of a flow keep each other’s members', async (t) => {
  const { world, api } = await openApi(t)
  for (let n = 0; n < 10; n += 1) {
    const path = `orders-${n}`
    const webhook = { path, requiresKey: false }
    const statuses = await Promise.all([
      api('PUT', '/orders/webhook', { ordered: n % 2 === 0 }),
      provision(world, 'PUT', '/v1/bots/bot-1/flows/orders', { kind: 'event', name: path, webhook }),
      api('PUT', '/orders/webhook', { dedupe: { header: path } }),
    ])
    assert.deepEqual(pluck(statuses, 'status'), [200, 200, 200])
    const { json } = await api('GET', '/orders')
    assert.deepEqual(
      [json.name, json.webhook.path, json.webhook.ordered, json.webhook.dedupe.header],
      [path, path, n % 2 === 0, path],
    )
  }
})

test('our choice: with OWNER_FLOWS off, the default, PUT and DELETE of a flow get 403 and change nothing', async (t) => {
  const { api } = await openApi(t)
  const refused = /^On this service, only the operator creates and removes flows\. Nothing was changed\.$/
  assertProblem(await api('PUT', '/new', { name: 'New' }), 403, refused)
  assertProblem(await api('PUT', '/orders', { name: 'Renamed' }), 403, refused)
  assertProblem(await api('DELETE', '/orders'), 403, refused)
  assert.deepEqual((await api('GET', '')).json, { items: [orders], next: null })
})

test('our choice: with OWNER_FLOWS=on, the owner creates, changes and removes flows; a new webhook requires a key', async (t) => {
  const { world, api, send, as } = await openApi(t, { OWNER_FLOWS: 'on' })
  const made = await api('PUT', '/new', { name: ' New\tflow ', webhook: { path: 'in' } })
  const { key, keys } = made.json.webhook
  const flow = { ...orders, id: 'new', name: 'New flow' }
  const webhook = { ...orders.webhook, path: 'in', requiresKey: true, keyLastFour: key.slice(-4), keys }
  assertAnswer(made, 201, { ...flow, webhook: { ...webhook, key } })
  assert.deepEqual([await send('in'), await send('in', { 'svc-key': key })], [401, 202])
  const moved = await api('PUT', '/new', { name: 'Moved', webhook: { path: 'there' } })
  assert.deepEqual([moved.status, moved.json.webhook.path, moved.json.webhook.requiresKey], [200, 'there', true])
  assert.deepEqual([await send('in'), await send('there', { 'svc-key': key })], [404, 202])
  const command = await api('PUT', '/cmd', { name: 'Command', kind: 'command' })
  assert.deepEqual([command.status, command.json.webhook], [201, null])

  assertProblem(await api('PUT', '/x', { name: 'X', webhook: { path: 'orders' } }), 409, ['#/webhook/path'])
  assertProblem(await api('PUT', '/x', { name: 'X', webhook: { path: 'a/../b' } }), 400, ['#/webhook/path'])
  assertProblem(await api('PUT', '/x', { name: ' ', kind: 'a', webhook: { path: 'a b' } }), 400, ['#/webhook/path'])
  assertProblem(await api('PUT', '/x', { kind: 'a', name: 'X', webhook: { path: 'a' } }), 400, ['#/webhook'])
  assertProblem(await api('PUT', '/x', { name: 'X', webhook: { path: 'a', key: 'mine' } }), 400, ['#/webhook/key'])

  const ed = await makeToken(await as('ed'), world)
  for (const [method, body] of [
    ['PUT', { name: 'Eds' }],
    ['DELETE', undefined],
  ] as const) {
    assertProblem(await call(world, ed, method, 'bots/bot-1/flows/new', body), 403, /^Your role in this bot/)
  }
  assert.equal((await api('DELETE', '/new')).status, 204)
  assertProblem(await api('DELETE', '/new'), 404, /^The bot has no such flow\.$/)
  assert.equal(await send('there', { 'svc-key': key }), 404)
  const events = (await exported(world)).filter(({ detail }) => detail.flow === 'new')
  assert.deepEqual(
    events.map(({ kind, detail }) => [kind, detail.personalTokenName]),
    [
      ['flow-created', 'script'],
      ['flow-changed', 'script'],
      ['flow-removed', 'script'],
    ],
  )
})

test('our choice: an owner can create flows until a bot has 200; the operator can add more', async (t) => {
  const { world, api } = await openApi(t, { OWNER_FLOWS: 'on' })
  for (let n = 1; n < 200; n += 1) {
    const { status } = await provision(world, 'PUT', `/v1/bots/bot-1/flows/f-${n}`, { kind: 'a', name: 'F' })
    assert.equal(status, 201)
  }
  assertProblem(await api('PUT', '/one-more', { name: 'More' }), 409, /^The bot has 200 flows already\./)
  assert.equal((await api('PUT', '/f-1', { name: 'Changed' })).status, 200)
  const more = await provision(world, 'PUT', '/v1/bots/bot-1/flows/one-more', { kind: 'a', name: 'F' })
  assert.equal(more.status, 201)
})
