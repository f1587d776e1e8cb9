import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  aClient,
  adaWithClient,
  Browser,
  type Client,
  codeFor,
  consentUrl,
  openClient,
  pkce,
  postForm,
  redeem,
  refresh,
  revoke,
  signedIn,
  userinfo,
} from '../support/people.ts'
import { openWorld, type World } from '../support/world.ts'

async function eve(world: World): Promise<Browser> {
  const browser = new Browser()
  const form = { name: 'Eve', email: 'eve@example.com', password: 'the apple of the tree' }
  const answer = await browser.submit(await browser.get(`${world.baseUrl}/sign-up`), form, '/sign-up')
  assert.equal(answer.status, 303, answer.text)
  return browser
}

const s256 = (challenge: string) => ({ code_challenge: challenge, code_challenge_method: 'S256' })

test('our choice (RFC 9700 section 4.5): a stolen code injected into another flow is rejected, because the verifier differs', async (t) => {
  const world = await openWorld(t)
  const client = await adaWithClient(world)
  const [hers, evil] = [pkce(), pkce()]
  const stolen = await codeFor(world, await signedIn(world), client, s256(hers.challenge))
  await codeFor(world, await eve(world), client, s256(evil.challenge))
  const injected = await redeem(world, client, stolen, { code_verifier: evil.verifier })
  assert.deepEqual([injected.status, injected.json.error], [400, 'invalid_grant'])
  // The victim can still complete the flow.
  assert.equal((await redeem(world, client, stolen, { code_verifier: hers.verifier })).status, 200)
})

test('our choice (RFC 9700 section 4.8): PKCE can’t be bypassed by omitting or changing the challenge, method or verifier', async (t) => {
  const world = await openWorld(t)
  const client = await adaWithClient(world, { requirePkce: true })
  const browser = await signedIn(world)
  const { challenge, verifier } = pkce()
  const errorOf = async (query: Record<string, string>) => {
    const { location } = await browser.visit(consentUrl(world, client, query), world)
    return location?.searchParams.get('error')
  }
  assert.equal(await errorOf({}), 'invalid_request')
  assert.equal(await errorOf({ code_challenge: challenge, code_challenge_method: 'plain' }), 'invalid_request')
  assert.equal(await errorOf({ code_challenge: verifier.slice(1), code_challenge_method: 'S256' }), 'invalid_request')
  const code = await codeFor(world, browser, client, s256(challenge))
  for (const fields of [{}, { code_verifier: challenge }, { code_verifier: '' }, { code_verifier: `${verifier}x` }]) {
    assert.equal((await redeem(world, client, code, fields)).json.error, 'invalid_grant', JSON.stringify(fields))
  }
})

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
