import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codeFor, openClient, postForm, redeem, refresh, revoke, userinfo } from '../support/people.ts'

test('at the OAuth endpoints each response is no-store, with Pragma: no-cache', async (t) => {
  const { world, client, browser } = await openClient(t)
  const tokens = (await redeem(world, client, await codeFor(world, browser, client))).json
  const own = { client_id: client.clientId, client_secret: client.clientSecret }
  const push = { ...own, redirect_uri: client.redirectUri, response_type: 'code', scope: 'user.identify' }
  const endpoint = (name: string) => `${world.baseUrl}/api/oauth/${name}`
  for (const [status, answer] of [
    [200, redeem(world, client, await codeFor(world, browser, client))],
    [200, refresh(world, client, tokens.refresh_token)],
    [400, redeem(world, client, 'svc_ac_unknown')],
    [401, redeem(world, { ...client, clientSecret: 'wrong' }, 'svc_ac_unknown')],
    [200, userinfo(world, tokens.access_token)],
    [401, userinfo(world, 'svc_at_unknown')],
    [200, revoke(world, { token: 'svc_at_unknown' })],
    [400, revoke(world, {})],
    [200, postForm(endpoint('introspect'), { ...own, token: tokens.access_token })],
    [401, postForm(endpoint('introspect'), { token: tokens.access_token })],
    [201, postForm(endpoint('par'), push)],
    [400, postForm(endpoint('par'), { ...push, scope: 'no.such.scope' })],
    [405, fetch(endpoint('token'))],
    [405, fetch(endpoint('userinfo'), { method: 'POST' })],
  ] as const) {
    const { status: answered, headers } = await answer
    assert.equal(answered, status)
    assert.deepEqual([headers.get('cache-control'), headers.get('pragma')], ['no-store', 'no-cache'])
  }
})
