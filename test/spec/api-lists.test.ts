import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { documentAt, operationsOf } from '../support/openapi.ts'
import { answerOf, call, type JsonAnswer, makeToken, provision, signedIn } from '../support/people.ts'
import { pluck } from '../support/together.ts'
import { openWorld } from '../support/world.ts'
import { assertProblem } from './provisioning-scene.ts'

type Read = (path: string) => Promise<JsonAnswer>

const isHosted = (id: string) => id !== 'b-4'

/**
 * Opens a world with several items in each list of both APIs, each created a second after the one before. The order by
 * age is not the order of the IDs. Ada owns the bots b-1 to b-3, Bob owns b-4.
 */
async function openLists(t: TestContext) {
  const world = await openWorld(t)
  const made = async (answer: Promise<JsonAnswer>) => {
    const { status, json } = await answer
    assert.ok(status < 300, JSON.stringify(json))
    world.clock.jump(1_000)
    return json
  }
  const operate = (method: string, path: string, body?: object) => provision(world, method, `/v1/${path}`, body)
  const put = (path: string, body: object) => made(operate('PUT', path, body))
  await put('users/cyd', { name: 'Cyd' })
  await put('users/bob', { name: 'Bob', email: 'bob@lamp.example' })
  await put('users/ada', { name: 'Ada Lovelace', email: 'Ada@Example.com', password: 'correct horse battery' })
  for (const id of ['b-3', 'b-1', 'b-2', 'b-4', 'gone']) {
    const chatPlatformId = `1234567890123450${id.charCodeAt(2)}`
    const ownerId = id === 'b-4' ? 'bob' : 'ada'
    await put(`bots/${id}`, { ownerId, name: `Lantern ${id}`, chatPlatformId, hostingEnabled: isHosted(id) })
  }
  await put('bots/gone/flows/three', { kind: 'command', name: 'Three' })
  await made(operate('DELETE', 'bots/gone'))
  for (const path of ['b-1/coworkers/cyd', 'b-1/coworkers/bob', 'b-4/coworkers/ada']) {
    await put(`bots/${path}`, { role: 'viewer', capabilities: ['logs'] })
  }
  const webhook = { path: 'hook', requiresKey: true, key: 'a-flow-key-for-lists' }
  await put('bots/b-1/flows/two', { kind: 'command', name: 'Two' })
  await put('bots/b-1/flows/one', { kind: 'event', name: 'One', webhook })
  await put('bots/b-2/flows/one', { kind: 'command', name: 'Another' })
  const application = { websiteUrl: 'https://a.example', redirectUris: ['https://a.example/cb'] }
  await put('applications/beam', { ...application, ownerId: 'bob', name: 'Beam', verified: true })
  const { clientId } = await put('applications/acme', { ...application, ownerId: 'ada', name: 'Acme' })
  await put('scopes/calendar.read', { description: 'See your calendar' })
  for (const id of ['rack', 'shelf', 'attic']) await put(`runtimes/${id}`, { name: `A ${id}`, botIds: '*' })
  for (const id of ['b-sub', 'a-sub']) {
    await put(`subscriptions/${id}`, { url: 'https://127.0.0.1/events', types: ['bot.offline'] })
    await made(operate('POST', 'subscriptions/b-sub/test'))
  }
  for (const message of ['one', 'two']) {
    await made(operate('POST', 'bots/b-1/logs', { entries: [{ level: 'info', message }] }))
    const headers = { 'svc-key': webhook.key }
    await made(fetch(`${world.apiUrl}/b-1/hook`, { method: 'POST', headers }).then(answerOf))
  }
  const token = await makeToken(await signedIn(world), world)
  const ofOwner: string[] = []
  for (const name of ['Home', 'Cellar']) {
    ofOwner.unshift((await made(call(world, token, 'POST', 'runtimes', { name, botIds: '*' }))).id)
  }
  const read = (path: string) => provision(world, 'GET', path)
  const own = (path: string) => call(world, token, 'GET', path.slice('/api/v1/'.length))
  return { world, put, read, own, clientId, ofOwner }
}

const idOf = ({ id, userId, scope, message }: Record<string, string>) => id ?? userId ?? scope ?? message ?? ''
const idsIn = ({ status, json }: JsonAnswer): string[] => {
  assert.equal(status, 200, JSON.stringify(json))
  return json.items.map(idOf)
}

/** Returns the IDs of all items, page by page. */
async function pagesOf(read: Read, path: string): Promise<string[][]> {
  const pages: string[][] = []
  let after = ''
  do {
    const page = await read(`${path}${after}`)
    pages.push(idsIn(page))
    assert.ok(pages.length < 50, `${path} has no end`)
    after = page.json.next === null ? '' : `&after=${page.json.next}`
  } while (after !== '')
  return pages
}

test('each list of both APIs returns every item once, in a fixed order and page by page, and each item as it can be read; a malformed or unknown parameter returns 400', async (t) => {
  const { world, read, own, ofOwner } = await openLists(t)
  const scopes = 'bots.read calendar.read cowork.read flows.read guilds.read logs.read offline_access'.split(' ')
  /** The IDs in each list, or their number. */
  const operators: Record<string, string[] | number> = {
    '/v1/users': ['ada', 'bob', 'cyd'],
    '/v1/applications': ['acme', 'beam', 'portal'],
    '/v1/bots': ['b-4', 'b-2', 'b-1', 'b-3'],
    '/v1/bots/{botId}/coworkers': ['bob', 'cyd'],
    '/v1/bots/{botId}/flows': ['one', 'two'],
    '/v1/flows': ['one', 'two', 'one'],
    '/v1/bots/{botId}/deliveries': 2,
    '/v1/runtimes': [...ofOwner, 'attic', 'shelf', 'rack'],
    '/v1/scopes': [...scopes, 'user.connections.read', 'user.email', 'user.identify'],
    '/v1/subscriptions': ['a-sub', 'b-sub'],
    '/v1/subscriptions/{subscriptionId}/deliveries': 2,
  }
  const owners: typeof operators = {
    '/api/v1/bots': ['b-3', 'b-1', 'b-2', 'b-4'],
    '/api/v1/bots/{botId}/flows': ['one', 'two'],
    '/api/v1/bots/{botId}/deliveries': 2,
    '/api/v1/bots/{botId}/logs': ['two', 'one'],
    '/api/v1/runtimes': ofOwner,
  }
  for (const [url, get, lists] of [
    [world.controlUrl, read, operators],
    [`${world.baseUrl}/api`, own, owners],
  ] as const) {
    const operations = operationsOf(await documentAt(url))
    const described = operations.filter(
      ({ method, path, operation: { parameters = [] } }) =>
        method === 'GET' && path !== '/v1/audit' && parameters.some(({ name }) => name === 'after'),
    )
    assert.deepEqual(Object.keys(lists).sort(), pluck(described, 'path').sort())
    for (const [path, expected] of Object.entries(lists)) {
      const address = path.replace('{botId}', 'b-1').replace('{subscriptionId}', 'b-sub')
      const ids = idsIn(await get(address))
      if (typeof expected === 'number') assert.deepEqual([ids.length, new Set(ids).size], [expected, expected], path)
      else assert.deepEqual(ids, expected, path)
      assert.deepEqual(await pagesOf(get, `${address}?limit=${ids.length}`), [ids])
      assert.deepEqual((await pagesOf(get, `${address}?limit=1`)).flat(), ids)
      assertProblem(await get(`${address}?limit=0`), 400, /^The parameter limit is malformed\./)
      assertProblem(await get(`${address}?after=last`), 400, /^The parameter after is malformed\./)
      assertProblem(await get(`${address}?color=red`), 400, /^Unknown parameter color\. Known parameters: limit, after/)

      // A delivery that is read alone has more members than a listed one.
      const canBeRead = operations.some(({ path: other }) => other.startsWith(`${path}/{`))
      if (!canBeRead || path.endsWith('/deliveries')) continue
      for (const item of (await get(address)).json.items) {
        const { json } = await get(`${address}/${idOf(item)}`)
        const state = json.hostingEnabled ? 'offline' : 'hosting-off'
        const now = { state, runtimeConnected: false, waiting: json.id === 'b-1' ? 2 : 0 }
        assert.deepEqual(item, { ...json, ...(path === '/v1/bots' && now) })
      }
    }
  }
})

test('filters select items of a list by their members, by parts of names whatever their case, and by the time of creation', async (t) => {
  const { world, read, clientId, ofOwner } = await openLists(t)
  const after = (seconds: number) => world.clock.iso((seconds + 3_600) * 1_000).replace('Z', '%2B01:00')
  for (const [list, ids] of Object.entries({
    'users?email=ADA@example.COM': ['ada'],
    'users?email=da@example.com': [],
    'users?emailContains=@LAMP.': ['bob'],
    'users?nameContains=LOVE': ['ada'],
    'users?nameContains=%25': [],
    [`users?createdSince=${after(1)}&nameContains=b`]: ['bob'],
    [`users?createdSince=${after(2)}`]: ['ada'],
    'users?chatPlatformId=12345678901234567': [],
    'bots?ownerId=bob': ['b-4'],
    'bots?ownerId=nobody': [],
    'bots?chatPlatformId=1234567890123450100': [],
    'bots?state=offline': ['b-2', 'b-1', 'b-3'],
    'bots?state=hosting-off&ownerId=bob': ['b-4'],
    [`bots?createdSince=${after(5)}`]: ['b-4', 'b-2'],
    'bots?nameContains=tern%20B-2': ['b-2'],
    'applications?ownerId=ada': ['acme'],
    [`applications?clientId=${clientId}`]: ['acme'],
    'applications?verified=true': ['beam'],
    'applications?nameContains=acm': ['acme'],
    'flows?kind=command': ['two', 'one'],
    'flows?nameContains=ANO': ['one'],
    'runtimes?nameContains=A%20SHEL': ['shelf'],
    'runtimes?ownerId=ada': ofOwner,
    'runtimes?ownerId=bob': [],
  })) {
    assert.deepEqual(idsIn(await read(`/v1/${list}`)), ids, list)
  }
  assert.deepEqual(await pagesOf(read, '/v1/bots?state=offline&limit=2'), [['b-2', 'b-1'], ['b-3']])
  for (const [query, name] of [
    ['users?createdSince=yesterday', 'createdSince'],
    ['users?createdSince=2026-02-31T12:00:00Z', 'createdSince'],
    ['users?chatPlatformId=12', 'chatPlatformId'],
    ['applications?ownerId=a%20b', 'ownerId'],
    ['applications?verified=1', 'verified'],
    ['bots?state=asleep', 'state'],
    ['bots/b-1/deliveries?until=now', 'until'],
    [`subscriptions?after=${cursorOf(['calendar.read'])}`, 'after'],
  ]) {
    assertProblem(await read(`/v1/${query}`), 400, new RegExp(`^The parameter ${name} is malformed\\. Expected: `))
  }
  const number = /^The parameter after is malformed\. Expected: an integer from 0 to 9007199254740991\.$/
  assertProblem(await read('/v1/audit?after=last'), 400, number)
  assertProblem(await read('/v1/audit?since=3'), 400, /^Unknown parameter since\. Known parameters: after, limit\.$/)
})

test('a record that is created or deleted between two pages neither repeats nor hides another record', async (t) => {
  const { world, put, read, own } = await openLists(t)
  const [users, bots] = [await read('/v1/users?limit=1'), await own('/api/v1/bots?limit=2')]
  await put('users/dan', { name: 'Dan' })
  await provision(world, 'DELETE', '/v1/bots/b-1')
  assert.deepEqual(idsIn(await read(`/v1/users?limit=1&after=${users.json.next}`)), ['bob'])
  assert.deepEqual(idsIn(await own(`/api/v1/bots?after=${bots.json.next}`)), ['b-2', 'b-4'])
})

test('our choice: a malformed limit or cursor of users or runtimes returns 400', async (t) => {
  const { read } = await openLists(t)
  const expected = {
    limit: 'The parameter limit is malformed. Expected: an integer from 1 to 200.',
    after: 'The parameter after is malformed. Expected: the value of next in the previous page.',
  }
  const cursors = ['', cursorOf([{}, null]), cursorOf([1, '\0']), 'A'.repeat(513)].map((cursor) => `after=${cursor}`)
  for (const path of ['users', 'runtimes']) {
    for (const query of ['limit=201', 'limit=1&limit=2', ...cursors]) {
      const { status, json } = await read(`/v1/${path}?${query}`)
      const detail = expected[query.startsWith('limit') ? 'limit' : 'after']
      const problem = { type: 'about:blank', title: 'Bad Request', status: 400, detail }
      assert.deepEqual([status, json], [400, problem], `${path}?${query}`)
    }
  }
})

function cursorOf(parts: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}
