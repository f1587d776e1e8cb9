import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import {
  aClient,
  ada,
  answerOf,
  type Client,
  openClient,
  postForm,
  refresh,
  revoke,
  userinfo,
} from '../support/people.ts'
import type { World } from '../support/world.ts'

/** Asserts that revocation succeeds: status 200, with an empty body that is declared as JSON. */
async function assertRevoked(world: World, fields: Record<string, string>) {
  const { status, headers, json } = await revoke(world, fields)
  assert.deepEqual([status, json, headers.get('content-type')], [200, undefined, 'application/json'])
  assert.equal(headers.get('content-length'), '0')
}

const credentialsOf = ({ clientId, clientSecret }: Client) => ({ client_id: clientId, client_secret: clientSecret })

describe('POST {base_url}/api/oauth/revoke', () => {
  test('successful revocation is status 200 with an empty body (RFC 7009), even for unknown tokens; revoking an access token revokes that token alone', async (t) => {
    const { world, client, tokens } = await openClient(t)
    await assertRevoked(world, { token: 'svc_at_unknown' })
    await assertRevoked(world, { token: 'anything', token_type_hint: 'refresh_token' })
    const issued = await tokens()
    await assertRevoked(world, { token: issued.access_token })
    const answer = await userinfo(world, issued.access_token)
    assert.equal(answer.status, 401)
    assert.deepEqual(answer.json, { error: 'invalid_token', error_description: 'The access token is revoked.' })
    assert.equal((await refresh(world, client, issued.refresh_token)).status, 200)
  })

  test('revoking a refresh token, even one that was already rotated, revokes its whole token family', async (t) => {
    const { world, client, tokens } = await openClient(t)
    for (const which of ['newest', 'rotated']) {
      const issued = await tokens()
      const next = (await refresh(world, client, issued.refresh_token)).json
      const token = (which === 'newest' ? next : issued).refresh_token
      await assertRevoked(world, { token, token_type_hint: 'access_token' })
      for (const token of [issued.access_token, next.access_token]) {
        assert.equal((await userinfo(world, token)).status, 401, which)
      }
      assert.equal((await refresh(world, client, next.refresh_token)).json.error, 'invalid_grant', which)
    }
  })

  test('revoking needs only the token; client credentials are checked if sent; with another client’s, the response is the same and nothing changes', async (t) => {
    const { world, client, tokens } = await openClient(t)
    const issued = await tokens()
    const wrong = { token: issued.access_token, ...credentialsOf({ ...client, clientSecret: 'wrong' }) }
    assert.equal((await revoke(world, wrong)).json.error, 'invalid_client')
    const others = credentialsOf(await aClient(world, 'other'))
    for (const token of [issued.access_token, issued.refresh_token]) await assertRevoked(world, { token, ...others })
    assert.equal((await userinfo(world, issued.access_token)).status, 200)
    await assertRevoked(world, { token: issued.access_token, ...credentialsOf(client) })
    assert.equal((await userinfo(world, issued.access_token)).status, 401)
  })

  test('a missing token, one that is repeated, and one in the query return 400 invalid_request and revoke nothing; a JSON body is accepted too', async (t) => {
    const { world, tokens } = await openClient(t)
    const { access_token } = await tokens()
    const url = `${world.baseUrl}/api/oauth/revoke`
    const post = async (body: RequestInit['body'], headers = {}, query = '') =>
      answerOf(await fetch(`${url}${query}`, { method: 'POST', body: body ?? null, headers }))
    const token = ['token', access_token]
    const inQuery = `?token=${access_token}`
    for (const [answer, description] of [
      [await post(new URLSearchParams([token, token])), 'The parameter token is repeated. Send it once.'],
      [await post(new URLSearchParams({ token_type_hint: 'x' })), 'The parameter token is missing.'],
      [await post(new URLSearchParams(), {}, inQuery), 'The body is empty. Send the parameters in it.'],
    ] as const) {
      const body = { error: 'invalid_request', error_description: description }
      assert.deepEqual([answer.status, answer.json], [400, body])
    }
    assert.equal((await userinfo(world, access_token)).status, 200)
    const json = await post(JSON.stringify({ token: access_token }), { 'content-type': 'application/json' })
    assert.deepEqual([json.status, json.json], [200, undefined])
    assert.equal((await userinfo(world, access_token)).status, 401)
  })
})

async function openTokens(t: TestContext) {
  const scene = await openClient(t)
  const ask = async (token: string, by = scene.client) =>
    (await postForm(`${scene.world.baseUrl}/api/oauth/introspect`, { token, ...credentialsOf(by) })).json
  return { ...scene, tokens: await scene.tokens(), ask }
}

describe('our choice: POST {base_url}/api/oauth/introspect (RFC 7662)', () => {
  test('a client can introspect its own live tokens', async (t) => {
    const { world, client, tokens, ask } = await openTokens(t)
    const nowSeconds = Math.floor(world.clock.nowMs() / 1_000)
    const always = { active: true, scope: 'user.identify offline_access', client_id: client.clientId, sub: ada.id }
    const bearer = { ...always, token_type: 'Bearer', iat: nowSeconds, exp: nowSeconds + 900 }
    assert.deepEqual(await ask(tokens.access_token), bearer)
    const exp = nowSeconds + 30 * 24 * 3_600
    assert.deepEqual(await ask(tokens.refresh_token), { ...always, token_type: 'refresh_token', exp })
  })

  test('an unknown, spent, expired or revoked token, or another client’s token, returns active false and no other members', async (t) => {
    const { world, client, tokens, ask } = await openTokens(t)
    const other = await aClient(world, 'other')
    const inactive = { active: false }
    for (const token of [tokens.access_token, tokens.refresh_token]) assert.deepEqual(await ask(token, other), inactive)
    assert.deepEqual(await ask('svc_at_unknown'), inactive)
    const newest = (await refresh(world, client, tokens.refresh_token)).json
    assert.deepEqual(await ask(tokens.refresh_token), inactive, 'spent')
    assert.equal((await ask(newest.refresh_token)).active, true)
    await world.clock.advance(900_000)
    assert.deepEqual(await ask(newest.access_token), inactive, 'expired')
    await revoke(world, { token: tokens.refresh_token })
    for (const token of [tokens.access_token, newest.refresh_token]) assert.deepEqual(await ask(token), inactive)
  })

  test('the operator key can introspect any token; a request without valid credentials gets 401 invalid_client', async (t) => {
    const { world, client, tokens } = await openTokens(t)
    const { access_token: token } = tokens
    const ask = async (authorization?: string, more = {}, path = 'introspect') => {
      const fields = { token, ...more }
      const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
      return postForm(`${world.baseUrl}/api/oauth/${path}`, fields, headers)
    }
    const basic = (credentials: string) => `Basic ${Buffer.from(credentials).toString('base64')}`
    const asOperator = await ask(`Bearer ${world.operatorKey}`)
    assert.equal(asOperator.json.active, true)
    for (const user of ['resource-server', client.clientId, '', 'ä%']) {
      const credentials = basic(`${user}:${world.operatorKey}`)
      for (const more of [{}, { client_id: user }, credentialsOf(client)]) {
        assert.deepEqual((await ask(credentials, more)).json, asOperator.json, user)
        assert.deepEqual((await ask(credentials, { ...more, token: 'x' })).json, { active: false })
      }
    }
    const key = world.operatorKey
    const wrong = [`x:${key}x`, 'x:', ':', key, `${key}:`, `${key}:x`].map(basic)
    for (const authorization of [undefined, 'Bearer wrong', ...wrong]) {
      const answer = await ask(authorization)
      assert.deepEqual([answer.status, answer.json.error], [401, 'invalid_client'])
      const challenged = answer.headers.get('www-authenticate')?.startsWith('Basic ') ?? false
      assert.equal(challenged, authorization?.startsWith('Basic ') ?? false)
    }
    for (const path of ['token', 'revoke', 'par']) {
      const { status, json } = await ask(basic(`x:${key}`), {}, path)
      assert.deepEqual([status, json.error], [401, 'invalid_client'], path)
    }
  })
})
