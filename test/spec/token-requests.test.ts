import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openScene } from '../support/client-scene.ts'
import { assertOAuthError } from '../support/oauth-errors.ts'
import { answerOf, postForm, redeem, refresh, testOrigin, userinfo } from '../support/people.ts'

describe('Token endpoint: request formats', () => {
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

  test('our choice: a token request with a method other than POST returns 405 with Allow', async (t) => {
    const { world } = await openScene(t)
    const url = `${world.baseUrl}/api/oauth/token`
    const got = await answerOf(await fetch(url))
    assertOAuthError(got, 405, 'invalid_request', /accepts POST/)
    assert.equal(got.headers.get('allow'), 'POST')
  })

  test('client credentials are accepted as HTTP Basic, percent-decoded; two different secrets return invalid_request', async (t) => {
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

  test('an address gets 429 with Retry-After only after more than 100 failed client authentications within a minute', async (t) => {
    const { world, client, code } = await openScene(t)
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
    const { world, client, tokens } = await openScene(t)
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
