import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  aClient,
  adaWithClient,
  type Client,
  codeFor,
  consentUrl,
  openClient,
  postForm,
  redeem,
  refresh,
  revoke,
  userinfo,
} from '../support/people.ts'
import { openWorld } from '../support/world.ts'

test('our choice: a secret of one kind is never accepted as another kind', async (t) => {
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
  // None of the rejected attempts had a side effect.
  assert.equal((await userinfo(world, json.access_token)).status, 200)
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

test('our choice: concurrent guesses at a client secret are limited to a hundred a minute per address, and the right secrets are still accepted', async (t) => {
  const world = await openWorld(t)
  const client = await adaWithClient(world)
  const other = await aClient(world, 'other')
  const guess = (at: number) =>
    redeem(world, { ...client, clientSecret: `svc_cs_${String(at).padStart(48, '0')}` }, 'svc_ac_none')
  const answers = await Promise.all(Array.from({ length: 300 }, (_, at) => guess(at)))
  const count = (status: number) => answers.filter((answer) => answer.status === status).length
  assert.deepEqual([count(401), count(429)], [100, 200])
  const knows = async (who: Client) => (await redeem(world, who, 'svc_ac_none')).json.error
  assert.deepEqual([await knows(client), await knows(other)], ['invalid_grant', 'invalid_grant'])
})

test('our choice: guesses at a client secret from all addresses of an IPv6 /64 count together', async (t) => {
  const world = await openWorld(t, { TRUST_PROXY: '1' })
  const client = await adaWithClient(world)
  const guess = async (address: string) => {
    const fields = { client_id: client.clientId, client_secret: 'svc_cs_wrong', grant_type: 'refresh_token' }
    const headers = { 'x-forwarded-for': address }
    return (await postForm(`${world.baseUrl}/api/oauth/token`, { ...fields, refresh_token: 'x' }, headers)).status
  }
  for (let at = 1; at <= 100; at += 1) assert.equal(await guess(`2001:db8::${at.toString(16)}`), 401)
  assert.equal(await guess('2001:db8::aaaa'), 429)
  assert.equal(await guess('2001:db8:0:1::1'), 401)
})
