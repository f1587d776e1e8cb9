import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import {
  aClient,
  ada,
  allow,
  answerOf,
  Browser,
  codeFor,
  consentUrl,
  openAda,
  openClient,
  pkce,
  postForm,
  provision,
  push,
  queryOf,
  redeem,
  redirectUri,
  signedIn,
  without,
} from '../support/people.ts'

test('an unknown client or unregistered redirect URI gets a 400 page before any sign-in, without a redirect', async (t) => {
  const { world, client } = await openClient(t)
  const url = consentUrl(world, client)
  for (const faulty of [
    without(url, 'client_id'),
    without(url, 'redirect_uri'),
    consentUrl(world, { ...client, clientId: 'svc_ci_nobody' }),
    consentUrl(world, { ...client, redirectUri: 'https://evil.example/callback' }),
    consentUrl(world, { ...client, redirectUri: `${redirectUri}/` }),
    consentUrl(world, { ...client, redirectUri: '' }),
    // The client and the redirect URI are checked before any other parameter.
    consentUrl(world, { ...client, redirectUri: 'https://evil.example/' }, { response_type: 'token', scope: '' }),
    `${url}&client_id=${client.clientId}`,
    `${url}&redirect_uri=${encodeURIComponent(redirectUri)}`,
  ]) {
    const answer = await new Browser().get(faulty)
    assert.equal(answer.status, 400, faulty)
    assert.equal(answer.location, undefined)
    assert.match(answer.headers.get('content-type') ?? '', /^text\/html/)
  }
})

for (const [change, says] of [
  ['the application is deleted', /The application is not registered here, or was deleted\./],
  ['the redirect URI is removed', /This redirect URI is not registered for Acme Dashboard\./],
] as const) {
  test(`our choice: if ${change} while users sign in, enter a PIN or decide, they continue to a page that says so`, async (t) => {
    const { world, client, browser } = await openClient(t)
    const deciding = await browser.visit(consentUrl(world, client), world)
    const needingPin = consentUrl(world, client, { scope: 'user.email' })
    const unlocking = await browser.visit(needingPin, world)
    const stranger = new Browser()
    const signingIn = await stranger.visit(needingPin, world)
    const acme = { ownerId: ada.id, name: 'Acme Dashboard', websiteUrl: 'https://client.example' }
    const { status } = change.startsWith('the application')
      ? await provision(world, 'DELETE', '/v1/applications/acme')
      : await provision(world, 'PUT', '/v1/applications/acme', { ...acme, redirectUris: [`${redirectUri}/other`] })
    assert.ok(status < 300)
    for (const page of [
      await browser.get(deciding.url),
      await browser.submit(deciding, { decision: 'allow' }, '/auth/consent'),
      await browser.onward(await browser.submit(unlocking, { pin: ada.pin }, '/unlock'), world),
      await stranger.onward(await stranger.submit(signingIn, ada, '/sign-in'), world),
    ]) {
      assert.deepEqual([page.status, page.location], [400, undefined])
      assert.match(page.text, says)
    }
  })
}

test('invalid requests from a known client with a registered redirect URI redirect with error and state, but without a repeated state; our choice: if the request is pushed, the response has the same error', async (t) => {
  const { world, client } = await openClient(t)
  const asked = (query: Record<string, string> = {}) => consentUrl(world, client, query)
  const { challenge } = pkce()
  const pkceQuery = { code_challenge: challenge, code_challenge_method: 'S256' }
  const repeatedState = `${asked()}&state=another`
  for (const [faulty, code] of [
    [without(asked(), 'response_type'), 'invalid_request'],
    [asked({ response_type: 'token' }), 'unsupported_response_type'],
    [asked({ response_type: 'CODE' }), 'unsupported_response_type'],
    [without(asked(), 'scope'), 'invalid_request'],
    [asked({ scope: '  ' }), 'invalid_request'],
    [asked({ scope: 'user.identify no.such.scope' }), 'invalid_scope'],
    [asked({ scope: 'USER.identify' }), 'invalid_scope'],
    [repeatedState, 'invalid_request'],
    [`${asked()}&scope=bots.read`, 'invalid_request'],
    [`${asked()}&consent=skip&consent=skip`, 'invalid_request'],
    [`${asked(pkceQuery)}&code_challenge=${challenge}`, 'invalid_request'],
    [asked({ code_challenge: challenge }), 'invalid_request'],
    [asked({ code_challenge: challenge, code_challenge_method: 'plain' }), 'invalid_request'],
    [asked({ code_challenge: 'short', code_challenge_method: 'S256' }), 'invalid_request'],
    [asked({ code_challenge_method: 'S256' }), 'invalid_request'],
  ] as const) {
    const answer = await new Browser().get(faulty)
    const { state, ...error } = queryOf(answer.location)
    assert.deepEqual([answer.status, error.error], [302, code], faulty)
    assert.equal(state, faulty === repeatedState ? undefined : 'the-state')
    assert.ok(error.error_description)
    const pushed = await push(world, client, faulty)
    assert.deepEqual([pushed.status, pushed.json], [400, error], faulty)
  }
})

test('our choice (RFC 7636): if the application requires PKCE, a request without code_challenge redirects with invalid_request', async (t) => {
  const { world, client } = await openAda(t, {}, { requirePkce: true })
  const answer = await new Browser().get(consentUrl(world, client))
  assert.deepEqual([answer.status, answer.text], [302, ''])
  assert.equal(String(answer.location).split('?')[0], client.redirectUri)
  assert.deepEqual(queryOf(answer.location), {
    error: 'invalid_request',
    error_description: 'This application requires PKCE. Send code_challenge with method S256.',
    state: 'the-state',
  })

  const { verifier, challenge } = pkce()
  const query = { code_challenge: challenge, code_challenge_method: 'S256' }
  const code = await codeFor(world, await signedIn(world), client, query)
  assert.equal((await redeem(world, client, code)).json.error, 'invalid_grant')
  assert.equal((await redeem(world, client, code, { code_verifier: verifier })).status, 200)
})

test('our choice: the error invalid_scope names the scope, unless its name could be a secret or has unusual characters', async (t) => {
  const { world, client } = await openClient(t)
  for (const [scope, named] of [
    ['user.identify bot.read', 'The scope bot.read'],
    ['https://idp.example/auth/profile', 'The scope https://idp.example/auth/profile'],
    ['svc_cs_0123456789abcdef', 'A requested scope'],
    ['a"b\\c', 'A requested scope'],
    ['é', 'A requested scope'],
    ['x'.repeat(101), 'A requested scope'],
  ] as const) {
    const { location } = await new Browser().get(consentUrl(world, client, { scope }))
    const description = `${named} does not exist. The scopes are listed in the OpenAPI description.`
    const error = { error: 'invalid_scope', error_description: description, state: 'the-state' }
    assert.deepEqual(queryOf(location), error, scope)
  }
})

test('our choice: an authorization request by POST, also from another site, continues as the same request by GET (RFC 6749 section 3.1)', async (t) => {
  const { world, client } = await openClient(t)
  const endpoint = `${world.baseUrl}/auth/consent`
  const elsewhere = { origin: 'https://client.example', 'sec-fetch-site': 'cross-site' }
  const post = (body: string, more: Record<string, string> = {}) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', ...elsewhere, ...more }
    return fetch(endpoint, { method: 'POST', headers, body, redirect: 'manual' })
  }
  const asked = new URL(consentUrl(world, client, { state: 'a b+c&d=e%/?#"<é€' })).search.slice(1)
  const otherBytes = asked.replace(/state=[^&]*/, 'state=%FF%00%0D')
  for (const [body, query] of [
    ...[asked, `${asked}&state=again&attempt=2`, 'client_id=none', otherBytes].map((body) => [body, body]),
    ['client_id=a#b é\r\nx: y', 'client_id=a%23b%20%C3%A9%0D%0Ax:%20y'],
  ] as const) {
    const answer = await post(body)
    assert.deepEqual([answer.status, answer.headers.get('location')], [303, `/auth/consent?${query}`])
  }
  assert.deepEqual([(await post('')).status, (await post(asked, { origin: 'null' })).status], [403, 303])

  const browser = await signedIn(world)
  const consent = await browser.visit(`${endpoint}?${asked}`, world)
  // A decision counts only from our own page.
  const attempt = new URL(consent.url).searchParams.get('attempt')
  const forged = await post(`attempt=${attempt}&decision=allow`, { cookie: browser.cookieHeader() })
  assert.equal(forged.status, 403)
  assert.match(await forged.text(), /<h1>Another site sent this form<\/h1>/)
})

test('our choice: unknown parameters are ignored at each endpoint (RFC 6749 section 3.1), also repeated ones, such as the resource indicators of MCP clients (RFC 8707); scopes may be separated by commas', async (t) => {
  const { world, client, browser } = await openClient(t)
  const resources = new URLSearchParams(['https://one.example/mcp', 'two'].map((resource) => ['resource', resource]))
  const post = (path: string, fields: Record<string, string>) =>
    fetch(`${world.baseUrl}/api/oauth/${path}`, {
      method: 'POST',
      body: new URLSearchParams([
        ...Object.entries({ client_id: client.clientId, client_secret: client.clientSecret, ...fields }),
        ...resources,
      ]),
    }).then(answerOf)
  const scope = 'user.identify,offline_access'
  const url = `${consentUrl(world, client, { scope, approval_prompt: 'auto', attempt: '2' })}&${resources}`
  const { code = '', ...rest } = queryOf(await allow(world, browser, url))
  assert.deepEqual(rest, { state: 'the-state' })
  const first = await post('token', { grant_type: 'authorization_code', code, redirect_uri: client.redirectUri })
  assert.deepEqual([first.status, first.json.scope], [200, 'user.identify offline_access'])
  const second = await post('token', { grant_type: 'refresh_token', refresh_token: first.json.refresh_token })
  assert.equal(second.status, 200)
  const pushed = await post('par', Object.fromEntries(new URL(consentUrl(world, client)).searchParams))
  assert.equal(pushed.status, 201)
})

async function openPush(t: TestContext) {
  const scene = await openClient(t)
  const { world, client } = scene
  const push = (more: Record<string, string> = {}) => {
    const asked = Object.fromEntries(new URL(consentUrl(world, client, { state: 'a b&c' })).searchParams)
    return postForm(`${world.baseUrl}/api/oauth/par`, { client_secret: client.clientSecret, ...asked, ...more })
  }
  const urlOf = (requestUri: string, { clientId } = client) =>
    `${world.baseUrl}/auth/consent?${new URLSearchParams({ client_id: clientId, request_uri: requestUri })}`
  return { ...scene, push, urlOf }
}

describe('our choice: POST {base_url}/api/oauth/par (RFC 9126)', () => {
  test('a pushed request is valid for 90 seconds, for the client that pushed it alone, and yields a code as any authorization request does', async (t) => {
    const { world, client, browser, push, urlOf } = await openPush(t)
    const { status, json } = await push()
    const { request_uri: requestUri, ...rest } = json
    assert.deepEqual([status, rest], [201, { expires_in: 90 }])
    assert.match(requestUri, /^urn:ietf:params:oauth:request_uri:/)

    const { code = '', state } = queryOf(await allow(world, browser, urlOf(requestUri)))
    assert.equal(state, 'a b&c')
    assert.equal((await redeem(world, client, code)).status, 200)
    assert.equal((await browser.get(urlOf(requestUri, await aClient(world, 'other')))).status, 400)

    await provision(world, 'POST', '/v1/applications/acme/disable')
    assert.match((await browser.get(urlOf(requestUri))).text, /The operator disabled Acme Dashboard/)
    await provision(world, 'POST', '/v1/applications/acme/enable')
    await world.clock.advance(90_000)
    assert.equal((await browser.get(urlOf(requestUri))).status, 400)
  })

  test('only client_id and request_uri count in the consent URL, and each must occur exactly once', async (t) => {
    const { world, browser, push, urlOf } = await openPush(t)
    const url = urlOf((await push()).json.request_uri)
    const more = { redirect_uri: 'https://evil.example/', scope: 'user.email', state: 'other', response_type: 'x' }
    const page = await browser.visit(`${url}&${new URLSearchParams(more)}`, world)
    const { error, state } = queryOf((await browser.submit(page, { decision: 'deny' }, '/auth/consent')).location)
    assert.deepEqual([error, state], ['access_denied', 'a b&c'])

    const repeated = [...new URL(url).searchParams].map((pair) => `${url}&${new URLSearchParams([pair])}`)
    for (const faulty of [...repeated, without(url, 'client_id')]) {
      const answer = await browser.get(faulty)
      assert.deepEqual([answer.status, answer.location], [400, undefined], faulty)
    }
  })

  test('a pushed request needs the client secret, a registered redirect URI and no request_uri', async (t) => {
    const { push } = await openPush(t)
    for (const [more, status, error] of [
      [{ client_secret: 'wrong' }, 401, 'invalid_client'],
      [{ redirect_uri: 'https://elsewhere.example' }, 400, 'invalid_request'],
      [{ request_uri: 'urn:ietf:params:oauth:request_uri:x' }, 400, 'invalid_request'],
    ] as const) {
      const answer = await push(more)
      assert.deepEqual([answer.status, answer.json.error], [status, error], JSON.stringify(more))
      assert.ok(answer.json.error_description)
    }
  })
})
