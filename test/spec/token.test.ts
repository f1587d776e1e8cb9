import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import {
  aClient,
  adaWithClient,
  answerOf,
  type Browser,
  type Client,
  codeFor,
  here,
  type JsonAnswer,
  pkce,
  postForm,
  provision,
  redeem,
  refresh,
  revoke,
  signedIn,
  userinfo,
} from '../support/people.ts'
import { openWorld, type World } from '../support/world.ts'

interface Scene {
  world: World
  client: Client
  browser: Browser
  code(query?: Record<string, string>): Promise<string>
}

async function openScene(t: TestContext): Promise<Scene> {
  const world = await openWorld(t)
  const client = await adaWithClient(world)
  const browser = await signedIn(world)
  return { world, client, browser, code: (query) => codeFor(world, browser, client, query) }
}

function assertOAuthError(answer: JsonAnswer, status: number, error: string, description: RegExp) {
  assert.equal(answer.status, status, JSON.stringify(answer.json))
  assert.deepEqual(Object.keys(answer.json), ['error', 'error_description'])
  assert.equal(answer.json.error, error)
  assert.match(answer.json.error_description, description)
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  assert.equal(answer.headers.get('pragma'), 'no-cache')
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
}

describe('POST {base_url}/api/oauth/token: authorization code grant', () => {
  test('redeeming a code yields a bearer access token of 900 seconds, and a refresh token when offline_access was granted', async (t) => {
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

  test('our choice: a code that has expired is reported as expired for at least an hour, also after upkeep', async (t) => {
    const { world, client, code } = await openScene(t)
    const late = await code()
    await world.clock.advance((5 + 60) * 60_000)
    await world.service.authorization.prune(1_000)
    const answer = await redeem(world, client, late)
    assert.deepEqual(
      [answer.status, answer.json],
      [
        400,
        {
          error: 'invalid_grant',
          error_description: 'The authorization code has expired; it lives for 5 minutes. Start the flow again.',
        },
      ],
    )
  })

  test('an authorization code is single-use: presented twice it is invalid_grant, and what it yielded is revoked', async (t) => {
    const { world, client, code } = await openScene(t)
    const once = await code()
    const first = await redeem(world, client, once)
    assertOAuthError(await redeem(world, client, once), 400, 'invalid_grant', /already used/)
    assert.equal((await userinfo(world, first.json.access_token)).status, 401)
    assertOAuthError(await refresh(world, client, first.json.refresh_token), 400, 'invalid_grant', /revoked/)
  })

  test('the redirect_uri must match the URI used in the authorization request', async (t) => {
    const { world, client, code } = await openScene(t)
    const sent = await code()
    assertOAuthError(
      await redeem(world, client, sent, { redirect_uri: 'https://client.example/callback/' }),
      400,
      'invalid_grant',
      /redirect_uri/,
    )
    assert.equal((await redeem(world, client, sent)).status, 200, 'the refusal has not spent the code')
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
    assert.equal((await userinfo(world, first.json.access_token)).status, 200, 'a foreign replay revokes nothing')
  })

  test('our choice: an unknown grant_type is unsupported_grant_type (RFC 6749 section 5.2)', async (t) => {
    const { world, client } = await openScene(t)
    const answer = await postForm(`${world.baseUrl}/api/oauth/token`, {
      grant_type: 'client_credentials',
      client_id: client.clientId,
      client_secret: client.clientSecret,
    })
    assertOAuthError(answer, 400, 'unsupported_grant_type', /authorization_code or refresh_token/)
  })

  test('PKCE S256 is optional, and both downgrade directions are refused', async (t) => {
    const { world, client, code } = await openScene(t)
    const { verifier, challenge } = pkce()
    const withChallenge = { code_challenge: challenge, code_challenge_method: 'S256' }
    const bound = await code(withChallenge)
    assertOAuthError(await redeem(world, client, bound), 400, 'invalid_grant', /code_verifier is needed/)
    const wrong = await redeem(world, client, bound, { code_verifier: pkce().verifier })
    assertOAuthError(wrong, 400, 'invalid_grant', /does not fit/)
    assert.equal((await redeem(world, client, bound, { code_verifier: verifier })).status, 200)
    const unbound = await redeem(world, client, await code(), { code_verifier: verifier })
    assertOAuthError(unbound, 400, 'invalid_grant', /no code_challenge/)
  })
})

describe('POST {base_url}/api/oauth/token: refresh grant', () => {
  test('a refresh yields new tokens and revokes the old refresh token (rotation)', async (t) => {
    const { world, client, code } = await openScene(t)
    const first = (await redeem(world, client, await code())).json
    const second = await refresh(world, client, first.refresh_token)
    assert.equal(second.status, 200)
    assert.deepEqual(second.json, {
      access_token: second.json.access_token,
      token_type: 'Bearer',
      expires_in: 900,
      scope: 'user.identify offline_access',
      refresh_token: second.json.refresh_token,
    })
    assert.notEqual(second.json.access_token, first.access_token)
    assert.notEqual(second.json.refresh_token, first.refresh_token)
    assert.equal((await userinfo(world, second.json.access_token)).status, 200)
    assert.equal((await userinfo(world, first.access_token)).status, 200, 'its earlier access token lives on')
  })

  test('a refresh token presented again is rejected and the entire token family is revoked', async (t) => {
    const { world, client, code } = await openScene(t)
    const first = (await redeem(world, client, await code())).json
    const second = (await refresh(world, client, first.refresh_token)).json
    const third = (await refresh(world, client, second.refresh_token)).json

    assertOAuthError(await refresh(world, client, first.refresh_token), 400, 'invalid_grant', /already used/)
    assertOAuthError(await refresh(world, client, third.refresh_token), 400, 'invalid_grant', /revoked/)
    for (const tokens of [first, second, third]) {
      assert.equal((await userinfo(world, tokens.access_token)).status, 401)
    }
  })

  test('a family is one authorization: another sign-in of the same user to the same client lives on', async (t) => {
    const { world, client, code } = await openScene(t)
    const phone = (await redeem(world, client, await code())).json
    const desktop = (await redeem(world, client, await code())).json
    await refresh(world, client, phone.refresh_token)
    await refresh(world, client, phone.refresh_token)
    assert.equal((await userinfo(world, phone.access_token)).status, 401)
    assert.equal((await userinfo(world, desktop.access_token)).status, 200)
    assert.equal((await refresh(world, client, desktop.refresh_token)).status, 200)
  })

  test('our choice: a refresh token that has expired is reported as expired for at least an hour, also after upkeep', async (t) => {
    const { world, client, code } = await openScene(t)
    const tokens = (await redeem(world, client, await code())).json
    await world.clock.advance((30 * 24 + 1) * 3_600_000)
    await world.service.authorization.prune(1_000)
    const answer = await refresh(world, client, tokens.refresh_token)
    assert.deepEqual(
      [answer.status, answer.json],
      [
        400,
        {
          error: 'invalid_grant',
          error_description: 'The refresh token has expired; it lives for 30 days from its issue.',
        },
      ],
    )
  })

  test('a refresh token lives for 30 days from its issue', async (t) => {
    const { world, client, code } = await openScene(t)
    const days = 24 * 3_600_000
    const first = (await redeem(world, client, await code())).json
    const other = (await redeem(world, client, await code())).json
    await world.clock.advance(30 * days - 1)
    const second = await refresh(world, client, first.refresh_token)
    assert.equal(second.status, 200)
    await world.clock.advance(1)
    assertOAuthError(await refresh(world, client, other.refresh_token), 400, 'invalid_grant', /expired/)
    assert.equal((await refresh(world, client, second.json.refresh_token)).status, 200)
  })

  test('another client’s refresh token changes nothing, spent or not', async (t) => {
    const { world, client, code } = await openScene(t)
    const other = await aClient(world, 'other')
    const first = (await redeem(world, client, await code())).json
    assertOAuthError(await refresh(world, other, first.refresh_token), 400, 'invalid_grant', /another client/)
    const second = (await refresh(world, client, first.refresh_token)).json
    assertOAuthError(await refresh(world, other, first.refresh_token), 400, 'invalid_grant', /another client/)
    assert.equal((await userinfo(world, second.access_token)).status, 200)
  })

  test('refresh takes a subset as scope, the refresh token keeps the whole grant; more is invalid_scope and spends nothing', async (t) => {
    const { world, client, code } = await openScene(t)
    const first = (await redeem(world, client, await code({ scope: 'user.identify bots.read offline_access' }))).json
    const more = await refresh(world, client, first.refresh_token, { scope: 'user.identify flows.read' })
    assertOAuthError(more, 400, 'invalid_scope', /beyond what was granted/)
    const narrow = (await refresh(world, client, first.refresh_token, { scope: 'bots.read' })).json
    assert.equal(narrow.scope, 'bots.read')
    assert.deepEqual(Object.keys((await userinfo(world, narrow.access_token)).json), ['sub', 'serviceId', 'bots'])
    const commas = await refresh(world, client, narrow.refresh_token, { scope: 'bots.read,user.identify' })
    assert.equal(commas.json.scope, 'bots.read user.identify')
    const whole = await refresh(world, client, commas.json.refresh_token, { redirect_uri: 'https://elsewhere.example' })
    assert.equal(whole.json.scope, 'user.identify bots.read offline_access')
  })
})

describe('token endpoint: each cause behind invalid_grant has its own error_description', () => {
  test('of an authorization code', async (t) => {
    const { world, client, browser, code } = await openScene(t)
    const other = await aClient(world, 'other')
    const { verifier, challenge } = pkce()
    const bound = await code({ code_challenge: challenge, code_challenge_method: 'S256' })
    const unbound = await code()
    const used = await code()
    assert.equal((await redeem(world, client, used)).status, 200)
    const tokens = (await redeem(world, client, await code())).json
    for (const [answer, description] of [
      [redeem(world, client, 'x'), 'The authorization code is not known. Send it exactly as the redirect carried it.'],
      [
        redeem(world, client, tokens.access_token),
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
        'The code_verifier does not fit the code_challenge of the authorization request.',
      ],
      [
        redeem(world, client, bound, { code_verifier: challenge }),
        'The code_verifier does not fit the code_challenge of the authorization request.',
      ],
      [
        redeem(world, client, used),
        'The authorization code was already used, so the tokens it yielded are revoked. Start the flow again.',
      ],
    ] as const) {
      const { status, json } = await answer
      assert.deepEqual([status, json], [400, { error: 'invalid_grant', error_description: description }])
    }

    await browser.submit(
      await browser.get(`${world.baseUrl}/account`),
      { application: 'acme' },
      '/account/applications/withdrawal',
    )
    const withdrawn = await redeem(world, client, unbound)
    assert.deepEqual(withdrawn.json, {
      error: 'invalid_grant',
      error_description: 'The authorization was revoked before its code was used. Start the flow again.',
    })
    const late = await code()
    await world.clock.advance(5 * 60_000)
    assert.deepEqual((await redeem(world, client, late)).json, {
      error: 'invalid_grant',
      error_description: 'The authorization code has expired; it lives for 5 minutes. Start the flow again.',
    })
  })

  test('of a refresh token', async (t) => {
    const { world, client, code } = await openScene(t)
    const other = await aClient(world, 'other')
    const reused = (await redeem(world, client, await code())).json
    const late = (await redeem(world, client, await code())).json
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
    await world.clock.advance(30 * 24 * 3_600_000)
    assert.deepEqual((await refresh(world, client, late.refresh_token)).json, {
      error: 'invalid_grant',
      error_description: 'The refresh token has expired; it lives for 30 days from its issue.',
    })
  })
})

describe('token endpoint: requests at once', () => {
  test('of many redemptions of one code one is answered, and as the others are replays nothing of it stays alive', async (t) => {
    const { world, client, code } = await openScene(t)
    const once = await code()
    const answers = await Promise.all(Array.from({ length: 30 }, () => redeem(world, client, once)))
    const [won, ...more] = answers.filter(({ status }) => status === 200)
    assert.ok(won && more.length === 0, JSON.stringify(answers.map(({ status }) => status)))
    for (const lost of answers.filter((answer) => answer !== won)) {
      assertOAuthError(lost, 400, 'invalid_grant', /already used/)
    }
    assert.equal((await userinfo(world, won.json.access_token)).status, 401)
    assertOAuthError(await refresh(world, client, won.json.refresh_token), 400, 'invalid_grant', /revoked/)
  })

  test('refreshes that race a revocation leave nothing alive', async (t) => {
    const { world, client, code } = await openScene(t)
    for (let round = 0; round < 10; round += 1) {
      const tokens = (await redeem(world, client, await code())).json
      const [refreshed] = await Promise.all([
        refresh(world, client, tokens.refresh_token),
        revoke(world, { token: tokens.refresh_token }),
      ])
      if (refreshed.status === 200) {
        assert.equal((await userinfo(world, refreshed.json.access_token)).status, 401)
        assertOAuthError(await refresh(world, client, refreshed.json.refresh_token), 400, 'invalid_grant', /revoked/)
      } else assertOAuthError(refreshed, 400, 'invalid_grant', /revoked/)
      assert.equal((await userinfo(world, tokens.access_token)).status, 401)
    }
  })

  test('requests that race the rotation of the secret are served or refused whole, and no token is lost', async (t) => {
    const { world, client, code } = await openScene(t)
    const tokens = (await redeem(world, client, await code())).json
    const [refreshed, rotated] = await Promise.all([
      refresh(world, client, tokens.refresh_token),
      world.service.applications.rotateClientSecret('ada' as never, 'acme' as never, here),
    ])
    const now = { ...client, clientSecret: rotated.clearTextSecret }
    const newest = refreshed.status === 200 ? refreshed.json.refresh_token : tokens.refresh_token
    if (refreshed.status !== 200) assertOAuthError(refreshed, 401, 'invalid_client', /rotated/)
    assertOAuthError(await refresh(world, client, newest), 401, 'invalid_client', /rotated/)
    assert.equal((await refresh(world, now, newest)).status, 200)
  })
})

describe('token endpoint: request forms', () => {
  test('the request is application/json or application/x-www-form-urlencoded, and both behave alike', async (t) => {
    const { world, client, code } = await openScene(t)
    const postJson = async (body: string, type = 'application/json') =>
      answerOf(
        await fetch(`${world.baseUrl}/api/oauth/token`, { method: 'POST', body, headers: { 'content-type': type } }),
      )
    const whole = async () => ({
      grant_type: 'authorization_code',
      client_id: client.clientId,
      client_secret: client.clientSecret,
      code: await code(),
      redirect_uri: client.redirectUri,
    })
    assert.equal((await postJson(JSON.stringify(await whole()))).status, 200)
    assert.equal((await postJson(JSON.stringify({ ...(await whole()), extra: { a: [1] } }))).status, 200)
    const spaced = JSON.stringify(await whole(), null, 2)
    assert.equal((await postJson(spaced, 'Application/JSON; charset=UTF-8')).status, 200)

    const repeated = JSON.stringify(await whole()).replace('{', '{"code":"x",')
    assertOAuthError(await postJson(repeated), 400, 'invalid_request', /code is repeated/)
    const number = JSON.stringify({ ...(await whole()), code: 5 })
    assertOAuthError(await postJson(number), 400, 'invalid_request', /code must be a string/)
    const form = new URLSearchParams(await whole())
    form.append('client_id', 'again')
    const formType = 'application/x-www-form-urlencoded'
    assertOAuthError(await postJson(String(form), formType), 400, 'invalid_request', /client_id is repeated/)

    for (const [body, type] of [
      ['', formType],
      ['', 'application/json'],
      ['{"grant_type":', 'application/json'],
      ['[]', 'application/json'],
      ['"text"', 'application/json'],
      [spaced, 'text/plain'],
      [spaced, 'multipart/form-data; boundary=x'],
    ] as const) {
      assertOAuthError(await postJson(body, type), 400, 'invalid_request', /./)
    }
    const bare = await fetch(`${world.baseUrl}/api/oauth/token`, { method: 'POST' })
    assertOAuthError(await answerOf(bare), 400, 'invalid_request', /Content-Type/)
  })

  test('our choice: a method other than POST is 405 with Allow, a body over 64 KiB invalid_request', async (t) => {
    const { world } = await openScene(t)
    const url = `${world.baseUrl}/api/oauth/token`
    const got = await answerOf(await fetch(url))
    assertOAuthError(got, 405, 'invalid_request', /takes POST only/)
    assert.equal(got.headers.get('allow'), 'POST')
    const large = await postForm(url, { grant_type: 'x'.repeat(70_000) })
    assertOAuthError(large, 400, 'invalid_request', /too large/)
  })

  test('client credentials are accepted as HTTP Basic, percent-decoded; two different secrets are invalid_request', async (t) => {
    const { world, client, code } = await openScene(t)
    const encodeAll = (text: string) =>
      [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
    const basic = (id: string, secret: string) => ({
      authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
    })
    const url = `${world.baseUrl}/api/oauth/token`
    const grant = async () => ({
      grant_type: 'authorization_code',
      code: await code(),
      redirect_uri: client.redirectUri,
    })
    const { clientId, clientSecret } = client
    assert.equal((await postForm(url, await grant(), basic(clientId, clientSecret))).status, 200)
    assert.equal((await postForm(url, await grant(), basic(encodeAll(clientId), encodeAll(clientSecret)))).status, 200)
    const both = { ...(await grant()), client_id: clientId, client_secret: clientSecret }
    assert.equal((await postForm(url, both, basic(clientId, clientSecret))).status, 200)

    const differ = await postForm(url, { ...(await grant()), client_secret: 'another' }, basic(clientId, clientSecret))
    assertOAuthError(differ, 400, 'invalid_request', /different client credentials/)
    const otherId = await postForm(
      url,
      { ...(await grant()), client_id: 'svc_ci_other' },
      basic(clientId, clientSecret),
    )
    assertOAuthError(otherId, 400, 'invalid_request', /different client credentials/)
    const malformed = await postForm(url, await grant(), { authorization: 'Basic ???' })
    assertOAuthError(malformed, 401, 'invalid_client', /wrong/)
    assert.match(malformed.headers.get('www-authenticate') ?? '', /^Basic /)
    const wrong = await postForm(url, await grant(), basic(clientId, 'wrong'))
    assertOAuthError(wrong, 401, 'invalid_client', /wrong/)
    assert.match(wrong.headers.get('www-authenticate') ?? '', /^Basic /)
    const inBody = await redeem(world, { ...client, clientSecret: 'wrong' }, await code())
    assert.equal(inBody.headers.get('www-authenticate'), null, 'the challenge is sent only when Basic was tried')
  })

  test('429 with Retry-After only after more than 100 failed client authentications within a minute from one address', async (t) => {
    const { world, client, code } = await openScene(t)
    const wrong = { ...client, clientSecret: 'wrong' }
    for (let failure = 0; failure < 100; failure += 1) {
      assert.equal((await redeem(world, wrong, 'svc_ac_x')).status, 401)
    }
    const limited = await redeem(world, wrong, 'svc_ac_x')
    assertOAuthError(limited, 429, 'slow_down', /Wait/)
    assert.equal(limited.headers.get('retry-after'), '60')
    assert.equal((await redeem(world, client, await code())).status, 200, 'who authenticates is served')
    await world.clock.advance(60_000)
    assert.equal((await redeem(world, wrong, 'svc_ac_x')).status, 401)
  })

  test('rotating a secret ends no token, and the old secret is invalid at once', async (t) => {
    const { world, client, code } = await openScene(t)
    const tokens = (await redeem(world, client, await code())).json
    const { clearTextSecret } = await world.service.applications.rotateClientSecret(
      'ada' as never,
      'acme' as never,
      here,
    )
    assertOAuthError(await refresh(world, client, tokens.refresh_token), 401, 'invalid_client', /rotated/)
    assert.equal((await userinfo(world, tokens.access_token)).status, 200)
    assert.equal((await refresh(world, { ...client, clientSecret: clearTextSecret }, tokens.refresh_token)).status, 200)
  })

  test('deleting an application ends all its tokens', async (t) => {
    const { world, client, code } = await openScene(t)
    const tokens = (await redeem(world, client, await code())).json
    await world.service.applications.remove('ada' as never, 'acme' as never, here)
    assert.equal((await userinfo(world, tokens.access_token)).status, 401)
    assertOAuthError(await refresh(world, client, tokens.refresh_token), 401, 'invalid_client', /unknown/)
    assert.equal((await provision(world, 'GET', '/v1/applications/acme')).status, 404)
  })
})
