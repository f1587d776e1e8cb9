import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { answerOf, assertOAuthError, codeGrant, openClient, postForm, refresh, userinfo } from '../support/people.ts'
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

describe('Requests to the OAuth endpoints', () => {
  test('the request is application/json or application/x-www-form-urlencoded, and both behave alike; our choice: another method than POST returns 405 with Allow', async (t) => {
    const { world, client, code } = await openClient(t)
    const [formType, jsonType] = ['application/x-www-form-urlencoded', 'application/json']
    const send = async (body: string | Buffer<ArrayBuffer>, type = jsonType, path = 'token') => {
      const headers = { 'content-type': type }
      return answerOf(await fetch(`${world.baseUrl}/api/oauth/${path}`, { method: 'POST', body, headers }))
    }
    const whole = async () => codeGrant(client, await code())
    assert.equal((await send(JSON.stringify({ ...(await whole()), extra: { a: [1] } }))).status, 200)
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
        ['{"client_id":5}', jsonType, 'The parameter client_id must be a string.'],
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
