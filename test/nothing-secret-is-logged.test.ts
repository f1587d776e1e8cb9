import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { BotRuntime } from './support/bot-runtime.ts'
import {
  type Answer,
  ada,
  Browser,
  type Client,
  codeFor,
  consentUrl,
  pkce,
  postForm,
  provision,
  redeem,
  redirectUri,
  refresh,
  revoke,
  userinfo,
} from './support/people.ts'
import { RawConnection } from './support/raw-http.ts'
import { assertNothingLogged, noteCookies, openScene, person, wrong } from './support/secret-watch.ts'
import type { World } from './support/world.ts'

describe('No password, PIN, code, token, secret, key, cookie value or form token is logged, at any level', () => {
  test('sign-up and authorization (PIN, consent, code, tokens, refresh, reuse, introspection, revocation) log no secret', async (t) => {
    const scene = await openScene(t)
    const { world, client, browser, secret } = scene
    const query = { scope: 'user.identify user.email offline_access', state: secret('state', wrong.state) }

    const fresh = new Browser()
    const signUp = scene.page(await fresh.visit(consentUrl(world, client, query), world))
    const form = scene.page(await fresh.get(new URL(`/sign-up${new URL(signUp.url).search}`, world.baseUrl)))
    const account = {
      name: 'Grace',
      email: 'grace@example.com',
      password: secret('new password', 'gate of the harbour'),
    }
    const pinPage = scene.page(await fresh.onward(await fresh.submit(form, account, '/sign-up'), world))
    const newPin = secret('new PIN', '118822773366')
    const consent = await fresh.onward(
      await fresh.submit(pinPage, { pin: newPin, pin_again: newPin, password: account.password }, '/account/pin'),
      world,
    )
    scene.page(consent)
    const allowed = await fresh.submit(consent, { decision: 'allow' }, '/auth/consent')
    assert.ok(allowed.location?.searchParams.get('code'), allowed.text)
    secret('code', allowed.location?.searchParams.get('code') as string)
    noteCookies(scene, fresh)

    const pushed = await postForm(`${world.baseUrl}/api/oauth/par`, {
      client_id: client.clientId,
      client_secret: client.clientSecret,
      redirect_uri: client.redirectUri,
      response_type: 'code',
      ...query,
    })
    const requestUri = secret('pushed request', pushed.json.request_uri)
    scene.page(
      await browser.visit(
        `${world.baseUrl}/auth/consent?${new URLSearchParams({ client_id: client.clientId, request_uri: requestUri })}`,
        world,
      ),
    )

    const { verifier, challenge } = pkce()
    secret('PKCE verifier', verifier)
    const code = secret(
      'code',
      await codeFor(world, browser, client, { code_challenge: challenge, code_challenge_method: 'S256' }),
    )
    const first = scene.tokens(await redeem(world, client, code, { code_verifier: verifier }))
    const second = scene.tokens(await refresh(world, client, first.refresh))
    assert.equal((await userinfo(world, second.access)).status, 200)
    await introspect(world, client, second.access)
    await introspect(world, client, second.refresh)
    assert.equal((await refresh(world, client, first.refresh)).status, 400)
    assert.equal((await redeem(world, client, code, { code_verifier: verifier })).status, 400)
    assert.equal((await userinfo(world, second.access)).status, 401)

    const third = scene.tokens(await redeem(world, client, secret('code', await codeFor(world, browser, client))))
    assert.equal((await revoke(world, { token: third.access })).status, 200)
    assert.equal((await revoke(world, { token: third.refresh })).status, 200)
    await assertNothingLogged(scene)
  })

  test('wrong passwords, PINs and form tokens are not logged, up to the rate limit and the PIN lock', async (t) => {
    const scene = await openScene(t)
    const { world, client, browser, secret } = scene
    const stranger = new Browser()
    secret('wrong password', wrong.password)
    secret('wrong PIN', wrong.pin)
    for (let attempt = 0; attempt < 12; attempt += 1) {
      const page = scene.page(await stranger.get(`${world.baseUrl}/sign-in`))
      await stranger.submit(page, { email: person.email, password: wrong.password }, '/sign-in')
    }
    const url = consentUrl(world, client, { scope: 'user.email' })
    for (let attempt = 0; attempt < 6; attempt += 1) {
      const page = scene.page(await browser.visit(url, world))
      await browser.submit(page, { pin: wrong.pin }, '/unlock')
    }
    const forged = new URLSearchParams({
      form_token: secret('forged form token', randomBytes(32).toString('base64url')),
    })
    forged.set('pin', person.pin)
    await browser.post(`${world.baseUrl}/unlock`, forged)
    await browser.post(`${world.baseUrl}/account/pin`, forged)
    noteCookies(scene, stranger)
    await assertNothingLogged(scene)
  })

  test('the portal (sign-in, registration, secret, rotation, test run) logs no secret', async (t) => {
    const scene = await openScene(t)
    const { world, browser, secret } = scene
    scene.page(await browser.visit(world.portalUrl, world))
    const form = scene.page(await browser.visit(`${world.portalUrl}/apps/new`, world))
    const registration = { name: 'Portal app', website_url: 'https://p.example', redirect_uris: 'https://p.example/cb' }
    const registered = scene.page(await browser.submit(form, registration, '/apps/new'))
    secret('client secret', testId(registered, 'client-secret'))
    const question = scene.page(await browser.get(`${registered.location}/secret`))
    const rotated = scene.page(await browser.submit(question, {}, '/secret'))
    secret('rotated client secret', testId(rotated, 'client-secret'))
    const settings = scene.page(await browser.get(`${registered.location}?redirect_uri=x&pkce=S256`))
    secret('PKCE verifier', testId(settings, 'code-verifier'))
    const tryIt = scene.page(await browser.get(`${registered.location}/try-outs`))
    const asked = await browser.submit(tryIt, { scope: 'user.identify offline_access' }, '/try-outs')
    const consent = scene.page(await browser.onward(asked, world))
    const back = await browser.submit(consent, { decision: 'allow' }, '/auth/consent')
    secret('code', back.location?.searchParams.get('code') as string)
    const triedOut = scene.page(await browser.onward(back, world))
    for (const [token] of triedOut.text.matchAll(/svc_(?:at|rt)_\w{72}/g)) secret('token of a try-out', token)
    secret('PKCE verifier', /code_verifier=([\w-]{43})/.exec(triedOut.text)?.[1] as string)
    await assertNothingLogged(scene)
  })

  test('webhooks and the runtime link log no secret, with valid or wrong keys', async (t) => {
    const scene = await openScene(t)
    const { world, secret } = scene
    await provision(world, 'PUT', '/v1/bots/lantern', {
      ownerId: ada.id,
      name: 'L',
      chatPlatformId: '215215215215215215',
      hostingEnabled: true,
    })
    const flow = await provision(world, 'PUT', '/v1/bots/lantern/flows/alerts', {
      kind: 'event',
      name: 'Alerts',
      webhook: { path: 'alerts', requiresKey: true },
    })
    const key = secret('flow key', flow.json.webhook.key)
    const made = await provision(world, 'POST', '/v1/runtimes', { name: 'r', botIds: '*' })
    const { runtime } = await BotRuntime.ready(t, world, secret('runtime key', made.json.key))
    const body = secret('webhook body', 'a webhook body, in the clear')
    const post = (path: string, headers: Record<string, string>, sent: string = body) =>
      fetch(`${world.apiUrl}${path}`, { method: 'POST', headers, body: sent })
    assert.equal((await post(`/lantern/alerts?token=${key}`, { 'svc-key': key })).status, 202)
    const dispatch = await runtime.next('dispatch')
    runtime.send({ type: 'nack', delivery: dispatch.delivery, error: 'no' })
    runtime.send({ type: 'log', entries: [{ botId: 'lantern', level: 'info', message: body }] })
    const wrongKey = secret('wrong flow key', `svc_fk_${'w'.repeat(48)}`)
    assert.equal((await post('/lantern/alerts', { 'svc-key': wrongKey })).status, 401)
    assert.equal((await post('/lantern/nowhere', { 'svc-key': key })).status, 404)
    await post('/lantern/alerts', { 'svc-key': key }, body.repeat(50_000)).catch(() => undefined)
    const refused = new BotRuntime(t, world, { key: secret('wrong runtime key', `svc_rk_${'w'.repeat(48)}`) })
    assert.equal((await refused.closed).code, 4001)
    runtime.send(`{"type":"ready","key":"${key}", malformed`)
    await runtime.closed
    await assertNothingLogged(scene)
  })

  test('the control surface never logs a secret, whether keys and bodies are valid or not', async (t) => {
    const scene = await openScene(t)
    const { world, secret } = scene
    const put = (body: string, key: string) =>
      fetch(`${world.controlUrl}/v1/users/grace?password=${encodeURIComponent(person.password)}`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body,
      })
    const password = secret('password of another', 'harbour of the gate')
    const statuses = [
      await put(JSON.stringify({ name: 'Grace', password, pin: person.pin }), world.operatorKey),
      await put(JSON.stringify({ name: 'Grace', password, pin: `${person.pin}x` }), world.operatorKey),
      await put(JSON.stringify({ name: 'Grace', [password]: person.pin }), world.operatorKey),
      await put(`{"name":"Grace","password":"${password}`, world.operatorKey),
      await put(password, world.operatorKey),
      await put('{}', secret('wrong operator key', 'not-the-operator-key-not-the-operator-key')),
    ].map((response) => response.status)
    assert.deepEqual(statuses, [201, 400, 400, 400, 400, 401])
    const made = await provision(world, 'POST', '/v1/operator-keys', { name: 'deploy', access: 'read' })
    const named = secret('named operator key', made.json.key)
    assert.equal((await put('{}', named)).status, 403)
    assert.equal((await put('{}', `${named}x`)).status, 401)
    await assertNothingLogged(scene)
  })

  test('no secret in a mistaken or malformed request is logged', async (t) => {
    const scene = await openScene(t)
    const { world, client, browser, secret } = scene
    const code = secret('code', await codeFor(world, browser, client))
    const { access, refresh: refreshToken } = scene.tokens(await redeem(world, client, code))
    const elsewhere = [world.baseUrl, world.portalUrl, world.apiUrl, world.controlUrl]
    for (const url of elsewhere) {
      await browser.get(
        `${url}/nowhere?code=${code}&access_token=${access}&password=${encodeURIComponent(person.password)}`,
      )
      await browser.get(`${url}/${code}/${access}`)
      const raw = await RawConnection.to(t, url)
      raw.write(`GET /?code=${code} HTTP/1.1\r\nauthorization: Bearer ${access}\r\nbad header\r\n\r\n`)
    }
    const token = `${world.baseUrl}/api/oauth/token`
    const fields = { grant_type: 'authorization_code', code, client_id: client.clientId, redirect_uri: redirectUri }
    await postForm(token, { ...fields, client_secret: secret('wrong client secret', `svc_cs_${'w'.repeat(48)}`) })
    await postForm(token, fields, { authorization: `Basic ${btoa(`${client.clientId}:${client.clientSecret}`)}` })
    await postForm(token, fields, { authorization: `Basic ${client.clientSecret}%%%` })
    const bodies: [string, string][] = [
      ['application/json', `{"client_secret":"${client.clientSecret}","code":"${code}`],
      ['application/json', `"${code}"`],
      ['application/json', code],
      ['text/plain', code],
      ['multipart/form-data; boundary=x', `--x\r\n${code}`],
      ['application/x-www-form-urlencoded', `code=${code}&code=${code}&${'x'.repeat(70_000)}`],
    ]
    for (const [contentType, body] of bodies) {
      for (const path of [
        '/api/oauth/token',
        '/api/oauth/revoke',
        '/api/oauth/introspect',
        '/sign-in',
        '/auth/consent',
      ]) {
        await fetch(world.baseUrl + path, { method: 'POST', headers: { 'content-type': contentType }, body })
      }
    }
    await fetch(`${world.baseUrl}/api/oauth/userinfo?access_token=${access}`)
    await userinfo(world, `${access}x`)
    await userinfo(world, refreshToken)
    await revoke(world, { token: code })
    await browser.get(consentUrl(world, client, { state: secret('state', wrong.state), scope: code }))
    await browser.get(consentUrl(world, { ...client, redirectUri: `https://evil.example/?${code}` }))
    await browser.get(consentUrl(world, { ...client, redirectUri: `https://evil.example:${access}` }))
    await browser.get(`${world.baseUrl}/auth/consent?attempt=${code}`)
    await assertNothingLogged(scene)
  })

  test('no secret is logged while the database lacks some tables', async (t) => {
    const scene = await openScene(t)
    const { world, client, browser, secret } = scene
    const code = secret('code', await codeFor(world, browser, client))
    const { access, refresh: refreshToken } = scene.tokens(await redeem(world, client, code))
    const database = new DatabaseSync(join(world.dataDir, 'identity.sqlite'))
    const tables = ['token_families', 'access_tokens', 'sessions', 'users', 'flows', 'client_secrets', 'runtimes']
    database.exec('PRAGMA foreign_keys = OFF')
    for (const table of tables) database.exec(`ALTER TABLE ${table} RENAME TO lost_${table}`)
    database.close()

    const statuses = [
      (await redeem(world, client, code)).status,
      (await refresh(world, client, refreshToken)).status,
      (await userinfo(world, access)).status,
      (await revoke(world, { token: refreshToken })).status,
      (await browser.get(`${world.baseUrl}/account`)).status,
      (await provision(world, 'PUT', '/v1/users/ada', { name: 'Ada', password: person.password })).status,
    ]
    assert.deepEqual([...new Set(statuses)], [500])
    const webhook = {
      method: 'POST',
      body: 'x',
      headers: { 'svc-key': secret('flow key', `svc_fk_${'k'.repeat(48)}`) },
    }
    await fetch(`${world.apiUrl}/lantern/alerts`, webhook)
    const signIn = await new Browser().get(`${world.baseUrl}/sign-in`)
    await new Browser().submit(signIn, person, '/sign-in')
    assert.match(world.logs(), /no such table/)
    await assertNothingLogged(scene)
  })
})

function introspect(world: World, client: Client, token: string) {
  const { clientId: client_id, clientSecret: client_secret } = client
  return postForm(`${world.baseUrl}/api/oauth/introspect`, { client_id, client_secret, token })
}

function testId(page: Answer, id: string): string {
  const text = new RegExp(`data-testid="${id}"[^>]*>([^<]+)<`).exec(page.text)?.[1]
  assert.ok(text, `no ${id} in ${page.text}`)
  return text.trim()
}
