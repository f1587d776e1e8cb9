import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { aClient, ada, type Client, openClient, postForm, refresh, revoke } from '../support/people.ts'

async function openTokens(t: TestContext) {
  const scene = await openClient(t)
  const ask = (token: string, { clientId, clientSecret }: Client) =>
    postForm(`${scene.world.baseUrl}/api/oauth/introspect`, { token, client_id: clientId, client_secret: clientSecret })
  return { ...scene, tokens: await scene.tokens(), ask }
}

describe('our choice: POST {base_url}/api/oauth/introspect (RFC 7662)', () => {
  test('a client can introspect its own live tokens', async (t) => {
    const { world, client, tokens, ask } = await openTokens(t)
    const nowSeconds = Math.floor(world.clock.nowMs() / 1_000)
    const access = await ask(tokens.access_token, client)
    assert.deepEqual(access.json, {
      active: true,
      token_type: 'Bearer',
      scope: 'user.identify offline_access',
      client_id: client.clientId,
      sub: ada.id,
      iat: nowSeconds,
      exp: nowSeconds + 900,
    })
    assert.deepEqual((await ask(tokens.refresh_token, client)).json, {
      active: true,
      token_type: 'refresh_token',
      scope: 'user.identify offline_access',
      client_id: client.clientId,
      sub: ada.id,
      exp: nowSeconds + 30 * 24 * 3_600,
    })
  })

  test('an unknown, spent, expired or revoked token, or another client’s token, returns active false and no other members', async (t) => {
    const { world, client, tokens, ask } = await openTokens(t)
    const other = await aClient(world, 'other')
    for (const token of [tokens.access_token, tokens.refresh_token]) {
      assert.deepEqual((await ask(token, other)).json, { active: false })
    }
    assert.deepEqual((await ask('svc_at_unknown', client)).json, { active: false })
    const superseded = tokens.refresh_token
    const newest = (await refresh(world, client, superseded)).json
    assert.deepEqual((await ask(superseded, client)).json, { active: false })
    assert.equal((await ask(newest.refresh_token, client)).json.active, true)
    await world.clock.advance(900_000)
    assert.deepEqual((await ask(newest.access_token, client)).json, { active: false }, 'the token has expired')
    await revoke(world, { token: tokens.refresh_token })
    for (const token of [tokens.access_token, tokens.refresh_token]) {
      assert.deepEqual((await ask(token, client)).json, { active: false })
    }
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
      for (const more of [
        {},
        { client_id: user },
        { client_id: client.clientId, client_secret: client.clientSecret },
      ]) {
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
