import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ada,
  allow,
  assertOAuthError,
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
import { openWorld } from '../support/world.ts'

test('our choice: a code, token or client ID that is too long to exist is unknown', async (t) => {
  const { world, client, code } = await openClient(t)
  const introspection = `${world.baseUrl}/api/oauth/introspect`
  const operator = { authorization: `Bearer ${world.operatorKey}` }
  // The longest fit into the headers, and into a body beside the other parameters.
  for (const length of [100, 45_000, 120_000]) {
    for (const text of ['', 'svc_ac_', 'svc_at_', 'svc_rt_'].map((prefix) => prefix + '0'.repeat(length))) {
      assertOAuthError(await redeem(world, client, text), 400, 'invalid_grant', /code is not known/)
      assertOAuthError(await refresh(world, client, text), 400, 'invalid_grant', /refresh token is not known/)
      assertOAuthError(await redeem(world, { ...client, clientId: text }, 'x'), 401, 'invalid_client', /unknown or/)
      assert.equal((await revoke(world, { token: text })).status, 200)
      const credentials = { client_id: client.clientId, client_secret: client.clientSecret }
      for (const asked of [
        postForm(introspection, { ...credentials, token: text }),
        postForm(introspection, { token: text }, operator),
      ]) {
        assert.deepEqual((await asked).json, { active: false })
      }
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
  const push = (asked: string) =>
    postForm(`${world.baseUrl}/api/oauth/par`, {
      client_secret: client.clientSecret,
      ...Object.fromEntries(new URL(asked).searchParams),
    })
  // Each takes 1, 1, 9 or 12 bytes in a URL. The last one takes two UTF-16 units.
  for (const character of ['x', ' ', '€', '😀']) {
    const [longest, longer] = [character.repeat(4_096), character.repeat(4_097)]
    const request = (state: string) => consentUrl(world, client, { state, consent: 'skip' })
    const { code, ...accepted } = await redirect(request(longest))
    assert.match(code ?? '', /^svc_ac_/)
    assert.deepEqual(accepted, { state: longest })
    assert.equal((await push(request(longest))).status, 201, character)
    const error = 'invalid_request'
    const error_description = 'The parameter state is longer than 4096 characters.'
    assert.deepEqual(await redirect(request(longer)), { error, error_description, state: longer })
    assert.deepEqual((await push(request(longer))).json, { error, error_description })

    const signedOut = new Browser()
    const signIn = await signedOut.visit(request(longest), world)
    const { location } = await signedOut.submit(signIn, { email: ada.email, password: ada.password }, '/sign-in')
    assert.equal((await redirect(String(location), signedOut)).state, longest)
  }
})
