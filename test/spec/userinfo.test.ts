import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openScene } from '../support/client-scene.ts'
import { ada, answerOf, userinfo } from '../support/people.ts'

describe('GET {base_url}/api/oauth/userinfo', () => {
  test('sub and serviceId are always present and equal; other members appear only with their scopes', async (t) => {
    const { world, tokens } = await openScene(t)
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
      assert.equal(answer.headers.get('cache-control'), 'no-store')
      assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
    }
  })

  test('a userinfo request without a token gets 401 with a bare Bearer challenge and an invalid_token body', async (t) => {
    const { world, tokens } = await openScene(t)
    const url = `${world.baseUrl}/api/oauth/userinfo`
    const inAddress = `${url}?access_token=${(await tokens({ scope: 'user.identify' })).access_token}`
    const asBasic = fetch(url, { headers: { authorization: 'Basic abc' } })
    const asNothing = fetch(url, { headers: { authorization: 'Bearer' } })
    for (const request of [fetch(url), fetch(inAddress), asBasic, asNothing]) {
      const answer = await answerOf(await request)
      assert.equal(answer.status, 401)
      assert.equal(answer.headers.get('www-authenticate'), 'Bearer')
      assert.deepEqual(answer.json, {
        error: 'invalid_token',
        error_description: 'Send the access token in the header Authorization: Bearer <token>, not in the URL.',
      })
      assert.equal(answer.headers.get('cache-control'), 'no-store')
    }
  })

  test('a userinfo request with a bad token gets 401 invalid_token', async (t) => {
    const { world } = await openScene(t)
    for (const token of ['nonsense', `svc_at_${'A'.repeat(72)}`, 'svc_at_', 'two words', 'x, Bearer x']) {
      const answer = await userinfo(world, token)
      assert.equal(answer.status, 401)
      assert.deepEqual(answer.json, { error: 'invalid_token', error_description: 'The access token is not known.' })
      assert.equal(
        answer.headers.get('www-authenticate'),
        'Bearer error="invalid_token", error_description="The access token is not known."',
      )
    }
  })

  test('an access token lives for 900 seconds; the Bearer scheme is case-insensitive', async (t) => {
    const { world, tokens } = await openScene(t)
    const token = (await tokens({ scope: 'user.identify' })).access_token
    await world.clock.advance(900_000 - 1)
    const headers = { authorization: `bearer ${token}` }
    assert.equal((await fetch(`${world.baseUrl}/api/oauth/userinfo`, { headers })).status, 200)
    await world.clock.advance(1)
    const answer = await userinfo(world, token)
    const expired = 'The access token has expired; it lives for 15 minutes. Refresh it.'
    assert.deepEqual([answer.status, answer.json], [401, { error: 'invalid_token', error_description: expired }])
    const challenge = `Bearer error="invalid_token", error_description="${expired}"`
    assert.equal(answer.headers.get('www-authenticate'), challenge)
  })

  test('our choice: the OAuth endpoints send no CORS headers, since their callers are servers', async (t) => {
    const { world, tokens } = await openScene(t)
    const headers = {
      authorization: `Bearer ${(await tokens({ scope: 'user.identify' })).access_token}`,
      origin: 'https://other.example',
      'access-control-request-method': 'POST',
    }
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
