import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertOAuthError } from '../support/oauth-errors.ts'
import {
  ada,
  allow,
  Browser,
  consentUrl,
  openClient,
  postForm,
  redeem,
  refresh,
  revoke,
  userinfo,
} from '../support/people.ts'
import { RawConnection } from '../support/raw-http.ts'

/** Longer than any code, token or secret, and short enough for a header. */
const lengths = [100, 5_000, 45_000]
/** The longest that fits into a request body beside the other parameters. */
const inBody = [...lengths, 120_000]

describe('our choice: a code, token or secret that is too long to exist is unknown', () => {
  test('the token endpoint answers invalid_grant for codes and refresh tokens, and invalid_client for credentials', async (t) => {
    const { world, client, code } = await openClient(t)
    for (const length of inBody) {
      for (const text of ['x'.repeat(length), `svc_ac_${'0'.repeat(length)}`, `svc_rt_${'0'.repeat(length)}`]) {
        assertOAuthError(await redeem(world, client, text), 400, 'invalid_grant', /code is not known/)
        assertOAuthError(await refresh(world, client, text), 400, 'invalid_grant', /refresh token is not known/)
        assertOAuthError(await redeem(world, client, 'x', { client_id: text }), 401, 'invalid_client', /unknown or/)
      }
      const uri = `${client.redirectUri}?${'x'.repeat(length)}`
      const differs = await redeem(world, client, await code(), { redirect_uri: uri })
      assertOAuthError(differs, 400, 'invalid_grant', /redirect_uri is not the one/)
    }
  })

  test('at each endpoint, credentials that are too long answer invalid_client, as HTTP Basic and in the body, and a body beyond 128 KiB answers invalid_request', async (t) => {
    const { world, client } = await openClient(t)
    for (const length of inBody) {
      const long = 'x'.repeat(length)
      const basic = [`${client.clientId}:${long}`, `${long}:x`].map((credentials) => ({
        authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
      }))
      const fields = { client_id: client.clientId, client_secret: long }
      for (const path of ['token', 'revoke', 'introspect', 'par']) {
        for (const headers of lengths.includes(length) ? basic : []) {
          const answer = await postForm(`${world.baseUrl}/api/oauth/${path}`, { token: 'x' }, headers)
          assertOAuthError(answer, 401, 'invalid_client', /unknown or .* wrong/)
        }
        const answer = await postForm(`${world.baseUrl}/api/oauth/${path}`, { token: 'x', ...fields })
        assertOAuthError(answer, 401, 'invalid_client', /unknown or .* wrong/)
      }
    }
    for (const path of ['token', 'revoke', 'introspect', 'par']) {
      const large = 'x'.repeat(0x20001)
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

  test('revocation answers 200, introspection active false, and userinfo invalid_token', async (t) => {
    const { world, client } = await openClient(t)
    const introspect = (fields: Record<string, string>, headers = {}) =>
      postForm(`${world.baseUrl}/api/oauth/introspect`, fields, headers)
    const credentials = { client_id: client.clientId, client_secret: client.clientSecret }
    for (const length of inBody) {
      for (const token of ['x'.repeat(length), `svc_at_${'0'.repeat(length)}`, `svc_rt_${'0'.repeat(length)}`]) {
        const revoked = await revoke(world, { token })
        assert.deepEqual([revoked.status, revoked.json], [200, undefined])
        const byClient = await introspect({ ...credentials, token })
        assert.deepEqual([byClient.status, byClient.json], [200, { active: false }])
        const byOperator = await introspect({ token }, { authorization: `Bearer ${world.operatorKey}` })
        assert.deepEqual([byOperator.status, byOperator.json], [200, { active: false }])
        if (!lengths.includes(length)) continue
        assertOAuthError(await userinfo(world, token), 401, 'invalid_token', /not known/)
      }
    }
  })
})

describe('our choice: state may have 4,096 characters, counted after decoding', () => {
  /** Each character takes 1, 1, 9 or 12 bytes in a URL. The last one takes two UTF-16 units. */
  const characters = ['x', ' ', '€', '😀']

  test('in the URL, a state of at most 4,096 characters returns unchanged, and a longer one is invalid_request', async (t) => {
    const { world, client, browser } = await openClient(t)
    await allow(world, browser, consentUrl(world, client))
    // `fetch` rejects responses with more than 16 KiB of headers.
    const redirect = async (url: URL, by: Browser) => {
      const connection = await RawConnection.to(t, world.baseUrl)
      const headers = `Host: ${url.host}\r\nCookie: ${by.cookieHeader()}`
      await connection.flushed(`GET ${url.pathname}${url.search} HTTP/1.1\r\n${headers}\r\n\r\n`)
      return new URL((await connection.answer()).headers.location ?? '').searchParams
    }
    for (const character of characters) {
      const state = character.repeat(4_096)
      const request = (text: string) => consentUrl(world, client, { state: text, consent: 'skip' })
      const accepted = await redirect(new URL(request(state)), browser)
      assert.deepEqual([accepted.get('error'), accepted.get('state')], [null, state])
      const refused = await redirect(new URL(request(state + character)), browser)
      assert.equal(refused.get('error'), 'invalid_request')
      assert.equal(refused.get('error_description'), 'The parameter state is longer than 4096 characters.')
      assert.equal(refused.get('state'), state + character)

      const signedOut = new Browser()
      const signIn = await signedOut.visit(request(state), world)
      const { location } = await signedOut.submit(signIn, { email: ada.email, password: ada.password }, '/sign-in')
      assert.equal((await redirect(location as URL, signedOut)).get('state'), state)
    }
  })

  test('a pushed state of 4,096 characters is accepted, and a longer one is invalid_request', async (t) => {
    const { world, client } = await openClient(t)
    const push = (state: string) =>
      postForm(`${world.baseUrl}/api/oauth/par`, {
        client_id: client.clientId,
        client_secret: client.clientSecret,
        redirect_uri: client.redirectUri,
        response_type: 'code',
        scope: 'user.identify',
        state,
      })
    for (const character of characters) {
      assert.equal((await push(character.repeat(4_096))).status, 201, character)
      assertOAuthError(await push(character.repeat(4_097)), 400, 'invalid_request', /state is longer than 4096/)
    }
  })
})
