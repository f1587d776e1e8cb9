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
    const url = `${world.baseUrl}/api/oauth/introspect`
    const asOperator = await postForm(
      url,
      { token: tokens.access_token },
      { authorization: `Bearer ${world.operatorKey}` },
    )
    assert.equal(asOperator.json.active, true)
    const basic = Buffer.from(`${client.clientId}:${client.clientSecret}`).toString('base64')
    const asBasic = await postForm(url, { token: tokens.access_token }, { authorization: `Basic ${basic}` })
    assert.deepEqual(asBasic.json, asOperator.json)
    for (const user of ['resource-server', 'admin', client.clientId, '', 'no such client', 'ä%']) {
      const authorization = `Basic ${Buffer.from(`${user}:${world.operatorKey}`).toString('base64')}`
      for (const more of [
        {},
        { client_id: user },
        { client_id: client.clientId, client_secret: client.clientSecret },
      ]) {
        const asUser = await postForm(url, { token: tokens.access_token, ...more }, { authorization })
        assert.deepEqual([asUser.status, asUser.json], [200, asOperator.json], user)
        assert.deepEqual((await postForm(url, { token: 'x', ...more }, { authorization })).json, { active: false })
      }
    }
    const asNobody = await postForm(url, { token: tokens.access_token })
    assert.deepEqual([asNobody.status, asNobody.json.error], [401, 'invalid_client'])
    const wrongKey = await postForm(url, { token: tokens.access_token }, { authorization: 'Bearer wrong' })
    assert.deepEqual([wrongKey.status, wrongKey.json.error], [401, 'invalid_client'])
    for (const credentials of [
      `x:${world.operatorKey}x`,
      'x:',
      ':',
      world.operatorKey,
      `${world.operatorKey}:`,
      `${world.operatorKey}:x`,
    ]) {
      const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`
      const wrongPassword = await postForm(url, { token: tokens.access_token }, { authorization })
      assert.deepEqual([wrongPassword.status, wrongPassword.json.error], [401, 'invalid_client'], credentials)
      assert.match(wrongPassword.headers.get('www-authenticate') ?? '', /^Basic /)
    }
    for (const path of ['token', 'revoke', 'par']) {
      const authorization = `Basic ${Buffer.from(`x:${world.operatorKey}`).toString('base64')}`
      const elsewhere = await postForm(`${world.baseUrl}/api/oauth/${path}`, { token: 'x' }, { authorization })
      assert.deepEqual([elsewhere.status, elsewhere.json.error], [401, 'invalid_client'], path)
    }
  })
})
