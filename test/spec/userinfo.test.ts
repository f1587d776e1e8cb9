import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { reportOf } from '../support/bot-runtime.ts'
import {
  ada,
  answerOf,
  codeFor,
  type JsonAnswer,
  openAda,
  openClient,
  provision,
  redeem,
  signedIn,
  userinfo,
} from '../support/people.ts'

function assertRefused({ status, headers, json }: JsonAnswer, challenge: string, error_description: string) {
  assert.deepEqual([status, headers.get('www-authenticate')], [401, challenge])
  assert.deepEqual(json, { error: 'invalid_token', error_description })
}

describe('GET {base_url}/api/oauth/userinfo', () => {
  test('sub and serviceId are always present and equal; other members appear only with their scopes', async (t) => {
    const { world, tokens } = await openClient(t)
    const always = { sub: ada.id, serviceId: ada.id }
    for (const [scope, members] of [
      ['offline_access', {}],
      ['user.identify', { name: ada.name, botCount: 0 }],
      ['user.email', { email: ada.email }],
      ['user.connections.read', { connections: { chatPlatform: false, codeHosting: false, passkey: false } }],
      ['bots.read', { bots: [] }],
      ['flows.read', { flows: [] }],
      ['guilds.read', { guilds: [] }],
      ['logs.read', { logs: [] }],
      ['cowork.read', { coworkers: [] }],
    ] as const) {
      const answer = await userinfo(world, (await tokens({ scope })).access_token)
      assert.equal(answer.status, 200)
      assert.deepEqual(answer.json, { ...always, ...members }, scope)
      assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
    }
  })

  test('a userinfo request without a token gets 401 with a bare Bearer challenge and an invalid_token body; one with a bad token gets a challenge that names the error', async (t) => {
    const { world, tokens } = await openClient(t)
    const url = `${world.baseUrl}/api/oauth/userinfo`
    const inAddress = `${url}?access_token=${(await tokens({ scope: 'user.identify' })).access_token}`
    const asBasic = fetch(url, { headers: { authorization: 'Basic abc' } })
    const asNothing = fetch(url, { headers: { authorization: 'Bearer' } })
    const missing = 'Send the access token in the header Authorization: Bearer <token>, not in the URL.'
    for (const request of [fetch(url), fetch(inAddress), asBasic, asNothing]) {
      assertRefused(await answerOf(await request), 'Bearer', missing)
    }
    assert.doesNotMatch(world.logs(), /svc_at_/, 'the URL is not logged')

    const challenge = 'Bearer error="invalid_token", error_description="The access token is not known."'
    for (const token of ['nonsense', `svc_at_${'A'.repeat(72)}`, 'svc_at_', 'two words', 'x, Bearer x']) {
      assertRefused(await userinfo(world, token), challenge, 'The access token is not known.')
    }
  })

  test('our choice: HEAD gets what GET gets, without the body (RFC 9110 section 9.1); the Bearer scheme is case-insensitive', async (t) => {
    const { world, tokens } = await openClient(t)
    const { access_token } = await tokens()
    for (const [token, status] of Object.entries({ [access_token]: 200, x: 401 })) {
      const headers = { authorization: `bearer ${token}` }
      const ask = (method: string) => fetch(`${world.baseUrl}/api/oauth/userinfo`, { method, headers })
      const [got, head] = [await ask('GET'), await ask('HEAD')]
      assert.equal(head.status, status)
      for (const name of ['content-type', 'content-length', 'www-authenticate'])
        assert.equal(head.headers.get(name), got.headers.get(name), name)
    }
    const posted = await fetch(`${world.baseUrl}/api/oauth/userinfo`, { method: 'POST' })
    assert.deepEqual([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD'])
  })

  test('our choice: the OAuth endpoints send no CORS headers, since their callers are servers', async (t) => {
    const { world, tokens } = await openClient(t)
    const authorization = `Bearer ${(await tokens({ scope: 'user.identify' })).access_token}`
    const headers = { authorization, origin: 'https://other.example', 'access-control-request-method': 'POST' }
    for (const endpoint of ['userinfo', 'token', 'revoke', 'introspect', 'par']) {
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const { status, headers: answered } = await fetch(`${world.baseUrl}/api/oauth/${endpoint}`, { method, headers })
        const cors = [...answered.keys()].filter((name) => name.startsWith('access-control-'))
        assert.deepEqual(cors, [], `${method} ${endpoint}`)
        if (method === 'OPTIONS') assert.equal(status, 405)
      }
    }
  })
})

/** Opens a scene in which Ada owns `first`, is an editor of Bob’s `second`, and has no role in Bob’s `third`. */
async function openBots(t: TestContext) {
  const { world, client } = await openAda(t)
  const put = async (path: string, body: object) => {
    const answer = await provision(world, 'PUT', `/v1/${path}`, body)
    assert.ok(answer.status === 200 || answer.status === 201, JSON.stringify(answer.json))
  }
  await put('users/bob', { name: 'Bob' })
  for (const [index, [id, ownerId]] of Object.entries({ first: ada.id, second: 'bob', third: 'bob' }).entries()) {
    await put(`bots/${id}`, { ownerId, name: `The ${id}`, chatPlatformId: `1234567890123456${index}` })
    await world.clock.advance(1_000)
  }
  await put(`bots/second/coworkers/${ada.id}`, { role: 'editor', capabilities: ['flows', 'logs'] })
  const browser = await signedIn(world)
  const accessToken = async (scope: string): Promise<string> =>
    (await redeem(world, client, await codeFor(world, browser, client, { scope }))).json.access_token
  const member = async (scope: string, name: string) => (await userinfo(world, await accessToken(scope))).json[name]
  return { world, put, accessToken, member }
}

describe('Userinfo members that the specification leaves open', () => {
  test('name; chatPlatformId and email only if the user has them; botCount: the number of bots on which the user has any role; connections is {"chatPlatform": bool, "codeHosting": bool, "passkey": bool}', async (t) => {
    const { world, put, accessToken } = await openBots(t)
    const token = await accessToken('user.identify user.email user.connections.read')
    const none = { chatPlatform: false, codeHosting: false, passkey: false }
    const always = { sub: ada.id, serviceId: ada.id, name: ada.name, botCount: 2, connections: none }
    assert.deepEqual((await userinfo(world, token)).json, { ...always, email: ada.email })
    const linked = { name: 'Ada L.', chatPlatformId: '98765432109876543' }
    await put(`users/${ada.id}`, { ...linked, codeHostingId: 'ada', email: null })
    const connections = { ...none, chatPlatform: true, codeHosting: true }
    assert.deepEqual((await userinfo(world, token)).json, { ...always, ...linked, connections })
    await provision(world, 'DELETE', '/v1/bots/second')
    await put(`users/${ada.id}`, { name: ada.name, chatPlatformId: null, codeHostingId: null })
    assert.deepEqual((await userinfo(world, token)).json, { ...always, botCount: 1 })
  })

  test('each entry of bots is {"id", "name", "avatar": url or null, "status": "online" or "offline", "plan", "role"}', async (t) => {
    const { world, put, accessToken, member } = await openBots(t)
    const first = { id: 'first', name: 'The first', avatar: null, status: 'offline', plan: 'free', role: 'owner' }
    const second = { ...first, id: 'second', name: 'The second', role: 'editor' }
    assert.deepEqual(await member('bots.read', 'bots'), [first, second])
    const required = { ownerId: ada.id, name: 'The first', chatPlatformId: '12345678901234560' }
    const avatar = 'https://cdn.example/first.png'
    await put('bots/first', { ...required, avatar, plan: 'pro', hostingEnabled: true })
    const token = await accessToken('bots.read')
    world.service.bots.heartbeats.record([reportOf('first'), reportOf('second')])
    // Hosting is off for `second`, so its heartbeat does not make it online.
    const online = { ...first, avatar: 'https://cdn.example/first.png', plan: 'pro', status: 'online' }
    assert.deepEqual((await userinfo(world, token)).json.bots, [online, second])
    await world.clock.advance(90_000)
    assert.deepEqual((await userinfo(world, token)).json.bots, [online, second])
    await world.clock.advance(1)
    assert.deepEqual((await userinfo(world, token)).json.bots, [{ ...online, status: 'offline' }, second])
  })

  test('each entry of logs is {"botId", "at": ISO 8601 UTC, "level", "message"}; entries are listed newest first, at most 100', async (t) => {
    const { world, accessToken } = await openBots(t)
    const token = await accessToken('logs.read')
    const post = (id: string, entries: object[]) => provision(world, 'POST', `/v1/bots/${id}/logs`, { entries })
    await post('first', [{ at: '2026-01-01T10:00:00+02:00', level: 'warn', message: 'early' }])
    await post('second', [{ at: '2026-01-01T09:00:00Z', level: 'error', message: 'late' }])
    await post('third', [{ level: 'info', message: 'not hers' }])
    const late = { botId: 'second', at: '2026-01-01T09:00:00.000Z', level: 'error', message: 'late' }
    const early = { botId: 'first', at: '2026-01-01T08:00:00.000Z', level: 'warn', message: 'early' }
    assert.deepEqual((await userinfo(world, token)).json.logs, [late, early])
    const entries = Array.from({ length: 99 }, (_, index) => ({ level: 'debug', message: `${index}` }))
    await post('first', entries)
    const { logs } = (await userinfo(world, token)).json
    assert.equal(logs.length, 100)
    assert.deepEqual([logs[0].message, logs[98].message, logs[99]], ['98', '0', late])
  })

  test('each entry of flows is {"botId", "kind", "name", "publicCode": string or null}, of guilds {"botId", "guildIds": [string]}, and of coworkers, on the bots the user owns, {"botId", "userId", "name", "role", "capabilities": [string]}; our choice: members are in the order of the specification', async (t) => {
    const { world, put, accessToken } = await openBots(t)
    await put('bots/first/flows/b', { kind: 'event', name: 'Hook', webhook: { path: 'in', requiresKey: true } })
    await put('bots/first/flows/a', { kind: 'command', name: 'Greet', publicCode: 'G-1' })
    await put('bots/third/flows/c', { kind: 'event', name: 'Not hers' })
    await put('bots/second/guilds', { guildIds: ['22222222222222222', '11111111111111111'] })
    await put('bots/third/guilds', { guildIds: ['33333333333333333'] })
    await put('bots/first/coworkers/bob', { role: 'viewer', capabilities: ['logs'] })
    await put('users/bob', { name: 'Bob B.' })
    const scope =
      'cowork.read logs.read guilds.read flows.read bots.read user.connections.read user.email user.identify'
    const { json } = await userinfo(world, await accessToken(scope))
    assert.deepEqual(json.flows, [
      { botId: 'first', kind: 'command', name: 'Greet', publicCode: 'G-1' },
      { botId: 'first', kind: 'event', name: 'Hook', publicCode: null },
    ])
    assert.deepEqual(json.guilds, [
      { botId: 'first', guildIds: [] },
      { botId: 'second', guildIds: ['22222222222222222', '11111111111111111'] },
    ])
    assert.deepEqual(json.coworkers, [
      { botId: 'first', userId: 'bob', name: 'Bob B.', role: 'viewer', capabilities: ['logs'] },
    ])
    const members = 'sub,serviceId,name,botCount,email,connections,bots,flows,guilds,logs,coworkers'
    assert.equal(Object.keys(json).join(), members)
  })
})
