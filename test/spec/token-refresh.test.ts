import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openScene } from '../support/client-scene.ts'
import { assertOAuthError } from '../support/oauth-errors.ts'
import { refresh, userinfo } from '../support/people.ts'

describe('POST {base_url}/api/oauth/token: refresh grant', () => {
  test('a refresh yields new tokens and revokes the old refresh token (rotation)', async (t) => {
    const { world, client, tokens } = await openScene(t)
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
    const { world, client, tokens } = await openScene(t)
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
    const { world, client, tokens } = await openScene(t)
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
    const { world, client, tokens } = await openScene(t)
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
