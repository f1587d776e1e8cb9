import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { assertOAuthError } from '../support/oauth-errors.ts'
import { aClient, codeGrant, openClient, pkce, postForm, redeem, refresh, userinfo } from '../support/people.ts'

describe('POST {base_url}/api/oauth/token: authorization code grant', () => {
  test('redeeming a code yields a bearer access token valid for 900 seconds, and a refresh token only if offline_access was granted', async (t) => {
    const { world, client, code } = await openClient(t)
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
    assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8')

    const { json } = await redeem(world, client, await code({ scope: 'user.identify' }))
    assert.deepEqual(Object.keys(json), ['access_token', 'token_type', 'expires_in', 'scope'])
    assert.equal(json.scope, 'user.identify')
  })

  test('an authorization code has the prefix svc_ac_ and works for 5 minutes', async (t) => {
    const { world, client, code } = await openClient(t)
    const inTime = await code()
    assert.match(inTime, /^svc_ac_[A-Za-z0-9_]+$/)
    const late = await code()
    await world.clock.advance(5 * 60_000 - 1)
    assert.equal((await redeem(world, client, inTime)).status, 200)
    await world.clock.advance(1)
    assertOAuthError(await redeem(world, client, late), 400, 'invalid_grant', /expired/)
  })

  test('an authorization code is single-use: presenting it again returns invalid_grant and revokes its tokens', async (t) => {
    const { world, client, code } = await openClient(t)
    const once = await code()
    const first = await redeem(world, client, once)
    assertOAuthError(await redeem(world, client, once), 400, 'invalid_grant', /already used/)
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
})

describe('Token endpoint: each cause of invalid_grant has its own error_description', () => {
  test('each cause of invalid_grant for an authorization code has its own error_description', async (t) => {
    const { world, client, browser, code, tokens } = await openClient(t)
    const other = await aClient(world, 'other')
    const { verifier, challenge } = pkce()
    const bound = await code({ code_challenge: challenge, code_challenge_method: 'S256' })
    const unbound = await code()
    const used = await code()
    assert.equal((await redeem(world, client, used)).status, 200)
    const issued = await tokens()
    for (const [answer, description] of [
      [redeem(world, client, 'x'), 'The authorization code is not known. Send it exactly as the redirect carried it.'],
      [
        redeem(world, client, issued.access_token),
        'The authorization code is not known. Send it exactly as the redirect carried it.',
      ],
      [redeem(world, other, unbound), 'The authorization code was issued to another client.'],
      [
        redeem(world, client, unbound, { redirect_uri: 'https://client.example/' }),
        'The redirect_uri is not the one of the authorization request.',
      ],
      [
        redeem(world, client, unbound, { code_verifier: verifier }),
        'There is a code_verifier, but the authorization request had no code_challenge.',
      ],
      [redeem(world, client, bound), 'The authorization request had a code_challenge, so a code_verifier is needed.'],
      [
        redeem(world, client, bound, { code_verifier: pkce().verifier }),
        'The code_verifier does not match the code_challenge of the authorization request.',
      ],
      [
        redeem(world, client, bound, { code_verifier: challenge }),
        'The code_verifier does not match the code_challenge of the authorization request.',
      ],
      ...['short', verifier.slice(1), `${verifier}+/=`, 'a'.repeat(129), 'a'.repeat(5_000), `${verifier}é`].map(
        (malformed) =>
          [
            redeem(world, client, bound, { code_verifier: malformed }),
            'The code_verifier must have 43 to 128 characters, each a letter, a digit or one of -._~ (RFC 7636 section 4.1).',
          ] as const,
      ),
      [
        redeem(world, client, used),
        'The authorization code was already used, so the tokens it yielded are revoked. Start the flow again.',
      ],
    ] as const) {
      const { status, json } = await answer
      assert.deepEqual([status, json], [400, { error: 'invalid_grant', error_description: description }])
    }

    await browser.submitAt(
      `${world.baseUrl}/account/applications`,
      { application: 'acme' },
      '/account/applications/withdrawal',
    )
    const withdrawn = await redeem(world, client, unbound)
    assert.deepEqual(withdrawn.json, {
      error: 'invalid_grant',
      error_description: 'The authorization was revoked before its code was used. Start the flow again.',
    })
  })

  test('a code_verifier outside the grammar of RFC 7636 is refused with the grammar although it matches, and the code stays valid', async (t) => {
    const { world, client, code } = await openClient(t)
    for (const verifier of [`${'a'.repeat(40)}+/==`, 'a'.repeat(42), 'a'.repeat(129)]) {
      const code_challenge = createHash('sha256').update(verifier).digest('base64url')
      const bound = await code({ code_challenge, code_challenge_method: 'S256' })
      const answer = await redeem(world, client, bound, { code_verifier: verifier })
      assertOAuthError(answer, 400, 'invalid_grant', /43 to 128 characters, each a letter, a digit or one of -\._~/)
      const again = await redeem(world, client, bound, { code_verifier: verifier })
      assert.deepEqual(again.json, answer.json)
    }
  })

  test('our choice: expired codes and tokens are reported as expired for at least an hour, even after cleanup', async (t) => {
    const { world, client, code, tokens } = await openClient(t)
    const minutes = 60_000
    const startMs = world.clock.nowMs()
    /** Advances to an hour after the end of this lifetime. */
    const outlive = async (lifetimeMs: number) => {
      await world.clock.advance(startMs + lifetimeMs + 60 * minutes - world.clock.nowMs())
      await world.service.authorization.prune(1_000)
    }
    const issued = await tokens()
    const access = [issued.access_token, (await tokens({ scope: 'user.identify' })).access_token]
    const late = await code()
    await outlive(5 * minutes)
    const unused = await redeem(world, client, late)
    const expiredCode = 'The authorization code has expired; it lives for 5 minutes. Start the flow again.'
    assert.deepEqual([unused.status, unused.json], [400, { error: 'invalid_grant', error_description: expiredCode }])
    await outlive(15 * minutes)
    for (const token of access) {
      const expired = 'The access token has expired; it lives for 15 minutes. Refresh it.'
      const answer = await userinfo(world, token)
      assert.deepEqual([answer.status, answer.json], [401, { error: 'invalid_token', error_description: expired }])
    }
    await outlive(30 * 24 * 60 * minutes)
    const refreshed = await refresh(world, client, issued.refresh_token)
    const expiredToken = 'The refresh token has expired; it lives for 30 days from its issue.'
    const body = { error: 'invalid_grant', error_description: expiredToken }
    assert.deepEqual([refreshed.status, refreshed.json], [400, body])
  })

  test('each cause of invalid_grant for a refresh token has its own error_description', async (t) => {
    const { world, client, tokens } = await openClient(t)
    const other = await aClient(world, 'other')
    const reused = await tokens()
    const newest = (await refresh(world, client, reused.refresh_token)).json
    for (const [answer, description] of [
      [() => refresh(world, client, 'x'), 'The refresh token is not known. The user has to sign in again.'],
      [
        () => refresh(world, client, reused.access_token),
        'The refresh token is not known. The user has to sign in again.',
      ],
      [() => refresh(world, other, reused.refresh_token), 'The refresh token was issued to another client.'],
      [
        () => refresh(world, client, reused.refresh_token),
        'The refresh token was already used, so its whole token family is revoked. Keep only the newest one.',
      ],
      [() => refresh(world, client, newest.refresh_token), 'The token family of this refresh token is revoked.'],
    ] as const) {
      const { status, json } = await answer()
      assert.deepEqual([status, json], [400, { error: 'invalid_grant', error_description: description }])
    }
  })
})
