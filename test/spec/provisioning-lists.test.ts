import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { provision } from '../support/people.ts'
import { openWorld } from '../support/world.ts'
import { assertAnswer, assertProblem } from './provisioning-scene.ts'

type List = { items: { id: string; name: string }[]; next: string | null }

/** Ada owns the bots b-1 to b-5, each created one second after the other. Bob owns b-6. */
async function openLists(t: TestContext) {
  const world = await openWorld(t)
  const ok = async (method: string, path: string, body: object) => {
    const { status, json } = await provision(world, method, `/v1/${path}`, body)
    assert.ok(status === 200 || status === 201, JSON.stringify(json))
    return json
  }
  const email = { ada: 'Ada@Example.com', bob: 'bob@lamp.example' }
  for (const [id, name] of [
    ['ada', 'Ada Lovelace'],
    ['bob', 'Bob'],
  ] as const) {
    await ok('PUT', `users/${id}`, { name, email: email[id], password: 'correct horse battery', pin: '2468' })
  }
  for (let at = 1; at <= 6; at += 1) {
    await world.clock.advance(1_000)
    const ownerId = at === 6 ? 'bob' : 'ada'
    const bot = { ownerId, name: `Lantern ${at}`, chatPlatformId: `1234567890123450${at}0`, hostingEnabled: at < 4 }
    await ok('PUT', `bots/b-${at}`, bot)
  }
  return { world, ok, get: (path: string) => provision(world, 'GET', `/v1/${path}`) }
}

/** Returns the IDs of all items, page by page. */
async function pagesOf(get: (path: string) => ReturnType<typeof provision>, path: string): Promise<string[][]> {
  const pages: string[][] = []
  let after = ''
  for (;;) {
    const { status, json } = await get(`${path}${after}`)
    assert.equal(status, 200, JSON.stringify(json))
    const { items, next } = json as List
    pages.push(items.map(({ id }) => id))
    if (next === null) return pages
    after = `&after=${next}`
  }
}

test('the control API lists users, bots, applications, flows, runtimes, coworkers and scopes', async (t) => {
  // The subtests share one world: each only reads, or adds records with names that no other uses.
  const scene = await openLists(t)
  const get = (path: string) => scene.get(path)
  const ids = async (path: string) => ((await get(path)).json as List).items.map(({ id }) => id)

  await t.test('users are listed newest first, as each can be read', async () => {
    const items = [(await get('users/bob')).json, (await get('users/ada')).json]
    assertAnswer(await get('users'), 200, { items, next: null })
  })

  await t.test(
    'limit and after walk a list page by page; a record created in between neither repeats nor hides another record',
    async () => {
      assert.deepEqual(await pagesOf(get, 'bots?ownerId=ada&limit=2'), [['b-5', 'b-4'], ['b-3', 'b-2'], ['b-1']])
      assert.deepEqual(await pagesOf(get, 'bots?ownerId=ada&limit=5'), [['b-5', 'b-4', 'b-3', 'b-2', 'b-1']])
      const first = (await get('users?limit=1')).json as List
      await scene.ok('PUT', 'users/cleo', { name: 'Cleo' })
      const second = (await get(`users?limit=1&after=${first.next}`)).json as List
      assert.deepEqual(
        [first, second].map(({ items }) => items[0]?.id),
        ['bob', 'ada'],
      )
      assert.deepEqual(await ids('users'), ['cleo', 'bob', 'ada'])
    },
  )

  await t.test(
    'bots are listed with state, runtimeConnected and waiting beside the members that can be read',
    async () => {
      const bot = { ...(await get('bots/b-1')).json, state: 'offline', runtimeConnected: false, waiting: 0 }
      assertAnswer(await get('bots?chatPlatformId=123456789012345010'), 200, { items: [bot], next: null })
    },
  )

  await t.test('filters select users by address, name and time of creation', async () => {
    assert.deepEqual(await ids('users?email=ADA@example.COM'), ['ada'])
    assert.deepEqual(await ids('users?email=da@example.com'), [])
    assert.deepEqual(await ids('users?emailContains=@LAMP.'), ['bob'])
    assert.deepEqual(await ids('users?nameContains=LOVE'), ['ada'])
    assert.deepEqual(await ids('users?nameContains=%25'), [])
    const inParis = scene.world.clock.iso(3_600_000).replace('Z', '%2B01:00')
    assert.deepEqual(await ids(`users?createdSince=${inParis}&nameContains=b&limit=1`), ['bob'])
    assert.deepEqual(await ids(`users?createdSince=${scene.world.clock.iso(3_600_000)}`), [])
    assert.deepEqual(await ids('users?chatPlatformId=12345678901234567'), [])
  })

  await t.test('filters select bots by owner, name, state and time of creation', async () => {
    assert.deepEqual(await ids('bots?ownerId=bob'), ['b-6'])
    assert.deepEqual(await ids('bots?ownerId=nobody'), [])
    assert.deepEqual(await ids('bots?state=offline'), ['b-3', 'b-2', 'b-1'])
    assert.deepEqual(await ids('bots?state=hosting-off&ownerId=ada'), ['b-5', 'b-4'])
    assert.deepEqual(await ids(`bots?createdSince=${scene.world.clock.iso(5_000)}`), ['b-6', 'b-5'])
    assert.deepEqual(await ids('bots?nameContains=tern%202'), ['b-2'])
    assert.deepEqual(await pagesOf(get, 'bots?state=offline&limit=2'), [['b-3', 'b-2'], ['b-1']])
  })

  await t.test(
    'applications are listed without their secrets, and selected by owner, client ID, name and verification',
    async () => {
      const body = { ownerId: 'ada', websiteUrl: 'https://a.example', redirectUris: ['https://a.example/cb'] }
      const { clientSecret, ...acme } = await scene.ok('PUT', 'applications/acme', { ...body, name: 'Acme' })
      await scene.world.clock.advance(1_000)
      await scene.ok('PUT', 'applications/beam', { ...body, name: 'Beam', ownerId: 'bob', verified: true })
      assert.match(clientSecret, /./)
      assertAnswer(await get('applications?ownerId=ada'), 200, { items: [acme], next: null })
      assert.deepEqual(await ids(`applications?clientId=${acme.clientId}`), ['acme'])
      assert.deepEqual(await ids('applications?verified=true'), ['beam'])
      assert.deepEqual(await ids('applications?nameContains=acm'), ['acme'])
      // The list also contains the portal's own application.
      assert.deepEqual((await ids('applications')).slice(0, 2), ['beam', 'acme'])
      assert.deepEqual((await pagesOf(get, 'applications?limit=1')).flat(), await ids('applications'))
    },
  )

  await t.test('flows of one bot or of all bots are listed by ID, without keys', async () => {
    const webhook = { path: 'hook', requiresKey: true, key: 'a-flow-key-for-lists' }
    await scene.ok('PUT', 'bots/b-1/flows/one', { kind: 'event', name: 'One', webhook })
    await scene.ok('PUT', 'bots/b-1/flows/two', { kind: 'command', name: 'Two' })
    await scene.ok('PUT', 'bots/b-2/flows/one', { kind: 'command', name: 'Another' })
    const listed = await get('bots/b-1/flows?limit=1')
    assert.deepEqual(listed.json.items, [(await get('bots/b-1/flows/one')).json])
    assert.deepEqual(await pagesOf(get, 'bots/b-1/flows?limit=1'), [['one'], ['two']])
    assert.deepEqual(await pagesOf(get, 'flows?limit=2'), [['one', 'two'], ['one']])
    assert.deepEqual(await pagesOf(get, 'flows?kind=command&limit=1'), [['two'], ['one']])
    assert.deepEqual(await ids('flows?nameContains=ANO'), ['one'])
    await scene.ok('PUT', 'bots/gone', { ownerId: 'ada', name: 'Gone', chatPlatformId: '123456789012345099' })
    await scene.ok('PUT', 'bots/gone/flows/three', { kind: 'command', name: 'Three' })
    assert.equal((await provision(scene.world, 'DELETE', '/v1/bots/gone')).status, 204)
    assert.deepEqual(await ids('flows'), ['one', 'two', 'one'])
    assertProblem(await get('bots/gone/flows'), 404, /no bot gone/)
  })

  await t.test(
    'our choice: a request for runtimes without parameters also returns the member runtimes of earlier releases',
    async () => {
      const { key, ...rack } = await scene.ok('POST', 'runtimes', { name: 'Rack', botIds: '*' })
      await scene.world.clock.advance(1_000)
      const { key: other, ...shelf } = await scene.ok('POST', 'runtimes', { name: 'Shelf', botIds: ['b-1'] })
      assert.notEqual(key, other)
      assertAnswer(await get('runtimes'), 200, { items: [shelf, rack], next: null, runtimes: [shelf, rack] })
      const first = (await get('runtimes?limit=1')).json
      assert.deepEqual([first.items, Object.keys(first)], [[shelf], ['items', 'next']])
      assertAnswer(await get(`runtimes?limit=1&after=${first.next}`), 200, { items: [rack], next: null })
      assert.deepEqual(await ids('runtimes?nameContains=shel'), [shelf.id])
      assert.deepEqual(await ids('runtimes?ownerId=ada'), [])
    },
  )

  await t.test('coworkers of a bot are listed by ID, and scopes by name', async () => {
    const of = (userId: string) => ({ botId: 'b-1', userId, role: 'viewer', capabilities: ['logs'] })
    for (const id of ['dan', 'cyd']) await scene.ok('PUT', `users/${id}`, { name: id })
    for (const id of ['dan', 'cyd', 'bob']) {
      await scene.ok('PUT', `bots/b-1/coworkers/${id}`, { role: 'viewer', capabilities: ['logs'] })
    }
    const first = (await get('bots/b-1/coworkers?limit=2')).json
    assert.deepEqual(first.items, [of('bob'), of('cyd')])
    assertAnswer(await get(`bots/b-1/coworkers?after=${first.next}`), 200, { items: [of('dan')], next: null })
    assertProblem(await get('bots/nobody/coworkers'), 404, /no bot nobody/)

    await scene.ok('PUT', 'scopes/calendar.read', { description: 'See your calendar' })
    const { items } = (await get('scopes')).json
    assert.deepEqual(items[1], { scope: 'calendar.read', description: 'See your calendar' })
    assert.equal(items.length, 10)
  })

  await t.test(
    'a malformed or unknown query parameter returns 400 with a problem document that names the parameter',
    async () => {
      const cursor = 'the value of next in the previous page'
      // The list of runtimes reads its own parameters, because it also answers clients of earlier releases.
      for (const path of ['users', 'runtimes']) {
        for (const [query, detail] of [
          ['limit=0', 'The parameter limit is malformed. Expected: an integer from 1 to 200.'],
          ['limit=201', 'The parameter limit is malformed. Expected: an integer from 1 to 200.'],
          ['limit=1&limit=2', 'The parameter limit is malformed. Expected: an integer from 1 to 200.'],
          ['after=last', `The parameter after is malformed. Expected: ${cursor}.`],
          ['after=', `The parameter after is malformed. Expected: ${cursor}.`],
          [`after=${cursorOf([{}, null])}`, `The parameter after is malformed. Expected: ${cursor}.`],
          [`after=${cursorOf([1, '\0'])}`, `The parameter after is malformed. Expected: ${cursor}.`],
          [`after=${'A'.repeat(513)}`, `The parameter after is malformed. Expected: ${cursor}.`],
        ] as const) {
          const { status, json } = await get(`${path}?${query}`)
          const problem = { type: 'about:blank', title: 'Bad Request', status: 400, detail }
          assert.deepEqual([status, json], [400, problem], `${path}?${query}`)
        }
        assertProblem(await get(`${path}?color=red`), 400, /^Unknown parameter color\. Known parameters: limit, after/)
      }
      for (const [query, name] of [
        ['users?createdSince=yesterday', 'createdSince'],
        ['users?createdSince=2026-02-31T25:00:00Z', 'createdSince'],
        ['users?chatPlatformId=12', 'chatPlatformId'],
        ['applications?ownerId=a%20b', 'ownerId'],
        ['applications?verified=1', 'verified'],
        ['bots?state=asleep', 'state'],
        ['bots/b-1/deliveries?until=now', 'until'],
      ]) {
        assertProblem(await get(`${query}`), 400, new RegExp(`^The parameter ${name} is malformed\\. Expected: `))
      }
    },
  )
})

function cursorOf(parts: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}
