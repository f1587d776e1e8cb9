import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseUserId } from '../../src/domain/ids-and-secrets.ts'
import { BotRuntime } from '../support/bot-runtime.ts'
import { useOwnWorld } from '../support/idle-worlds.ts'
import { openNodes } from '../support/nodes.ts'
import { provision, testOrigin } from '../support/people.ts'
import { assertAnswer, assertProblem, botBody, openScene } from './provisioning-scene.ts'

const recordOf = (id: string, key: string, madeAt: string) => ({
  ...{ id, name: 'Rack 1', ownerId: null, botIds: ['bot-1'], keyLastFour: key.slice(-4), createdAt: madeAt },
  keys: [{ number: 1, lastFour: key.slice(-4), madeAt, lastUsedAt: null, endsAt: null }],
})

describe('POST /v1/runtimes', () => {
  test('creating a runtime returns its ID and, in this response only, its key; GET returns one runtime or the list of all runtimes', async (t) => {
    useOwnWorld(t)
    const { post, get, madeAt } = await openScene(t)
    const made = await post('runtimes', { name: 'Rack 1', botIds: ['bot-1', 'bot-1'] })
    const { id, key } = made.json
    assert.match(key, /^svc_rk_[A-Za-z0-9]{43,}$/)
    const record = recordOf(id, key, madeAt)
    assertAnswer(made, 201, { ...record, key })
    assertAnswer(await get(`runtimes/${id}`), 200, record)
    const { key: _, ...every } = (await post('runtimes', { name: 'Rack 2', botIds: '*' })).json
    assert.equal(every.botIds, '*')
    const { json } = await get('runtimes')
    const byName = (one: { name: string }, other: { name: string }) => one.name.localeCompare(other.name)
    assert.deepEqual(json.runtimes.toSorted(byName), [record, every])
    assertProblem(await get('runtimes/none'), 404, /no runtime none/)
  })

  test('a runtime with unknown bots or invalid values returns 400', async (t) => {
    const { post, remove, put } = await openScene(t)
    await put('bots/bot-2', { ...botBody, chatPlatformId: '12345678901234568' })
    await remove('bots/bot-2')
    for (const botIds of [['bot-1', 'nobody'], ['bot-2'], ['12345678901234567'], [], 'all', 7]) {
      assertProblem(await post('runtimes', { name: 'Rack', botIds }), 400, ['#/botIds'])
    }
    assertProblem(await post('runtimes', { name: ' ', botIds: '*' }), 400, ['#/name'])
  })

  test('our choice: POST …/keys creates a runtime key; the request chooses whether the previous key works for 24 more hours or stops immediately', async (t) => {
    useOwnWorld(t)
    const { world, post, get, remove, madeAt } = await openScene(t)
    const { runtimes } = world.service.bots
    const { id, key: first } = (await post('runtimes', { name: 'Rack 1', botIds: '*' })).json
    const made = await post(`runtimes/${id}/keys`, {})
    const { key: second, ...record } = made.json
    const endsAt = new Date(Date.parse(madeAt) + 24 * 3_600_000).toISOString()
    assertAnswer(made, 201, {
      ...{ id, name: 'Rack 1', ownerId: null, botIds: '*', keyLastFour: second.slice(-4), createdAt: madeAt },
      keys: [
        { number: 2, lastFour: second.slice(-4), madeAt, lastUsedAt: null, endsAt: null },
        { number: 1, lastFour: first.slice(-4), madeAt, lastUsedAt: null, endsAt },
      ],
      key: second,
    })
    assertAnswer(await get(`runtimes/${id}`), 200, record)
    for (const key of [first, second]) assert.equal((await runtimes.authenticate(key))?.runtime.id, id)

    const third = (await post(`runtimes/${id}/keys`, { keyBefore: 'ends-now' })).json
    assert.deepEqual(
      third.keys.map(({ number }: { number: number }) => number),
      [3],
    )
    for (const key of [first, second]) assert.equal(await runtimes.authenticate(key), undefined)

    await post(`runtimes/${id}/keys`, { keyBefore: 'ends-in-24-hours' })
    assertProblem(await remove(`runtimes/${id}/keys/4`), 409, /current key/)
    assert.equal((await remove(`runtimes/${id}/keys/3`)).status, 204)
    assert.equal(await runtimes.authenticate(third.key), undefined)
    for (const number of ['3', '99', 'x']) {
      assertProblem(await remove(`runtimes/${id}/keys/${number}`), 404, /no active key/)
    }
    assertProblem(await post('runtimes/none/keys', {}), 404, /no such runtime/)
    assertProblem(await remove('runtimes/none/keys/1'), 404, /no such runtime/)
    assertProblem(await post(`runtimes/${id}/keys`, { keyBefore: 'never' }), 400, ['#/keyBefore'])
  })
})

describe('PUT /v1/runtimes/{runtimeId}', () => {
  test('PUT creates a runtime with the chosen ID (201, with the key) or changes its name and bots (200, keys stay)', async (t) => {
    useOwnWorld(t)
    const { world, put, get, remove, madeAt } = await openScene(t)
    const made = await put('runtimes/rack-1', { name: 'Rack 1', botIds: ['bot-1'] })
    const { key } = made.json
    const record = recordOf('rack-1', key, madeAt)
    assertAnswer(made, 201, { ...record, key })
    assertAnswer(await put('runtimes/rack-1', { name: 'Rack 1', botIds: ['bot-1'] }), 200, record)
    const changed = { ...record, name: 'Rack one', botIds: '*' }
    assertAnswer(await put('runtimes/rack-1', { name: 'Rack one', botIds: '*' }), 200, changed)
    assertAnswer(await get('runtimes/rack-1'), 200, changed)
    assert.equal((await world.service.bots.runtimes.authenticate(key))?.runtime.id, 'rack-1')

    assertProblem(await put('runtimes/rack-1', { name: 'Rack', botIds: ['nobody'] }), 400, ['#/botIds'])
    assertProblem(await put('runtimes/rack-1', { name: ' ', botIds: '*' }), 400, ['#/name'])
    assertProblem(await put('runtimes/rack-1', { name: 'Rack' }), 400, ['#/botIds'])
    assertProblem(
      await put('runtimes/rack%201', { name: 'Rack', botIds: '*' }),
      400,
      /runtimeId in the URL is malformed/,
    )
    assertAnswer(await get('runtimes/rack-1'), 200, changed)
    assert.equal((await remove('runtimes/rack-1')).status, 204)
    assert.equal(await world.service.bots.runtimes.authenticate(key), undefined)
    assertProblem(await remove('runtimes/rack-1'), 404, /no runtime/)
    assert.equal((await put('runtimes/rack-1', { name: 'Rack 1', botIds: '*' })).status, 201)
    assert.equal(await world.service.bots.runtimes.authenticate(key), undefined)
  })

  test('our choice: an owner’s runtime keeps its owner and can host only that owner’s bots', async (t) => {
    const { world, put } = await openScene(t)
    await put('bots/bot-2', { ...botBody, ownerId: 'bob', chatPlatformId: '12345678901234568' })
    const by = { userId: parseUserId('ada')!, origin: testOrigin }
    const { runtime } = await world.service.bots.runtimes.make({ name: 'Attic', botIds: null }, by)
    const path = `runtimes/${runtime.id}`
    assertProblem(await put(path, { name: 'Attic', botIds: ['bot-1', 'bot-2'] }), 400, ['#/botIds'])
    const { json } = await put(path, { name: 'Attic', botIds: ['bot-1'] })
    assert.deepEqual([json.ownerId, json.botIds], ['ada', ['bot-1']])
  })

  test('our choice: when a runtime’s bots change, connections on every node close with 4012, and the runtime reconnects with the new list', async (t) => {
    const [one, other] = await openNodes(t)
    const put = (path: string, body: object) => provision(one, 'PUT', `/v1/${path}`, body)
    await put('users/ada', { name: 'Ada' })
    for (const id of ['bot-1', 'bot-2']) {
      await put(`bots/${id}`, { ...botBody, chatPlatformId: `1234567890123456${id.at(-1)}`, hostingEnabled: true })
    }
    const { key } = (await put('runtimes/rack', { name: 'Rack', botIds: ['bot-1', 'bot-2'] })).json
    const { runtime, welcome } = await BotRuntime.ready(t, other, key)
    assert.deepEqual(welcome.bots.toSorted(), ['bot-1', 'bot-2'])
    await put('runtimes/rack', { name: 'Renamed', botIds: ['bot-2', 'bot-1'] })
    await runtime.heartbeat()
    await put('runtimes/rack', { name: 'Renamed', botIds: ['bot-2'] })
    assert.deepEqual(await runtime.closed, {
      code: 4012,
      reason: 'the runtime’s bots were changed; reconnect to go on',
    })
    assert.deepEqual((await BotRuntime.ready(t, other, key)).welcome.bots, ['bot-2'])
  })
})
