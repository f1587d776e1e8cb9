import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { exported } from '../support/audit.ts'
import { BotRuntime } from '../support/bot-runtime.ts'
import { call, makeToken, openBot, provision, signedIn } from '../support/people.ts'
import { assertAnswer, assertProblem } from './provisioning-scene.ts'

const bot = {
  id: 'bot-1',
  name: 'Weather',
  chatPlatformId: '123456789012345678',
  avatar: null,
  plan: 'free',
  role: 'owner',
  state: 'offline',
  hostingEnabled: true,
  hostingLocation: null,
  publicStatus: false,
}

describe('our choice: bots in the API for owners', () => {
  test('GET lists the bots on which the user has a role, page by page, oldest first', async (t) => {
    const { world, as } = await openBot(t)
    const token = await makeToken(await as('ada'), world)
    for (let n = 2; n <= 5; n += 1) {
      await world.clock.advance(1_000)
      const body = { ownerId: n === 5 ? 'ed' : 'ada', name: `Bot ${n}`, chatPlatformId: `${n}2345678901234567` }
      await provision(world, 'PUT', `/v1/bots/bot-${n}`, body)
    }
    await provision(world, 'PUT', '/v1/bots/bot-5/coworkers/ada', { role: 'viewer', capabilities: [] })
    const list = (query: string) => call(world, token, 'GET', `bots${query}`)
    const first = await list('?limit=3')
    assert.deepEqual(first.json.items[0], { ...bot, createdAt: world.clock.iso() })
    assert.deepEqual(
      first.json.items.map(({ id }: { id: string }) => id),
      ['bot-1', 'bot-2', 'bot-3'],
    )
    // Deleting a bot between two page requests must not make the list skip another bot.
    await provision(world, 'DELETE', '/v1/bots/bot-3')
    const second = await list(`?limit=3&after=${first.json.next}`)
    const shown = second.json.items.map(({ id, role }: { id: string; role: string }) => `${id} ${role}`)
    assert.deepEqual([shown, second.json.next], [['bot-4 owner', 'bot-5 viewer'], null])
    assert.equal((await list('')).json.items.length, 4)
  })

  test('GET returns a bot and its status record, whether or not the status is public; PUT switches hosting and public status; an absent location keeps its value', async (t) => {
    const { world, as } = await openBot(t)
    const token = await makeToken(await as('vi'), world)
    const createdAt = world.clock.iso()
    assertAnswer(await call(world, token, 'GET', 'bots/bot-1'), 200, { ...bot, role: 'viewer', createdAt })
    assertAnswer(await call(world, token, 'GET', 'bots/bot-1/status'), 200, {
      online: false,
      chatPlatformId: bot.chatPlatformId,
      name: 'Weather',
      hostingEnabled: true,
      hostingLocation: null,
      presence: null,
      uptimeMs: null,
      reportedAt: null,
      guildCount: null,
      shardCount: null,
      checkedAt: world.clock.nowMs(),
    })
    assertProblem(await call(world, token, 'GET', 'bots/none'), 404, /^There is no such bot/)

    const owners = await makeToken(await as('ada'), world)
    const put = (path: string, body: object) => call(world, owners, 'PUT', `bots/bot-1/${path}`, body)
    assertAnswer(await put('hosting', { enabled: true, location: 'cloud' }), 200, {
      ...bot,
      createdAt,
      hostingLocation: 'cloud',
    })
    const off = { ...bot, createdAt, hostingEnabled: false, hostingLocation: 'cloud', state: 'hosting-off' }
    assertAnswer(await put('hosting', { enabled: false }), 200, off)
    assertAnswer(await put('public-status', { enabled: true }), 200, { ...off, publicStatus: true })
    assert.equal((await fetch(`${world.baseUrl}/botstatus/bot-1/api`)).status, 200)
    assertProblem(await put('public-status', {}), 400, ['#/enabled'])
  })

  test('GET lists a bot’s log entries from a given level up, newest first, page by page', async (t) => {
    const { world, as } = await openBot(t)
    const token = await makeToken(await as('vi'), world)
    const entries = ['debug', 'info', 'warn', 'error', 'info'].map((level, n) => ({ level, message: `entry ${n}` }))
    await provision(world, 'POST', '/v1/bots/bot-1/logs', { entries })
    const list = async (query: string) => {
      const { json } = await call(world, token, 'GET', `bots/bot-1/logs?${query}`)
      return { next: json.next, messages: json.items.map(({ message }: { message: string }) => message) }
    }
    const [first] = (await call(world, token, 'GET', 'bots/bot-1/logs')).json.items
    assert.deepEqual(first, { at: world.clock.iso(), level: 'info', message: 'entry 4' })
    const page = await list('limit=2&level=info')
    assert.deepEqual(page.messages, ['entry 4', 'entry 3'])
    const rest = await list(`limit=2&level=info&after=${page.next}`)
    assert.deepEqual(rest, { messages: ['entry 2', 'entry 1'], next: null })
    assert.deepEqual((await list('level=error')).messages, ['entry 3'])
    assertProblem(await call(world, token, 'GET', 'bots/bot-1/logs?level=fatal'), 400, /^The parameter level is/)
  })
})

describe('our choice: runtimes in the API for owners', () => {
  test('POST creates a runtime with a working key; a new key leaves the previous key valid or revokes it; DELETE removes the runtime', async (t) => {
    const { world, as } = await openBot(t)
    const token = await makeToken(await as('ada'), world)
    const api = (method: string, path: string, body?: object) => call(world, token, method, `runtimes${path}`, body)
    const madeAt = world.clock.iso()
    const made = await api('POST', '', { name: ' Home ', botIds: ['bot-1'] })
    const { id, key, keys } = made.json
    assert.match(key, /^svc_rk_/)
    const record = { id, name: 'Home', botIds: ['bot-1'], createdAt: madeAt }
    const firstKey = { number: keys[0].number, lastFour: key.slice(-4), createdAt: madeAt, lastUsedAt: null }
    assertAnswer(made, 201, { ...record, keys: [{ ...firstKey, endsAt: null }], key })
    assertAnswer(await api('GET', `/${id}`), 200, { ...record, keys: [{ ...firstKey, endsAt: null }] })
    const { welcome } = await BotRuntime.ready(t, world, key)
    assert.deepEqual(welcome.bots, ['bot-1'])

    const next = await api('POST', `/${id}/keys`, {})
    assert.equal(next.status, 201)
    const [current, previous] = next.json.keys
    assert.deepEqual(
      [current.lastFour, current.endsAt, previous.number, previous.endsAt],
      [next.json.key.slice(-4), null, firstKey.number, world.clock.iso(24 * 3_600_000)],
    )
    assertProblem(await api('DELETE', `/${id}/keys/${current.number}`), 409, /^This is the current key\./)
    assert.equal((await api('DELETE', `/${id}/keys/${previous.number}`)).status, 204)
    assertProblem(await api('DELETE', `/${id}/keys/${previous.number}`), 404, /^There is no active key/)
    const leaked = await api('POST', `/${id}/keys`, { keyBefore: 'ends-now' })
    assert.equal(leaked.json.keys.length, 1)
    assert.equal((await api('DELETE', `/${id}`)).status, 204)
    assertProblem(await api('GET', `/${id}`), 404, /^You have no such runtime\.$/)
    const kinds = (await exported(world)).flatMap(({ kind, detail }) =>
      detail.personalTokenName === 'script' && kind.startsWith('runtime-') ? [kind] : [],
    )
    const expected = ['made', 'key-made', 'key-ended', 'key-made', 'removed'].map((what) => `runtime-${what}`)
    assert.deepEqual(kinds, expected)
  })

  test('a user sees and changes only their own runtimes, and creates runtimes only for bots that they own', async (t) => {
    const { world, as } = await openBot(t)
    const [ada, ed] = [await makeToken(await as('ada'), world), await makeToken(await as('ed'), world)]
    const { id } = (await call(world, ada, 'POST', 'runtimes', { name: 'one', botIds: '*' })).json
    await provision(world, 'POST', '/v1/runtimes', { name: 'of the operator', botIds: '*' })
    for (const [method, path] of [
      ['GET', `/${id}`],
      ['DELETE', `/${id}`],
      ['DELETE', `/${id}/keys/1`],
    ] as const) {
      assert.equal((await call(world, ed, method, `runtimes${path}`)).status, 404)
    }
    assert.equal((await call(world, ed, 'POST', `runtimes/${id}/keys`, {})).status, 404)
    const foreign = await call(world, ed, 'POST', 'runtimes', { name: 'mine', botIds: ['bot-1'] })
    assertProblem(foreign, 400, ['#/botIds'])
    assert.deepEqual((await call(world, ed, 'GET', 'runtimes')).json, { items: [], next: null })
    for (const name of ['two', 'three']) {
      await world.clock.advance(1_000)
      await call(world, ada, 'POST', 'runtimes', { name, botIds: ['bot-1'] })
    }
    const first = await call(world, ada, 'GET', 'runtimes?limit=2')
    const names = ({ items }: { items: { name: string }[] }) => items.map(({ name }) => name)
    assert.deepEqual(names(first.json), ['three', 'two'])
    const rest = await call(world, ada, 'GET', `runtimes?limit=2&after=${first.json.next}`)
    assert.deepEqual([names(rest.json), rest.json.next], [['one'], null])
  })

  test('a user whose ID is operator sees only their own runtimes', async (t) => {
    const { world } = await openBot(t)
    const account = { email: 'name@example.com', password: 'correct horse battery' }
    await provision(world, 'PUT', '/v1/users/operator', { name: 'Name', ...account })
    await provision(world, 'PUT', '/v1/bots/bot-2', {
      ownerId: 'operator',
      name: 'B',
      chatPlatformId: '22345678901234567',
    })
    const { json } = await provision(world, 'POST', '/v1/runtimes', { name: 'of the platform', botIds: ['bot-2'] })
    const browser = await signedIn(world, account)
    assert.equal((await call(world, await makeToken(browser, world), 'GET', `runtimes/${json.id}`)).status, 404)
    const page = await browser.get(`${world.baseUrl}/bots/bot-2/runtimes`)
    assert.deepEqual([page.status, page.text.includes('of the platform')], [200, false])
  })
})
