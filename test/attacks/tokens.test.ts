import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  aClient,
  assertOAuthError,
  type Client,
  codeFor,
  consentUrl,
  openAda,
  openClient,
  redeem,
  refresh,
  revoke,
  userinfo,
} from '../support/people.ts'

test('our choice: a secret of one kind is never accepted as another kind, and only a complete access or refresh token is revoked', async (t) => {
  const { world, client, browser } = await openClient(t)
  const { json } = await redeem(world, client, await codeFor(world, browser, client))
  const code = await codeFor(world, browser, client)
  const bare = (secret: string) => secret.slice('svc_at_'.length)
  for (const secret of [
    code,
    json.refresh_token,
    client.clientSecret,
    `svc_at_${bare(code)}`,
    `svc_at_${bare(json.refresh_token)}`,
  ]) {
    assert.equal((await userinfo(world, secret)).status, 401, 'as access token')
  }
  for (const secret of [code, json.access_token, `svc_rt_${bare(code)}`, `svc_rt_${bare(json.access_token)}`]) {
    assert.equal((await refresh(world, client, secret)).json.error, 'invalid_grant', 'as refresh token')
  }
  for (const secret of [json.access_token, json.refresh_token, `svc_ac_${bare(json.refresh_token)}`]) {
    assert.equal((await redeem(world, client, secret)).json.error, 'invalid_grant', 'as code')
  }
  const session = /gatehouse-session=([^;]+)/.exec(browser.cookieHeader())?.[1] ?? ''
  const withCookie = (cookie: string) => fetch(`${world.baseUrl}/account`, { headers: { cookie }, redirect: 'manual' })
  assert.equal((await withCookie(`gatehouse-session=${session}`)).status, 200)
  for (const secret of [json.access_token, `svc_se_${bare(json.access_token)}`, `svc_se_${bare(code)}`]) {
    assert.equal((await withCookie(`gatehouse-session=${secret}`)).status, 302, 'as session')
  }
  const partial = json.refresh_token.slice(0, -1)
  for (const token of [code, partial, `svc_at_${bare(json.refresh_token)}`, `svc_rt_${bare(json.access_token)}`]) {
    assert.equal((await revoke(world, { token })).status, 200)
  }
  // None of the rejected attempts had a side effect.
  assert.equal((await userinfo(world, json.access_token)).status, 200)
  assert.equal((await refresh(world, client, json.refresh_token)).status, 200)
  assert.equal((await redeem(world, client, code)).status, 200)
})

test('our choice: a token with one character changed is unknown and revokes nothing', async (t) => {
  const { world, client, tokens } = await openClient(t)
  const json = await tokens()
  const altered = (token: string, at: number) =>
    token.slice(0, at) + (token[at] === 'a' ? 'b' : 'a') + token.slice(at + 1)
  for (let at = 0; at < json.access_token.length; at += 1) {
    const changed = altered(json.access_token, at)
    if (changed === json.access_token) continue
    assert.equal((await userinfo(world, changed)).status, 401, `character ${at}`)
    assert.equal((await revoke(world, { token: changed })).status, 200)
    const renewed = await refresh(world, client, altered(json.refresh_token, at))
    assert.deepEqual([renewed.status, renewed.json.error], [400, 'invalid_grant'], `character ${at}`)
  }
  assert.equal((await userinfo(world, json.access_token)).status, 200)
  assert.equal((await refresh(world, client, json.refresh_token)).status, 200)
})

test('our choice: scopes named like built-in object properties, such as __proto__, are unknown', async (t) => {
  const { world, client, browser } = await openClient(t)
  const { json } = await redeem(world, client, await codeFor(world, browser, client))
  for (const scope of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'user.identify constructor']) {
    const { location } = await browser.visit(consentUrl(world, client, { scope }), world)
    assert.equal(location?.searchParams.get('error'), 'invalid_scope', scope)
  }
  const narrowed = await refresh(world, client, json.refresh_token, { scope: 'constructor' })
  assert.equal(narrowed.json.error, 'invalid_scope')
})

test('our choice: concurrent guesses at a client secret are limited to a hundred a minute per address or IPv6 /64, with 429 and Retry-After, and the right secrets are still accepted', async (t) => {
  const { world, client } = await openAda(t, { TRUST_PROXY: '1' })
  const other = await aClient(world, 'other')
  const from = (address: string, who: Client) =>
    refresh(world, who, 'svc_rt_none', {}, { 'x-forwarded-for': `2001:db8:0:${address}` })
  const wrong = (at: number) => ({ ...client, clientSecret: `svc_cs_${String(at).padStart(48, '0')}` })
  const answers = await Promise.all(Array.from({ length: 300 }, (_, at) => from(`1::${at}`, wrong(at))))
  const count = (status: number) => answers.filter((answer) => answer.status === status).length
  assert.deepEqual([count(401), count(429)], [100, 200])
  const limited = answers.find(({ status }) => status === 429)!
  assertOAuthError(limited, 429, 'slow_down', /Wait/)
  assert.equal(limited.headers.get('retry-after'), '60')
  assert.equal((await from('2::1', wrong(1))).status, 401)
  for (const who of [client, other]) assert.equal((await from('1::1', who)).json.error, 'invalid_grant')
  await world.clock.advance(60_000)
  assert.equal((await from('1::1', wrong(1))).status, 401)
})
