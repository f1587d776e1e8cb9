import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { BotRuntime } from './support/bot-runtime.ts'
import {
  ada as anyone,
  Browser,
  codeFor,
  consentUrl,
  openAda,
  postForm,
  provision,
  redeem,
  redirectUri,
  refresh,
  revoke,
  signedIn,
  signIn,
  userinfo,
} from './support/people.ts'
import { RawConnection } from './support/raw-http.ts'
import { noteSecret } from './support/secrets-sent.ts'
import { hideTable } from './support/world-database.ts'

/** Each value is long enough not to appear in a log by chance, for example in a time or a port. */
const ada = { ...anyone, password: 'a password of Ada, in the clear', pin: '730918264553' }
const wrong = { password: 'a mistyped password of Ada', pin: '730918264554' }
const state = 'a state, in the clear'

/** Opens a world with Ada, her application and her signed-in browser. When it ends, its log is searched for secrets. */
async function openScene(t: TestContext) {
  const { world, client } = await openAda(t)
  const { id, ...record } = ada
  await provision(world, 'PUT', `/v1/users/${id}`, record)
  const browser = await signedIn(world, ada)
  assert.match(world.logs(), /"route"/, 'the log is open at its lowest level')
  return { world, client, browser }
}

describe('No password, PIN, code, token, secret, key, cookie value or form token is logged, at any level', () => {
  test('PIN and state of an authorization are not logged, whether set, right or wrong, up to the rate limit and the PIN lock', async (t) => {
    const { world, client, browser } = await openScene(t)
    const url = consentUrl(world, client, { scope: 'user.identify user.email', state })
    const fresh = new Browser()
    const signUp = await fresh.get(
      new URL(`/sign-up${new URL((await fresh.visit(url, world)).url).search}`, world.baseUrl),
    )
    const account = { name: 'Grace', email: 'grace@example.com', password: 'gate of the harbour' }
    const pinPage = await fresh.onward(await fresh.submit(signUp, account, '/sign-up'), world)
    const pins = { pin: '118822773366', pin_again: '118822773366', password: account.password }
    const consent = await fresh.onward(await fresh.submit(pinPage, pins, '/account/pin'), world)
    const allowed = await fresh.submit(consent, { decision: 'allow' }, '/auth/consent')
    assert.equal(allowed.location?.searchParams.get('state'), state, allowed.text)

    for (let attempt = 0; attempt < 12; attempt += 1) await signIn(world, { ...ada, password: wrong.password })
    for (let attempt = 0; attempt < 6; attempt += 1) {
      await browser.submit(await browser.visit(url, world), { pin: wrong.pin }, '/unlock')
    }
    const forged = new URLSearchParams({ form_token: 'f'.repeat(43), pin: ada.pin })
    for (const path of ['unlock', 'account/pin']) await browser.post(`${world.baseUrl}/${path}`, forged)
  })

  test('webhooks and the runtime link log no secret, with valid or wrong keys', async (t) => {
    const { world } = await openScene(t)
    const bot = { ownerId: ada.id, name: 'L', chatPlatformId: '215215215215215215', hostingEnabled: true }
    await provision(world, 'PUT', '/v1/bots/lantern', bot)
    const webhook = { path: 'alerts', requiresKey: true }
    const flow = { kind: 'event', name: 'Alerts', webhook }
    const { key } = (await provision(world, 'PUT', '/v1/bots/lantern/flows/alerts', flow)).json.webhook
    const made = await provision(world, 'POST', '/v1/runtimes', { name: 'r', botIds: '*' })
    const { runtime } = await BotRuntime.ready(t, world, made.json.key)
    const body = noteSecret('a webhook body, in the clear')
    const post = (path: string, headers: Record<string, string>, sent = body) =>
      fetch(`${world.apiUrl}${path}`, { method: 'POST', headers, body: sent })
    assert.equal((await post(`/lantern/alerts?token=${key}`, { 'svc-key': key })).status, 202)
    const dispatch = await runtime.next('dispatch')
    runtime.send({ type: 'nack', delivery: dispatch.delivery, error: 'no' })
    runtime.send({ type: 'log', entries: [{ botId: 'lantern', level: 'info', message: body }] })
    assert.equal((await post('/lantern/alerts', { 'svc-key': `svc_fk_${'w'.repeat(48)}` })).status, 401)
    assert.equal((await post('/lantern/nowhere', { 'svc-key': key })).status, 404)
    await post('/lantern/alerts', { 'svc-key': key }, body.repeat(50_000)).catch(() => undefined)
    const refused = new BotRuntime(t, world, { key: `svc_rk_${'w'.repeat(48)}` })
    assert.equal((await refused.closed).code, 4001)
    runtime.send(`{"type":"ready","key":"${key}", malformed`)
    await runtime.closed
  })

  test('the control surface never logs a secret, whether keys and bodies are valid or not', async (t) => {
    const { world } = await openScene(t)
    const put = async (body: string, key: string) => {
      const url = `${world.controlUrl}/v1/users/grace?password=${encodeURIComponent(ada.password)}`
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      return (await fetch(url, { method: 'PUT', headers, body })).status
    }
    const password = noteSecret('harbour of the gate')
    const bodies = [
      JSON.stringify({ name: 'Grace', password, pin: ada.pin }),
      JSON.stringify({ name: 'Grace', password, pin: `${ada.pin}x` }),
      JSON.stringify({ name: 'Grace', [password]: ada.pin }),
      `{"name":"Grace","password":"${password}`,
      password,
    ]
    const statuses: number[] = []
    for (const body of bodies) statuses.push(await put(body, world.operatorKey))
    assert.deepEqual(statuses, [201, 400, 400, 400, 400])
    const { key } = (await provision(world, 'POST', '/v1/operator-keys', { name: 'deploy', access: 'read' })).json
    const withKeys = [await put('{}', key), await put('{}', `${key}x`), await put('{}', 'not-the-key'.repeat(4))]
    assert.deepEqual(withKeys, [403, 401, 401])
  })

  test('no secret in a mistaken or malformed request is logged', async (t) => {
    const { world, client, browser } = await openScene(t)
    const code = await codeFor(world, browser, client)
    const { access_token: access, refresh_token: refreshToken } = (await redeem(world, client, code)).json
    for (const url of [world.baseUrl, world.portalUrl, world.apiUrl, world.controlUrl]) {
      const password = encodeURIComponent(ada.password)
      await browser.get(`${url}/nowhere?code=${code}&access_token=${access}&password=${password}`)
      await browser.get(`${url}/${code}/${access}`)
      const raw = await RawConnection.to(t, url)
      raw.write(`GET /?code=${code} HTTP/1.1\r\nauthorization: Bearer ${access}\r\nbad header\r\n\r\n`)
    }
    const token = `${world.baseUrl}/api/oauth/token`
    const { clientId, clientSecret } = client
    const fields = { grant_type: 'authorization_code', code, client_id: clientId, redirect_uri: redirectUri }
    await postForm(token, { ...fields, client_secret: `svc_cs_${'w'.repeat(48)}` })
    await postForm(token, fields, { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` })
    await postForm(token, fields, { authorization: `Basic ${clientSecret}%%%` })
    for (const [contentType, body] of [
      ['application/json', `{"client_secret":"${clientSecret}","code":"${code}`],
      ['application/json', `"${code}"`],
      ['application/json', code],
      ['text/plain', code],
      ['multipart/form-data; boundary=x', `--x\r\n${code}`],
      ['application/x-www-form-urlencoded', `code=${code}&code=${code}&${'x'.repeat(70_000)}`],
    ] as const) {
      for (const path of ['api/oauth/token', 'api/oauth/revoke', 'api/oauth/introspect', 'sign-in', 'auth/consent']) {
        const init = { method: 'POST', headers: { 'content-type': contentType }, body }
        await fetch(`${world.baseUrl}/${path}`, init)
      }
    }
    await fetch(`${world.baseUrl}/api/oauth/userinfo?access_token=${access}`)
    for (const mistaken of [`${access}x`, refreshToken]) await userinfo(world, mistaken)
    await revoke(world, { token: code })
    await browser.get(consentUrl(world, client, { state, scope: code }))
    for (const evil of [`https://evil.example/?${code}`, `https://evil.example:${access}`]) {
      await browser.get(consentUrl(world, { ...client, redirectUri: evil }))
    }
    await browser.get(`${world.baseUrl}/auth/consent?attempt=${code}`)
  })

  test('no secret is logged while the database lacks some tables', async (t) => {
    const { world, client, browser } = await openScene(t)
    const code = await codeFor(world, browser, client)
    const { access_token: access, refresh_token: refreshToken } = (await redeem(world, client, code)).json
    const tables = ['token_families', 'access_tokens', 'sessions', 'users', 'flows', 'client_secrets', 'runtimes']
    for (const table of tables) await hideTable(world, 'identity', table)

    const statuses = [
      (await redeem(world, client, code)).status,
      (await refresh(world, client, refreshToken)).status,
      (await userinfo(world, access)).status,
      (await revoke(world, { token: refreshToken })).status,
      (await browser.get(`${world.baseUrl}/account`)).status,
      (await provision(world, 'PUT', '/v1/users/ada', { name: 'Ada', password: ada.password })).status,
    ]
    assert.deepEqual([...new Set(statuses)], [500])
    const headers = { 'svc-key': `svc_fk_${'k'.repeat(48)}` }
    await fetch(`${world.apiUrl}/lantern/alerts`, { method: 'POST', body: 'x', headers })
    const signIn = await new Browser().get(`${world.baseUrl}/sign-in`)
    await new Browser().submit(signIn, { email: ada.email, password: ada.password }, '/sign-in')
    assert.match(world.logs(), /no such table/)
  })
})
