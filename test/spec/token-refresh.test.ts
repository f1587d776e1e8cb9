import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertOAuthError } from '../support/oauth-errors.ts'
import { answerOf, codeGrant, openClient, postForm, redeem, refresh, testOrigin, userinfo } from '../support/people.ts'
import { RawConnection } from '../support/raw-http.ts'

describe('POST {base_url}/api/oauth/token: refresh grant', () => {
  test('a refresh yields new tokens and revokes the old refresh token (rotation)', async (t) => {
    const { world, client, tokens } = await openClient(t)
    const first = await tokens()
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
    assert.equal((await userinfo(world, first.access_token)).status, 200, 'the earlier access token stays valid')
  })

  test('a refresh token presented again is rejected and the entire token family is revoked', async (t) => {
    const { world, client, tokens } = await openClient(t)
    const first = await tokens()
    const second = (await refresh(world, client, first.refresh_token)).json
    const third = (await refresh(world, client, second.refresh_token)).json

    assertOAuthError(await refresh(world, client, first.refresh_token), 400, 'invalid_grant', /already used/)
    assertOAuthError(await refresh(world, client, third.refresh_token), 400, 'invalid_grant', /revoked/)
    for (const tokens of [first, second, third]) {
      assert.equal((await userinfo(world, tokens.access_token)).status, 401)
    }
  })

  test('a refresh token lives for 30 days after it is issued', async (t) => {
    const { world, client, tokens } = await openClient(t)
    const days = 24 * 3_600_000
    const first = await tokens()
    const other = await tokens()
    await world.clock.advance(30 * days - 1)
    const second = await refresh(world, client, first.refresh_token)
    assert.equal(second.status, 200)
    await world.clock.advance(1)
    assertOAuthError(await refresh(world, client, other.refresh_token), 400, 'invalid_grant', /expired/)
    assert.equal((await refresh(world, client, second.json.refresh_token)).status, 200)
  })

  test('a refresh can narrow the scopes of the access token only; a scope beyond the grant returns invalid_scope and spends nothing', async (t) => {
    const { world, client, tokens } = await openClient(t)
    const first = await tokens({ scope: 'user.identify bots.read offline_access' })
    const more = await refresh(world, client, first.refresh_token, { scope: 'user.identify flows.read' })
    assertOAuthError(
      more,
      400,
      'invalid_scope',
      /^The scope flows\.read goes beyond what was granted\. Ask for a subset/,
    )
    const narrow = (await refresh(world, client, first.refresh_token, { scope: 'bots.read' })).json
    assert.equal(narrow.scope, 'bots.read')
    assert.deepEqual(Object.keys((await userinfo(world, narrow.access_token)).json), ['sub', 'serviceId', 'bots'])
    const commas = await refresh(world, client, narrow.refresh_token, { scope: 'bots.read,user.identify' })
    assert.equal(commas.json.scope, 'bots.read user.identify')
    const whole = await refresh(world, client, commas.json.refresh_token, { redirect_uri: 'https://elsewhere.example' })
    assert.equal(whole.json.scope, 'user.identify bots.read offline_access')
  })
})

describe('Token endpoint: request formats', () => {
  test('the request is application/json or application/x-www-form-urlencoded, and both behave alike; our choice: another method than POST returns 405 with Allow', async (t) => {
    const { world, client, code } = await openClient(t)
    const postJson = async (body: string | Buffer<ArrayBuffer>, type = 'application/json') =>
      answerOf(
        await fetch(`${world.baseUrl}/api/oauth/token`, { method: 'POST', body, headers: { 'content-type': type } }),
      )
    const whole = async () => codeGrant(client, await code())
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
      ['{}', 'application/json'],
      ['{"grant_type":', 'application/json'],
      ['[]', 'application/json'],
      ['"text"', 'application/json'],
      [Buffer.from('{"grant_type":"\xff"}', 'latin1'), 'application/json'],
      [spaced, 'text/plain'],
      [spaced, 'multipart/form-data; boundary=x'],
    ] as const) {
      assertOAuthError(await postJson(body, type), 400, 'invalid_request', /./)
    }
    const bare = await fetch(`${world.baseUrl}/api/oauth/token`, { method: 'POST' })
    assertOAuthError(await answerOf(bare), 400, 'invalid_request', /Content-Type/)
    const got = await answerOf(await fetch(`${world.baseUrl}/api/oauth/token`))
    assertOAuthError(got, 405, 'invalid_request', /accepts POST/)
    assert.equal(got.headers.get('allow'), 'POST')
  })

  test('our choice: different Authorization headers in one request are rejected with invalid_request', async (t) => {
    const { world, client } = await openClient(t)
    const right = `Basic ${btoa(`${client.clientId}:${client.clientSecret}`)}`
    for (const [line, ...sent] of [
      ['POST /api/oauth/token', right, 'Basic eDp5'],
      ['POST /api/oauth/revoke', 'Basic eDp5', right],
      ['GET /api/oauth/userinfo', 'Bearer svc_at_a', 'Bearer svc_at_b'],
    ]) {
      const connection = await RawConnection.to(t, world.baseUrl)
      const headers = ['Host: h', 'Content-Length: 0', ...sent.map((value) => `Authorization: ${value}`)]
      connection.write(`${[`${line} HTTP/1.1`, ...headers].join('\r\n')}\r\n\r\n`)
      const { status, body } = await connection.answer()
      const error_description = 'The parameter Authorization is repeated. Send it once.'
      assert.deepEqual([status, JSON.parse(body)], [400, { error: 'invalid_request', error_description }])
    }
  })

  test('client credentials are accepted as HTTP Basic, percent-decoded; two different secrets return invalid_request', async (t) => {
    const { world, client, code } = await openClient(t)
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

  test('an address gets 429 with Retry-After only after more than 100 failed client authentications within a minute', async (t) => {
    const { world, client, code } = await openClient(t)
    const wrong = { ...client, clientSecret: 'wrong' }
    for (let failure = 0; failure < 100; failure += 1) {
      assert.equal((await redeem(world, wrong, 'svc_ac_x')).status, 401)
    }
    const limited = await redeem(world, wrong, 'svc_ac_x')
    assertOAuthError(limited, 429, 'slow_down', /Wait/)
    assert.equal(limited.headers.get('retry-after'), '60')
    assert.equal((await redeem(world, client, await code())).status, 200, 'a client that authenticates is served')
    await world.clock.advance(60_000)
    assert.equal((await redeem(world, wrong, 'svc_ac_x')).status, 401)
  })

  test('rotating the client secret revokes no tokens but invalidates the old secret immediately', async (t) => {
    const { world, client, tokens } = await openClient(t)
    const issued = await tokens()
    const { clearTextSecret } = await world.service.applications.secrets.rotate(
      'ada' as never,
      'acme' as never,
      testOrigin,
    )
    assertOAuthError(await refresh(world, client, issued.refresh_token), 401, 'invalid_client', /rotated/)
    assert.equal((await userinfo(world, issued.access_token)).status, 200)
    assert.equal((await refresh(world, { ...client, clientSecret: clearTextSecret }, issued.refresh_token)).status, 200)
  })
})
