import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aClient, answerOf, openClient, redeem, refresh, revoke, userinfo } from '../support/people.ts'
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
    const wrong = { token: issued.access_token, client_id: client.clientId, client_secret: 'wrong' }
    assert.equal((await revoke(world, wrong)).json.error, 'invalid_client')
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

  test('a missing token, one that is repeated, and one in the query return 400 invalid_request and revoke nothing; a JSON body is accepted too', async (t) => {
    const { world, tokens } = await openClient(t)
    const { access_token } = await tokens()
    const url = `${world.baseUrl}/api/oauth/revoke`
    const post = async (body: RequestInit['body'], headers = {}, query = '') =>
      answerOf(await fetch(`${url}${query}`, { method: 'POST', body: body ?? null, headers }))
    const token = ['token', access_token]
    for (const [answer, description] of [
      [await post(new URLSearchParams([token, token])), 'The parameter token is repeated. Send it once.'],
      [await post(new URLSearchParams({ token_type_hint: 'x' })), 'The parameter token is missing.'],
      [
        await post(new URLSearchParams(), {}, `?token=${access_token}`),
        'The body is empty. Send the parameters in it.',
      ],
    ] as const) {
      const body = { error: 'invalid_request', error_description: description }
      assert.deepEqual([answer.status, answer.json], [400, body])
    }
    assert.equal((await userinfo(world, access_token)).status, 200)
    const json = await post(JSON.stringify({ token: access_token }), { 'content-type': 'application/json' })
    assert.deepEqual([json.status, json.json], [200, undefined])
    assert.equal((await userinfo(world, access_token)).status, 401)
  })
})
