import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aClient, answerOf, openClient, postForm, redeem, refresh, revoke, userinfo } from '../support/people.ts'
import type { World } from '../support/world.ts'

/** Asserts that revocation succeeds: status 200, with an empty body that is declared as JSON. */
async function assertRevoked(world: World, fields: Record<string, string>) {
  const response = await fetch(`${world.baseUrl}/api/oauth/revoke`, {
    method: 'POST',
    body: new URLSearchParams(fields),
  })
  assert.deepEqual(
    [
      response.status,
      await response.text(),
      response.headers.get('content-type'),
      response.headers.get('content-length'),
    ],
    [200, '', 'application/json', '0'],
  )
}

describe('POST {base_url}/api/oauth/revoke', () => {
  test('successful revocation is status 200 with an empty body (RFC 7009), even for unknown tokens', async (t) => {
    const { world } = await openClient(t)
    await assertRevoked(world, { token: 'svc_at_unknown' })
    await assertRevoked(world, { token: 'anything', token_type_hint: 'refresh_token' })
  })

  test('revoking an access token revokes that token alone', async (t) => {
    const { world, client, tokens } = await openClient(t)
    const issued = await tokens()
    await assertRevoked(world, { token: issued.access_token })
    const answer = await userinfo(world, issued.access_token)
    assert.equal(answer.status, 401)
    assert.deepEqual(answer.json, { error: 'invalid_token', error_description: 'The access token is revoked.' })
    assert.equal((await refresh(world, client, issued.refresh_token)).status, 200)
  })

  test('revoking a refresh token, even one that was already rotated, revokes its whole token family', async (t) => {
    const { world, client, tokens } = await openClient(t)
    for (const which of ['newest', 'rotated']) {
      const issued = await tokens()
      const next = (await refresh(world, client, issued.refresh_token)).json
      const token = (which === 'newest' ? next : issued).refresh_token
      await assertRevoked(world, { token, token_type_hint: 'access_token' })
      for (const token of [issued.access_token, next.access_token]) {
        assert.equal((await userinfo(world, token)).status, 401, which)
      }
      assert.equal((await refresh(world, client, next.refresh_token)).json.error, 'invalid_grant', which)
    }
  })

  test('revoking needs only the token; client credentials are checked if sent; with another client’s, the response is the same and nothing changes', async (t) => {
    const { world, client, tokens } = await openClient(t)
    const issued = await tokens()
    const wrong = await revoke(world, {
      token: issued.access_token,
      client_id: client.clientId,
      client_secret: 'wrong',
    })
    const invalidClient = {
      error: 'invalid_client',
      error_description:
        'The client_id is unknown or the client_secret is wrong. A rotated secret stops working at once.',
    }
    assert.deepEqual([wrong.status, wrong.json], [401, invalidClient])
    assert.equal(wrong.headers.get('www-authenticate'), null)
    const basic = Buffer.from(`${client.clientId}:wrong`).toString('base64')
    const asBasic = await postForm(
      `${world.baseUrl}/api/oauth/revoke`,
      { token: issued.refresh_token },
      { authorization: `Basic ${basic}` },
    )
    assert.deepEqual([asBasic.status, asBasic.json], [401, invalidClient])
    assert.match(asBasic.headers.get('www-authenticate') ?? '', /^Basic /)
    const other = await aClient(world, 'other')
    const credentials = { client_id: other.clientId, client_secret: other.clientSecret }
    await assertRevoked(world, { token: issued.access_token, ...credentials })
    await assertRevoked(world, { token: issued.refresh_token, ...credentials })
    assert.equal((await userinfo(world, issued.access_token)).status, 200)
    await assertRevoked(world, {
      token: issued.access_token,
      client_id: client.clientId,
      client_secret: client.clientSecret,
    })
    assert.equal((await userinfo(world, issued.access_token)).status, 401)
  })

  test('only a complete access or refresh token is revoked: an authorization code stays valid, and partial or altered tokens revoke nothing', async (t) => {
    const { world, client, code, tokens } = await openClient(t)
    const unused = await code()
    const issued = await tokens()
    await assertRevoked(world, { token: unused })
    await assertRevoked(world, { token: issued.refresh_token.slice(0, -1) })
    await assertRevoked(world, { token: issued.refresh_token.replace('svc_rt_', 'svc_at_') })
    await assertRevoked(world, { token: issued.access_token.replace('svc_at_', 'svc_rt_') })
    assert.equal((await userinfo(world, issued.access_token)).status, 200)
    assert.equal((await refresh(world, client, issued.refresh_token)).status, 200)
    assert.equal((await redeem(world, client, unused)).status, 200)
  })

  test('a token parameter that is missing, repeated or not a string returns 400 invalid_request and revokes nothing; a JSON body is accepted too', async (t) => {
    const { world, tokens } = await openClient(t)
    const { access_token } = await tokens()
    const post = async (body: string, type: string) =>
      answerOf(
        await fetch(`${world.baseUrl}/api/oauth/revoke`, { method: 'POST', body, headers: { 'content-type': type } }),
      )
    const tooLarge = 'The body is too large, or has more than 1,000 parameters.'
    for (const [body, type, description] of [
      [
        `token=${access_token}&token=${access_token}`,
        'application/x-www-form-urlencoded',
        'The parameter token is repeated. Send it once.',
      ],
      [JSON.stringify({ token: [access_token] }), 'application/json', 'The parameter token must be a string.'],
      [
        access_token,
        'text/plain',
        'Send the parameters as application/x-www-form-urlencoded or application/json, and say which in Content-Type.',
      ],
      ['', 'application/json', 'The body is empty. Send the parameters in it.'],
      ['token_type_hint=x', 'application/x-www-form-urlencoded', 'The parameter token is missing.'],
      [`token=${access_token}${'&a'.repeat(1_000)}`, 'application/x-www-form-urlencoded', tooLarge],
      [`{"token":"${access_token}"${',"a":""'.repeat(1_000)}}`, 'application/json', tooLarge],
      [`{"token":"${access_token}","a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`, 'application/json', tooLarge],
    ] as const) {
      const answer = await post(body, type)
      assert.deepEqual(
        [answer.status, answer.json],
        [400, { error: 'invalid_request', error_description: description }],
      )
    }
    assert.equal((await userinfo(world, access_token)).status, 200)
    const { status, json } = await post(JSON.stringify({ token: access_token }), 'application/json')
    assert.deepEqual([status, json], [200, undefined])
    assert.equal((await userinfo(world, access_token)).status, 401)
  })
})
