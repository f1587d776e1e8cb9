import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  ada,
  allow,
  answerOf,
  assertOAuthError,
  Browser,
  codeGrant,
  consentUrl,
  introspect,
  openClient,
  postForm,
  push,
  redeem,
  refresh,
  revoke,
  userinfo,
} from '../support/people.ts'
import { RawConnection } from '../support/raw-http.ts'
import { openWorld } from '../support/world.ts'

describe('Requests to the OAuth endpoints', () => {
  test('the request is application/json or application/x-www-form-urlencoded, and both behave alike; our choice: another method than POST returns 405 with Allow', async (t) => {
    const { world, client, code } = await openClient(t)
    const [formType, jsonType] = ['application/x-www-form-urlencoded', 'application/json']
    const send = async (body: string | Buffer<ArrayBuffer>, type = jsonType, path = 'token') => {
      const headers = { 'content-type': type }
      return answerOf(await fetch(`${world.baseUrl}/api/oauth/${path}`, { method: 'POST', body, headers }))
    }
    const whole = async () => codeGrant(client, await code())
    const unknown = { list: { a: [1] }, unpairedSurrogate: '\ud800' }
    assert.equal((await send(JSON.stringify({ ...(await whole()), ...unknown }))).status, 200)
    const spaced = JSON.stringify(await whole(), null, 2)
    assert.equal((await send(spaced, 'Application/JSON; charset=UTF-8')).status, 200)

    const malformed = 'The body is not what its Content-Type says. Check its encoding.'
    const unsupported =
      'Send the parameters as application/x-www-form-urlencoded or application/json, and say which in Content-Type.'
    const tooLarge = 'The body is too large, or has more than 1,000 parameters.'
    for (const path of ['token', 'revoke', 'introspect', 'par']) {
      for (const [body, type, error_description] of [
        ['', formType, 'The body is empty. Send the parameters in it.'],
        ['{}', jsonType, 'The body is empty. Send the parameters in it.'],
        ['{"client_id":', jsonType, malformed],
        ['[]', jsonType, malformed],
        [Buffer.from('{"client_id":"\xff"}', 'latin1'), jsonType, malformed],
        ['{"client_id":"\\ud800"}', jsonType, malformed],
        ['{"client_id":"x","client_id":"y"}', jsonType, 'The parameter client_id is repeated. Send it once.'],
        ['client_id=x&client_id=x', formType, 'The parameter client_id is repeated. Send it once.'],
        ...['5', 'true', 'null', '["a"]', '{"a":"b"}'].map(
          (value) => [`{"client_id":${value}}`, jsonType, 'The parameter client_id must be a string.'] as const,
        ),
        ['client_id=x', 'text/plain', unsupported],
        [`client_id=x${'&a'.repeat(1_000)}`, formType, tooLarge],
        [`{"client_id":"x"${',"a":""'.repeat(1_000)}}`, jsonType, tooLarge],
        [`{"client_id":"x","a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`, jsonType, tooLarge],
      ] as const) {
        const { status, json } = await send(body, type, path)
        assert.deepEqual([status, json], [400, { error: 'invalid_request', error_description }], `${path} ${body}`)
      }
    }
    const bare = await fetch(`${world.baseUrl}/api/oauth/token`, { method: 'POST' })
    assertOAuthError(await answerOf(bare), 400, 'invalid_request', /Content-Type/)
    const got = await answerOf(await fetch(`${world.baseUrl}/api/oauth/token`))
    assertOAuthError(got, 405, 'invalid_request', /accepts POST/)
    assert.equal(got.headers.get('allow'), 'POST')
  })

  test('our choice: different Authorization headers in one request are rejected with invalid_request; an unknown value of Expect is ignored', async (t) => {
    const { world, client } = await openClient(t)
    const right = `Basic ${btoa(`${client.clientId}:${client.clientSecret}`)}`
    for (const [line, ...sent] of [
      ['POST /api/oauth/token', right, 'Basic eDp5'],
      ['POST /api/oauth/revoke', 'Basic eDp5', right],
      ['GET /api/oauth/userinfo', 'Bearer svc_at_a', 'Bearer svc_at_b'],
    ]) {
      const connection = await RawConnection.to(t, world.baseUrl)
      const headers = [
        'Host: h',
        'Expect: 200-ok',
        'Content-Length: 0',
        ...sent.map((value) => `Authorization: ${value}`),
      ]
      connection.write(`${[`${line} HTTP/1.1`, ...headers].join('\r\n')}\r\n\r\n`)
      const { status, body } = await connection.answer()
      const error_description = 'The parameter Authorization is repeated. Send it once.'
      assert.deepEqual([status, JSON.parse(body)], [400, { error: 'invalid_request', error_description }])
    }
  })

  test('client credentials are accepted in the body or as HTTP Basic; if they are wrong, only Basic gets a challenge; two different secrets return invalid_request', async (t) => {
    const { world, client, code } = await openClient(t)
    const { clientId, clientSecret, redirectUri } = client
    const inBody = { client_id: clientId, client_secret: clientSecret }
    const basic = (id: string, secret: string) => ({ authorization: `Basic ${btoa(`${id}:${secret}`)}` })
    const encoded = (text: string) => text.replace(/./g, (character) => `%${Buffer.from(character).toString('hex')}`)
    for (const [path, status, fields] of [
      ['token', 200, async () => ({ grant_type: 'authorization_code', code: await code(), redirect_uri: redirectUri })],
      ['revoke', 200, () => ({ token: 'x' })],
      ['introspect', 200, () => ({ token: 'x' })],
      ['par', 201, () => ({ redirect_uri: redirectUri, response_type: 'code', scope: 'user.identify' })],
    ] as const) {
      const send = async (more: Record<string, string>, headers: Record<string, string> = {}) =>
        postForm(`${world.baseUrl}/api/oauth/${path}`, { ...(await fields()), ...more }, headers)
      for (const headers of [basic(clientId, clientSecret), basic(encoded(clientId), encoded(clientSecret))]) {
        assert.equal((await send({}, headers)).status, status)
      }
      assert.equal((await send(inBody)).status, status)
      assert.equal((await send(inBody, basic(clientId, clientSecret))).status, status)
      for (const differing of [{ client_secret: 'another' }, { client_id: 'svc_ci_other' }]) {
        const answer = await send(differing, basic(clientId, clientSecret))
        assertOAuthError(answer, 400, 'invalid_request', /different client credentials/)
      }
      // Too long to be a secret, and the longest that fit into the headers or the body.
      for (const length of [5, 45_000, 120_000]) {
        const wrong = 'x'.repeat(length)
        const tried = [undefined, basic(clientId, wrong), basic(wrong, clientSecret), { authorization: 'Basic ???' }]
        for (const headers of length > 100_000 ? [undefined] : tried) {
          const answer = await send(headers === undefined ? { ...inBody, client_secret: wrong } : {}, headers)
          assertOAuthError(answer, 401, 'invalid_client', /unknown or .* wrong\. A rotated secret stops/)
          const challenge = headers && 'Basic realm="Gatehouse", charset="UTF-8"'
          assert.equal(answer.headers.get('www-authenticate') ?? undefined, challenge)
        }
      }
    }
  })
})

test('our choice: a code, token or client ID that is too long to exist is unknown', async (t) => {
  const { world, client, code } = await openClient(t)
  const credentials = { client_id: client.clientId, client_secret: client.clientSecret }
  // The longest fit into the headers, and into a body beside the other parameters.
  for (const length of [100, 45_000, 120_000]) {
    for (const text of ['', 'svc_ac_', 'svc_at_', 'svc_rt_'].map((prefix) => prefix + '0'.repeat(length))) {
      assertOAuthError(await redeem(world, client, text), 400, 'invalid_grant', /code is not known/)
      assertOAuthError(await refresh(world, client, text), 400, 'invalid_grant', /refresh token is not known/)
      assertOAuthError(await redeem(world, { ...client, clientId: text }, 'x'), 401, 'invalid_client', /unknown or/)
      assert.equal((await revoke(world, { token: text })).status, 200)
      const asClient = await postForm(`${world.baseUrl}/api/oauth/introspect`, { ...credentials, token: text })
      for (const { json } of [asClient, await introspect(world, text)]) assert.deepEqual(json, { active: false })
      if (length < 100_000) assertOAuthError(await userinfo(world, text), 401, 'invalid_token', /not known/)
    }
    const redirect_uri = `${client.redirectUri}?${'x'.repeat(length)}`
    const differs = await redeem(world, client, await code(), { redirect_uri })
    assertOAuthError(differs, 400, 'invalid_grant', /redirect_uri is not the one/)
  }
})

test('our choice: each endpoint answers invalid_request to a body beyond 128 KiB, whatever its framing', async (t) => {
  const world = await openWorld(t)
  const large = 'x'.repeat(0x20001)
  for (const path of ['token', 'revoke', 'introspect', 'par']) {
    for (const framed of [
      `Content-Length: ${large.length}\r\n\r\n${large}`,
      `Transfer-Encoding: chunked\r\n\r\n20001\r\n${large}\r\n0\r\n\r\n`,
    ]) {
      const connection = await RawConnection.to(t, world.baseUrl)
      connection.write(`POST /api/oauth/${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${framed}`)
      const { status, headers, body } = await connection.answer()
      assert.deepEqual([status, headers.connection, JSON.parse(body).error], [400, 'close', 'invalid_request'])
      assert.match(body, /too large/)
    }
  }
})

test('our choice: state may have 4,096 characters, counted after decoding, in the URL and pushed: it returns unchanged, and a longer one is invalid_request', async (t) => {
  const { world, client, browser } = await openClient(t)
  await allow(world, browser, consentUrl(world, client))
  // `fetch` rejects responses with more than 16 KiB of headers.
  const redirect = async (address: string, by = browser) => {
    const url = new URL(address)
    const connection = await RawConnection.to(t, world.baseUrl)
    const headers = `Host: ${url.host}\r\nCookie: ${by.cookieHeader()}`
    await connection.flushed(`GET ${url.pathname}${url.search} HTTP/1.1\r\n${headers}\r\n\r\n`)
    return Object.fromEntries(new URL((await connection.answer()).headers.location ?? '').searchParams)
  }
  // Each takes 1, 1, 9 or 12 bytes in a URL. The last one takes two UTF-16 units.
  for (const character of ['x', ' ', '€', '😀']) {
    const [longest, longer] = [character.repeat(4_096), character.repeat(4_097)]
    const request = (state: string) => consentUrl(world, client, { state, consent: 'skip' })
    const { code, ...accepted } = await redirect(request(longest))
    assert.match(code ?? '', /^svc_ac_/)
    assert.deepEqual(accepted, { state: longest })
    assert.equal((await push(world, client, request(longest))).status, 201, character)
    const error = 'invalid_request'
    const error_description = 'The parameter state is longer than 4096 characters.'
    assert.deepEqual(await redirect(request(longer)), { error, error_description, state: longer })
    assert.deepEqual((await push(world, client, request(longer))).json, { error, error_description })

    const signedOut = new Browser()
    const signIn = await signedOut.visit(request(longest), world)
    const { location } = await signedOut.submit(signIn, { email: ada.email, password: ada.password }, '/sign-in')
    assert.equal((await redirect(String(location), signedOut)).state, longest)
  }
})
