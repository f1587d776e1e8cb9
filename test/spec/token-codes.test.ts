import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openScene } from '../support/client-scene.ts'
import { assertOAuthError } from '../support/oauth-errors.ts'
import { aClient, postForm, redeem, refresh, userinfo } from '../support/people.ts'

describe('POST {base_url}/api/oauth/token: authorization code grant', () => {
  test('redeeming a code yields a bearer access token valid for 900 seconds, and a refresh token if offline_access was granted', async (t) => {
    const { world, client, code } = await openScene(t)
    const answer = await redeem(world, client, await code())
    assert.equal(answer.status, 200)
    assert.match(answer.json.access_token, /^svc_at_[A-Za-z0-9_]+$/)
    assert.match(answer.json.refresh_token, /^svc_rt_[A-Za-z0-9_]+$/)
    assert.deepEqual(answer.json, {
      access_token: answer.json.access_token,
      token_type: 'Bearer',
      expires_in: 900,
      scope: 'user.identify offline_access',
      refresh_token: answer.json.refresh_token,
    })
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    assert.equal(answer.headers.get('pragma'), 'no-cache')
    assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8')
  })

  test('without offline_access no refresh token is issued', async (t) => {
    const { world, client, code } = await openScene(t)
    const answer = await redeem(world, client, await code({ scope: 'user.identify' }))
    assert.deepEqual(Object.keys(answer.json), ['access_token', 'token_type', 'expires_in', 'scope'])
    assert.equal(answer.json.scope, 'user.identify')
  })

  test('an authorization code has the prefix svc_ac_ and works for 5 minutes', async (t) => {
    const { world, client, code } = await openScene(t)
    const inTime = await code()
    assert.match(inTime, /^svc_ac_[A-Za-z0-9_]+$/)
    const late = await code()
    await world.clock.advance(5 * 60_000 - 1)
    assert.equal((await redeem(world, client, inTime)).status, 200)
    await world.clock.advance(1)
    assertOAuthError(await redeem(world, client, late), 400, 'invalid_grant', /expired/)
  })

  test('an authorization code is single-use: presenting it again returns invalid_grant and revokes its tokens', async (t) => {
    const { world, client, code } = await openScene(t)
    const once = await code()
    const first = await redeem(world, client, once)
    assertOAuthError(await redeem(world, client, once), 400, 'invalid_grant', /already used/)
    assert.equal((await userinfo(world, first.json.access_token)).status, 401)
    assertOAuthError(await refresh(world, client, first.json.refresh_token), 400, 'invalid_grant', /revoked/)
  })

  test('client id, client secret, code and redirect_uri are all required', async (t) => {
    const { world, client, code } = await openScene(t)
    const whole = {
      grant_type: 'authorization_code',
      client_id: client.clientId,
      client_secret: client.clientSecret,
      code: await code(),
      redirect_uri: client.redirectUri,
    }
    const url = `${world.baseUrl}/api/oauth/token`
    for (const [name, status, error] of [
      ['grant_type', 400, 'invalid_request'],
      ['client_id', 401, 'invalid_client'],
      ['client_secret', 401, 'invalid_client'],
      ['code', 400, 'invalid_request'],
      ['redirect_uri', 400, 'invalid_request'],
    ] as const) {
      const { [name]: _, ...rest } = whole
      assertOAuthError(await postForm(url, rest), status, error, new RegExp(name))
      assertOAuthError(await postForm(url, { ...rest, [name]: '' }), status, error, new RegExp(name))
    }
    assert.equal((await postForm(url, whole)).status, 200)
  })

  test('a client that fails authentication, or names another client’s code, changes nothing', async (t) => {
    const { world, client, code } = await openScene(t)
    const other = await aClient(world, 'other')
    const sent = await code()
    const wrongSecret = { ...client, clientSecret: other.clientSecret }
    assertOAuthError(await redeem(world, wrongSecret, sent), 401, 'invalid_client', /wrong/)
    assertOAuthError(
      await redeem(world, { ...client, clientId: 'svc_ci_nobody' }, sent),
      401,
      'invalid_client',
      /unknown/,
    )
    assertOAuthError(await redeem(world, other, sent), 400, 'invalid_grant', /another client/)
    const first = await redeem(world, client, sent)
    assert.equal(first.status, 200)
    assertOAuthError(await redeem(world, other, sent), 400, 'invalid_grant', /another client/)
    assert.equal(
      (await userinfo(world, first.json.access_token)).status,
      200,
      'a replay by another client revokes nothing',
    )
  })

  test('our choice: an unknown grant_type returns unsupported_grant_type (RFC 6749 section 5.2)', async (t) => {
    const { world, client } = await openScene(t)
    const answer = await postForm(`${world.baseUrl}/api/oauth/token`, {
      grant_type: 'client_credentials',
      client_id: client.clientId,
      client_secret: client.clientSecret,
    })
    assertOAuthError(answer, 400, 'unsupported_grant_type', /authorization_code or refresh_token/)
  })
})
