import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import {
  aClient,
  assertOAuthError,
  codeGrant,
  type JsonAnswer,
  openClient,
  pkce,
  postForm,
  redeem,
  refresh,
  userinfo,
} from '../support/people.ts'

/** Asserts that the response has a bearer token for 900 seconds and a refresh token, and nothing else. */
function assertTokens({ status, json }: JsonAnswer) {
  const { access_token, refresh_token, ...others } = json
  assert.match(access_token, /^svc_at_[A-Za-z0-9_]+$/)
  assert.match(refresh_token, /^svc_rt_[A-Za-z0-9_]+$/)
  const scope = 'user.identify offline_access'
  assert.deepEqual([status, others], [200, { token_type: 'Bearer', expires_in: 900, scope }])
}

describe('POST {base_url}/api/oauth/token: authorization code grant', () => {
  test('redeeming a code yields a bearer access token valid for 900 seconds, and a refresh token only if offline_access was granted', async (t) => {
    const { world, client, code } = await openClient(t)
    const answer = await redeem(world, client, await code())
    assertTokens(answer)
    assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8')

    const { json } = await redeem(world, client, await code({ scope: 'user.identify' }))
    assert.deepEqual(Object.keys(json), ['access_token', 'token_type', 'expires_in', 'scope'])
    assert.equal(json.scope, 'user.identify')
  })

  test('a code works for 5 minutes, an access token for 900 seconds and a refresh token for 30 days; our choice: for at least an hour, even after cleanup, each is then reported as expired', async (t) => {
    const { world, client, code, tokens } = await openClient(t)
    const accessToken = async (): Promise<string> => (await tokens({ scope: 'user.identify' })).access_token
    const refreshToken = async (): Promise<string> => (await tokens()).refresh_token
    const codeExpired = 'The authorization code has expired; it lives for 5 minutes. Start the flow again.'
    const accessExpired = 'The access token has expired; it lives for 15 minutes. Refresh it.'
    const refreshExpired = 'The refresh token has expired; it lives for 30 days from its issue.'
    for (const [seconds, make, use, status, error, error_description] of [
      [300, code, (it: string) => redeem(world, client, it), 400, 'invalid_grant', codeExpired],
      [900, accessToken, (it: string) => userinfo(world, it), 401, 'invalid_token', accessExpired],
      [30 * 86_400, refreshToken, (it: string) => refresh(world, client, it), 400, 'invalid_grant', refreshExpired],
    ] as const) {
      const [inTime, late] = [await make(), await make()]
      await world.clock.advance(seconds * 1_000 - 1)
      assert.equal((await use(inTime)).status, 200)
      for (const laterMs of [1, 3_600_000 - 1]) {
        await world.clock.advance(laterMs)
        await world.service.authorization.prune(1_000)
        const answer = await use(late)
        assert.deepEqual([answer.status, answer.json], [status, { error, error_description }])
      }
    }
  })

  test('an authorization code is single-use: presenting it again returns invalid_grant and revokes its tokens', async (t) => {
    const { world, client, code } = await openClient(t)
    const once = await code()
    const first = await redeem(world, client, once)
    const used =
      /^The authorization code was already used, so the tokens it yielded are revoked\. Start the flow again\.$/
    assertOAuthError(await redeem(world, client, once), 400, 'invalid_grant', used)
    assert.equal((await userinfo(world, first.json.access_token)).status, 401)
    assertOAuthError(await refresh(world, client, first.json.refresh_token), 400, 'invalid_grant', /revoked/)
  })

  test('client id, client secret, code and redirect_uri are all required; our choice: an unknown grant_type returns unsupported_grant_type (RFC 6749 section 5.2)', async (t) => {
    const { world, client, code } = await openClient(t)
    const whole = codeGrant(client, await code())
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
    const unknown = await postForm(url, { ...whole, grant_type: 'client_credentials' })
    assertOAuthError(unknown, 400, 'unsupported_grant_type', /authorization_code or refresh_token/)
    assert.equal((await postForm(url, whole)).status, 200)
  })

  test('a client that fails authentication, or names another client’s code, changes nothing', async (t) => {
    const { world, client, code } = await openClient(t)
    const other = await aClient(world, 'other')
    const sent = await code()
    const wrongSecret = { ...client, clientSecret: other.clientSecret }
    assertOAuthError(await redeem(world, wrongSecret, sent), 401, 'invalid_client', /wrong/)
    const nobody = { ...client, clientId: 'svc_ci_nobody' }
    assertOAuthError(await redeem(world, nobody, sent), 401, 'invalid_client', /unknown/)
    assertOAuthError(await redeem(world, other, sent), 400, 'invalid_grant', /another client/)
    const first = await redeem(world, client, sent)
    assert.equal(first.status, 200)
    assertOAuthError(await redeem(world, other, sent), 400, 'invalid_grant', /another client/)
    const { status } = await userinfo(world, first.json.access_token)
    assert.equal(status, 200, 'a replay by another client revokes nothing')
  })

  test('each cause of invalid_grant, other than reuse, expiry and a revoked token family, has its own error_description and revokes nothing', async (t) => {
    const { world, client, browser, code, tokens } = await openClient(t)
    const other = await aClient(world, 'other')
    const bindTo = (challenge: string) => code({ code_challenge: challenge, code_challenge_method: 'S256' })
    const { verifier, challenge } = pkce()
    const [bound, unbound, issued] = [await bindTo(challenge), await code(), await tokens()]
    const unknown = 'The authorization code is not known. Send it exactly as the redirect carried it.'
    const wrongVerifier = 'The code_verifier does not match the code_challenge of the authorization request.'
    const verify = (sent: string, code_verifier: string) => redeem(world, client, sent, { code_verifier })
    for (const [answer, description] of [
      [redeem(world, client, 'x'), unknown],
      [redeem(world, client, issued.access_token), unknown],
      [refresh(world, client, 'x'), 'The refresh token is not known. The user has to sign in again.'],
      [refresh(world, other, issued.refresh_token), 'The refresh token was issued to another client.'],
      [redeem(world, other, unbound), 'The authorization code was issued to another client.'],
      [
        redeem(world, client, unbound, { redirect_uri: 'https://client.example/' }),
        'The redirect_uri is not the one of the authorization request.',
      ],
      [verify(unbound, verifier), 'There is a code_verifier, but the authorization request had no code_challenge.'],
      [redeem(world, client, bound), 'The authorization request had a code_challenge, so a code_verifier is needed.'],
      [verify(bound, pkce().verifier), wrongVerifier],
      [verify(bound, challenge), wrongVerifier],
    ] as const) {
      const { status, json } = await answer
      assert.deepEqual([status, json], [400, { error: 'invalid_grant', error_description: description }])
    }
    // Refused although they match.
    for (const malformed of [`${'a'.repeat(40)}+/==`, 'a'.repeat(42), 'a'.repeat(129), `${verifier}é`]) {
      const sent = await bindTo(createHash('sha256').update(malformed).digest('base64url'))
      const grammar = /43 to 128 characters, each a letter, a digit or one of -\._~ \(RFC 7636 section 4\.1\)/
      assertOAuthError(await verify(sent, malformed), 400, 'invalid_grant', grammar)
    }

    assert.equal((await verify(bound, verifier)).status, 200)
    assert.equal((await refresh(world, client, issued.refresh_token)).status, 200)
    const address = `${world.baseUrl}/account/applications`
    await browser.submitAt(address, { application: 'acme' }, '/account/applications/withdrawal')
    assertOAuthError(await redeem(world, client, unbound), 400, 'invalid_grant', /was revoked before its code was used/)
  })
})

describe('POST {base_url}/api/oauth/token: refresh grant', () => {
  test('a refresh yields new tokens and revokes the old refresh token (rotation); presented again, it is rejected and the entire token family is revoked', async (t) => {
    const { world, client, tokens } = await openClient(t)
    const first = await tokens()
    const rotated = await refresh(world, client, first.refresh_token)
    assertTokens(rotated)
    const second = rotated.json
    assert.notEqual(second.access_token, first.access_token)
    assert.notEqual(second.refresh_token, first.refresh_token)
    assert.equal((await userinfo(world, second.access_token)).status, 200)
    assert.equal((await userinfo(world, first.access_token)).status, 200, 'the earlier access token stays valid')

    const third = (await refresh(world, client, second.refresh_token)).json
    const used =
      /^The refresh token was already used, so its whole token family is revoked\. Keep only the newest one\.$/
    assertOAuthError(await refresh(world, client, first.refresh_token), 400, 'invalid_grant', used)
    const revoked = /^The token family of this refresh token is revoked\.$/
    assertOAuthError(await refresh(world, client, third.refresh_token), 400, 'invalid_grant', revoked)
    for (const tokens of [first, second, third]) {
      assert.equal((await userinfo(world, tokens.access_token)).status, 401)
    }
  })

  test('a refresh can narrow the scopes of the access token only; a scope beyond the grant returns invalid_scope and spends nothing', async (t) => {
    const { world, client, tokens } = await openClient(t)
    const first = await tokens({ scope: 'user.identify bots.read offline_access' })
    const more = await refresh(world, client, first.refresh_token, { scope: 'user.identify flows.read' })
    const beyond = /^The scope flows\.read goes beyond what was granted\. Ask for a subset/
    assertOAuthError(more, 400, 'invalid_scope', beyond)
    const narrow = (await refresh(world, client, first.refresh_token, { scope: 'bots.read' })).json
    assert.equal(narrow.scope, 'bots.read')
    assert.deepEqual(Object.keys((await userinfo(world, narrow.access_token)).json), ['sub', 'serviceId', 'bots'])
    const commas = await refresh(world, client, narrow.refresh_token, { scope: 'bots.read,user.identify' })
    assert.equal(commas.json.scope, 'bots.read user.identify')
    const whole = await refresh(world, client, commas.json.refresh_token, { redirect_uri: 'https://elsewhere.example' })
    assert.equal(whole.json.scope, 'user.identify bots.read offline_access')
  })
})
