import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { parseUserId } from '../../src/domain/ids-and-secrets.ts'
import { exported } from '../support/audit.ts'
import { BotRuntime } from '../support/bot-runtime.ts'
import { openNodes } from '../support/nodes.ts'
import { call, type JsonAnswer, makeToken, provision, signedIn, testOrigin } from '../support/people.ts'
import { pluck } from '../support/together.ts'
import { assertAnswer, assertProblem, botBody, openApis, openScene } from './provisioning-scene.ts'

type Api = (method: string, path: string, body?: object) => Promise<JsonAnswer>

/** Opens a world with Ada’s bot `bot-1`. Returns the runtimes of the control API (`operate`) and of Ada and Ed. */
async function openRuntimes(t: TestContext) {
  const { world, tokenOf, operate, own } = await openApis(t)
  const tokenOfEd = await tokenOf('ed')
  const ownAsEd: Api = (method, path, body) => own(method, path, body, tokenOfEd)
  const runtimesOf = (api: Api): Api => {
    return (method, path, body) => api(method, `runtimes${path}`, body)
  }
  return { world, operate: runtimesOf(operate), ada: runtimesOf(own), ed: runtimesOf(ownAsEd) }
}

describe('Runtimes in the control API and in the API for owners', () => {
  test('POST creates a runtime and returns its key once; a new key leaves the previous one valid for 24 hours or revokes it; DELETE removes a previous key, or the runtime', async (t) => {
    const { world, operate, ada } = await openRuntimes(t)
    const { runtimes } = world.service.bots
    const [madeAt, endsAt] = [world.clock.iso(), world.clock.iso(24 * 3_600_000)]
    for (const api of [operate, ada]) {
      const isOwners = api === ada
      const shown = (keys: { number: number; key: string; endsAt?: string }[]) => ({
        ...{ id, name: 'Home', botIds: ['bot-1'], createdAt: madeAt },
        ...(!isOwners && { ownerId: null, keyLastFour: keys[0]?.key.slice(-4) }),
        keys: keys.map(({ number, key, endsAt = null }) => ({
          ...{ number, lastFour: key.slice(-4), [isOwners ? 'createdAt' : 'madeAt']: madeAt, lastUsedAt: null, endsAt },
        })),
      })
      const works = async (key: string) => (await runtimes.authenticate(key))?.runtime.id === id
      const made = await api('POST', '', { name: ' Home ', botIds: ['bot-1', 'bot-1'] })
      const { id, key } = made.json
      assert.match(key, /^svc_rk_[A-Za-z0-9]{43,}$/)
      const number: number = made.json.keys[0].number
      const first = { number, key }
      assertAnswer(made, 201, { ...shown([first]), key })
      assertAnswer(await api('GET', `/${id}`), 200, shown([first]))

      const next = await api('POST', `/${id}/keys`, {})
      const second = { number: number + 1, key: next.json.key }
      assertAnswer(next, 201, { ...shown([second, { ...first, endsAt }]), key: second.key })
      assertAnswer(await api('GET', `/${id}`), 200, shown([second, { ...first, endsAt }]))
      assert.deepEqual([await works(key), await works(second.key)], [true, true])
      const third = (await api('POST', `/${id}/keys`, { keyBefore: 'ends-now' })).json
      assert.deepEqual(pluck(third.keys as { number: number }[], 'number'), [number + 2])
      assert.deepEqual([await works(key), await works(second.key), await works(third.key)], [false, false, true])

      await api('POST', `/${id}/keys`, { keyBefore: 'ends-in-24-hours' })
      assertProblem(await api('DELETE', `/${id}/keys/${number + 3}`), 409, /current key/)
      assert.equal((await api('DELETE', `/${id}/keys/${number + 2}`)).status, 204)
      assert.equal(await works(third.key), false)
      for (const ended of [number + 2, '99', 'x']) {
        assertProblem(await api('DELETE', `/${id}/keys/${ended}`), 404, /no active key/)
      }
      assertProblem(await api('POST', `/${id}/keys`, { keyBefore: 'never' }), 400, ['#/keyBefore'])
      assert.equal((await api('DELETE', `/${id}`)).status, 204)
      const unknown = isOwners ? /^You have no such runtime\.$/ : /^There is no (such )?runtime/
      for (const [method, path] of [
        ['GET', ''],
        ['DELETE', ''],
        ['POST', '/keys'],
        ['DELETE', '/keys/1'],
      ] as const) {
        assertProblem(await api(method, `/${id}${path}`, method === 'POST' ? {} : undefined), 404, unknown)
      }
    }
    assert.equal((await operate('POST', '', { name: 'All', botIds: '*' })).json.botIds, '*')
    const audited = (await exported(world)).filter(({ kind }) => kind.startsWith('runtime-'))
    assert.ok(audited.every(({ detail }) => detail.personalTokenName === 'script'))
    const kinds = ['made', 'key-made', 'key-made', 'key-made', 'key-ended', 'removed'].map((kind) => `runtime-${kind}`)
    assert.deepEqual(pluck(audited, 'kind'), kinds)
  })

  test('a runtime with unknown bots, with bots of others or with invalid values returns 400; an owner without a bot gets neither a runtime nor a key', async (t) => {
    const { world, operate, ada, ed } = await openRuntimes(t)
    await provision(world, 'PUT', '/v1/bots/bot-2', { ...botBody, chatPlatformId: '12345678901234568' })
    await provision(world, 'DELETE', '/v1/bots/bot-2')
    for (const api of [operate, ada]) {
      for (const botIds of [['bot-1', 'nobody'], ['bot-2'], ['12345678901234567'], [], 'all', 7]) {
        assertProblem(await api('POST', '', { name: 'Rack', botIds }), 400, ['#/botIds'])
      }
      assertProblem(await api('POST', '', { name: ' ', botIds: '*' }), 400, ['#/name'])
    }
    assertProblem(await ed('POST', '', { name: 'mine', botIds: ['bot-1'] }), 400, ['#/botIds'])
    const { id } = (await ada('POST', '', { name: 'mine', botIds: '*' })).json
    await provision(world, 'DELETE', '/v1/bots/bot-1')
    for (const path of ['', `/${id}/keys`]) {
      const body = path === '' ? { name: 'mine', botIds: '*' } : {}
      assertProblem(await ada('POST', path, body), 409, /^You own no bot that a runtime could host\.$/)
    }
    assert.equal((await operate('POST', `/${id}/keys`, {})).status, 201)
  })

  test('a user sees only their own runtimes, even a user whose ID is operator', async (t) => {
    const { world, operate, ada, ed } = await openRuntimes(t)
    const account = { email: 'name@example.com', password: 'correct horse battery' }
    await provision(world, 'PUT', '/v1/users/operator', { name: 'Name', ...account })
    const bot = { ...botBody, ownerId: 'operator', chatPlatformId: '22345678901234567' }
    await provision(world, 'PUT', '/v1/bots/bot-2', bot)
    await ada('POST', '', { name: 'of Ada', botIds: '*' })
    const { id } = (await operate('POST', '', { name: 'of the platform', botIds: ['bot-2'] })).json
    assert.deepEqual((await ed('GET', '')).json, { items: [], next: null })
    const browser = await signedIn(world, account)
    assert.equal((await call(world, await makeToken(browser, world), 'GET', `runtimes/${id}`)).status, 404)
    const page = await browser.get(`${world.baseUrl}/bots/bot-2/runtimes`)
    assert.deepEqual([page.status, page.text.includes('of the platform')], [200, false])
  })
})

describe('PUT /v1/runtimes/{runtimeId}', () => {
  test('PUT keeps a runtime’s key and, if it is invalid, changes nothing; removing the runtime ends the key', async (t) => {
    const { world, put, get, remove } = await openScene(t)
    const { key, ...record } = (await put('runtimes/rack-1', { name: 'Rack 1', botIds: ['bot-1'] })).json
    const hostOf = async () => (await world.service.bots.runtimes.authenticate(key))?.runtime.id
    await put('runtimes/rack-1', { name: 'Rack 1', botIds: '*' })
    assert.equal(await hostOf(), 'rack-1')
    assertProblem(await put('runtimes/rack-1', { name: 'Rack', botIds: ['nobody'] }), 400, ['#/botIds'])
    assertAnswer(await get('runtimes/rack-1'), 200, { ...record, botIds: '*' })
    await remove('runtimes/rack-1')
    await put('runtimes/rack-1', { name: 'Rack 1', botIds: '*' })
    assert.equal(await hostOf(), undefined)
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
    const reason = 'the runtime’s bots were changed; reconnect to go on'
    assert.deepEqual(await runtime.closed, { code: 4012, reason })
    assert.deepEqual((await BotRuntime.ready(t, other, key)).welcome.bots, ['bot-2'])
  })
})
