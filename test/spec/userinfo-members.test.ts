import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { parseBotId } from '../../src/domain/ids.ts'
import { ada, adaWithClient, codeFor, provision, redeem, signedIn, userinfo } from '../support/people.ts'
import { openWorld } from '../support/world.ts'

/** Opens a scene in which Ada owns `first`, is an editor of Bob’s `second`, and has no role in Bob’s `third`. */
async function openScene(t: TestContext) {
  const world = await openWorld(t)
  const client = await adaWithClient(world)
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
  test('user.identify gives name, chatPlatformId only if linked, and botCount: the number of bots on which the user has any role', async (t) => {
    const { world, put, accessToken } = await openScene(t)
    const token = await accessToken('user.identify')
    const always = { sub: ada.id, serviceId: ada.id, name: ada.name, botCount: 2 }
    assert.deepEqual((await userinfo(world, token)).json, always)
    await put(`users/${ada.id}`, { name: 'Ada L.', chatPlatformId: '98765432109876543' })
    const linked = { ...always, name: 'Ada L.', chatPlatformId: '98765432109876543' }
    assert.deepEqual((await userinfo(world, token)).json, linked)
    await provision(world, 'DELETE', '/v1/bots/second')
    await put(`users/${ada.id}`, { name: ada.name, chatPlatformId: null })
    assert.deepEqual((await userinfo(world, token)).json, { ...always, botCount: 1 })
  })

  test('email is present in userinfo only if the user has one', async (t) => {
    const { world, put, accessToken } = await openScene(t)
    const token = await accessToken('user.email')
    assert.equal((await userinfo(world, token)).json.email, ada.email)
    await put(`users/${ada.id}`, { name: ada.name, email: null })
    assert.deepEqual((await userinfo(world, token)).json, { sub: ada.id, serviceId: ada.id })
  })

  test('connections is {"chatPlatform": bool, "codeHosting": bool, "passkey": bool}', async (t) => {
    const { world, put, accessToken } = await openScene(t)
    const token = await accessToken('user.connections.read')
    const none = { chatPlatform: false, codeHosting: false, passkey: false }
    assert.deepEqual((await userinfo(world, token)).json.connections, none)
    await put(`users/${ada.id}`, { name: ada.name, chatPlatformId: '98765432109876543', codeHostingId: 'ada' })
    const both = { ...none, chatPlatform: true, codeHosting: true }
    assert.deepEqual((await userinfo(world, token)).json.connections, both)
  })

  test('each entry of bots is {"id", "name", "avatar": url or null, "status": "online" or "offline", "plan", "role"}', async (t) => {
    const { world, put, accessToken, member } = await openScene(t)
    const first = { id: 'first', name: 'The first', avatar: null, status: 'offline', plan: 'free', role: 'owner' }
    const second = { ...first, id: 'second', name: 'The second', role: 'editor' }
    assert.deepEqual(await member('bots.read', 'bots'), [first, second])
    await put('bots/first', {
      ownerId: ada.id,
      name: 'The first',
      chatPlatformId: '12345678901234560',
      avatar: 'https://cdn.example/first.png',
      plan: 'pro',
      hostingEnabled: true,
    })
    const token = await accessToken('bots.read')
    const heartbeat = { ready: true, presence: null, uptimeMs: null, guildCount: null, shardCount: null }
    for (const id of ['first', 'second']) {
      world.service.bots.heartbeats.record([{ botId: parseBotId(id)!, ...heartbeat }])
    }
    // Hosting is off for `second`, so its heartbeat does not make it online.
    const online = { ...first, avatar: 'https://cdn.example/first.png', plan: 'pro', status: 'online' }
    assert.deepEqual((await userinfo(world, token)).json.bots, [online, second])
    await world.clock.advance(90_000)
    assert.deepEqual((await userinfo(world, token)).json.bots, [online, second])
    await world.clock.advance(1)
    assert.deepEqual((await userinfo(world, token)).json.bots, [{ ...online, status: 'offline' }, second])
  })

  test('each entry of flows is {"botId", "kind", "name", "publicCode": string or null}', async (t) => {
    const { put, member } = await openScene(t)
    await put('bots/first/flows/b', { kind: 'event', name: 'Hook', webhook: { path: 'in', requiresKey: true } })
    await put('bots/first/flows/a', { kind: 'command', name: 'Greet', publicCode: 'G-1' })
    await put('bots/third/flows/c', { kind: 'event', name: 'Not hers' })
    assert.deepEqual(await member('flows.read', 'flows'), [
      { botId: 'first', kind: 'command', name: 'Greet', publicCode: 'G-1' },
      { botId: 'first', kind: 'event', name: 'Hook', publicCode: null },
    ])
  })

  test('each entry of guilds is {"botId", "guildIds": [string]}', async (t) => {
    const { put, member } = await openScene(t)
    await put('bots/second/guilds', { guildIds: ['22222222222222222', '11111111111111111'] })
    await put('bots/third/guilds', { guildIds: ['33333333333333333'] })
    assert.deepEqual(await member('guilds.read', 'guilds'), [
      { botId: 'first', guildIds: [] },
      { botId: 'second', guildIds: ['22222222222222222', '11111111111111111'] },
    ])
  })

  test('each entry of logs is {"botId", "at": ISO 8601 UTC, "level", "message"}; entries are listed newest first, at most 100', async (t) => {
    const { world, accessToken } = await openScene(t)
    const token = await accessToken('logs.read')
    const post = (id: string, entries: object[]) => provision(world, 'POST', `/v1/bots/${id}/logs`, { entries })
    await post('first', [{ at: '2026-01-01T10:00:00+02:00', level: 'warn', message: 'early' }])
    await post('second', [{ at: '2026-01-01T09:00:00Z', level: 'error', message: 'late' }])
    await post('third', [{ level: 'info', message: 'not hers' }])
    const late = { botId: 'second', at: '2026-01-01T09:00:00.000Z', level: 'error', message: 'late' }
    const early = { botId: 'first', at: '2026-01-01T08:00:00.000Z', level: 'warn', message: 'early' }
    assert.deepEqual((await userinfo(world, token)).json.logs, [late, early])
    await post(
      'first',
      Array.from({ length: 99 }, (_, index) => ({ level: 'debug', message: `${index}` })),
    )
    const { logs } = (await userinfo(world, token)).json
    assert.equal(logs.length, 100)
    assert.deepEqual([logs[0].message, logs[98].message, logs[99]], ['98', '0', late])
  })

  test('each entry of coworkers is {"botId", "userId", "name", "role", "capabilities": [string]}, on the bots the user owns', async (t) => {
    const { put, member } = await openScene(t)
    await put('bots/first/coworkers/bob', { role: 'viewer', capabilities: ['logs'] })
    await put('users/bob', { name: 'Bob B.' })
    assert.deepEqual(await member('cowork.read', 'coworkers'), [
      { botId: 'first', userId: 'bob', name: 'Bob B.', role: 'viewer', capabilities: ['logs'] },
    ])
  })

  test('our choice: userinfo members are in the order of the specification', async (t) => {
    const { world, accessToken } = await openScene(t)
    const scope =
      'cowork.read logs.read guilds.read flows.read bots.read user.connections.read user.email user.identify'
    assert.deepEqual(Object.keys((await userinfo(world, await accessToken(scope))).json), [
      'sub',
      'serviceId',
      'name',
      'botCount',
      'email',
      'connections',
      'bots',
      'flows',
      'guilds',
      'logs',
      'coworkers',
    ])
  })
})
