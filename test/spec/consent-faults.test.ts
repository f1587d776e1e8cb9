import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ada,
  adaWithClient,
  allow,
  answerOf,
  Browser,
  codeFor,
  consentUrl,
  openClient,
  pkce,
  provision,
  queryOf,
  redeem,
  redirectUri,
  signedIn,
  without,
} from '../support/people.ts'
import { openWorld } from '../support/world.ts'

test('an unknown client or unregistered redirect URI gets a 400 page before any sign-in, without a redirect', async (t) => {
  const { world, client } = await openClient(t)
  const url = consentUrl(world, client)
  const twice = `&redirect_uri=${encodeURIComponent(redirectUri)}`
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
    `${url}${twice}`,
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
    const acme = '/v1/applications/acme'
    const { status } = change.startsWith('the application')
      ? await provision(world, 'DELETE', acme)
      : await provision(world, 'PUT', acme, {
          ...{ ownerId: ada.id, name: 'Acme Dashboard', websiteUrl: 'https://client.example' },
          redirectUris: [`${redirectUri}/other`],
        })
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

test('invalid requests from a known client with a registered redirect URI redirect with error and state, but without a repeated state', async (t) => {
  const { world, client } = await openClient(t)
  const url = consentUrl(world, client)
  const { challenge } = pkce()
  for (const [faulty, error] of [
    [without(url, 'response_type'), 'invalid_request'],
    [consentUrl(world, client, { response_type: 'token' }), 'unsupported_response_type'],
    [without(url, 'scope'), 'invalid_request'],
    [consentUrl(world, client, { scope: '  ' }), 'invalid_request'],
    [consentUrl(world, client, { scope: 'user.identify no.such.scope' }), 'invalid_scope'],
    [`${url}&scope=bots.read`, 'invalid_request'],
    [`${url}&consent=skip&consent=skip`, 'invalid_request'],
    [`${url}&code_challenge=${challenge}&code_challenge=${challenge}&code_challenge_method=S256`, 'invalid_request'],
    [consentUrl(world, client, { response_type: 'CODE' }), 'unsupported_response_type'],
    [consentUrl(world, client, { scope: 'USER.identify' }), 'invalid_scope'],
    [consentUrl(world, client, { code_challenge: challenge }), 'invalid_request'],
    [consentUrl(world, client, { code_challenge: challenge, code_challenge_method: 'plain' }), 'invalid_request'],
    [consentUrl(world, client, { code_challenge: 'short', code_challenge_method: 'S256' }), 'invalid_request'],
    [consentUrl(world, client, { code_challenge_method: 'S256' }), 'invalid_request'],
  ] as const) {
    const answer = await new Browser().get(faulty)
    assert.equal(answer.status, 302, faulty)
    const { error_description, ...rest } = queryOf(answer.location)
    assert.deepEqual(rest, { error, state: 'the-state' }, faulty)
    assert.ok(error_description)
  }

  const answer = await new Browser().get(`${consentUrl(world, client)}&state=another`)
  const { error, error_description, state } = queryOf(answer.location)
  assert.deepEqual([error, state], ['invalid_request', undefined])
  assert.match(error_description ?? '', /state is repeated/)
})

test('our choice (RFC 7636): if the application requires PKCE, a request without code_challenge redirects with invalid_request', async (t) => {
  const world = await openWorld(t)
  const client = await adaWithClient(world, { requirePkce: true })
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
    assert.deepEqual(
      queryOf(location),
      { error: 'invalid_scope', error_description: description, state: 'the-state' },
      scope,
    )
  }
})

test('our choice: an authorization request by POST, also from another site, continues as the same request by GET (RFC 6749 section 3.1)', async (t) => {
  const { world, client } = await openClient(t)
  const endpoint = `${world.baseUrl}/auth/consent`
  const elsewhere = { origin: 'https://client.example', 'sec-fetch-site': 'cross-site' }
  const post = (body: string, headers: Record<string, string> = elsewhere) =>
    fetch(endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body,
      redirect: 'manual',
    })
  const query = (url: string) => url.slice(url.indexOf('?') + 1)
  const asked = query(consentUrl(world, client, { state: 'a b+c&d=e%/?#"<é€' }))
  for (const body of [
    asked,
    `${asked}&state=again`,
    'client_id=none',
    asked.replace(/state=[^&]*/, 'state=%FF%00%0D'),
  ]) {
    const answer = await post(body)
    assert.deepEqual([answer.status, answer.headers.get('location')], [303, `/auth/consent?${body}`])
  }
  assert.equal(
    (await post('client_id=a#b é\r\nx: y')).headers.get('location'),
    '/auth/consent?client_id=a%23b%20%C3%A9%0D%0Ax:%20y',
  )
  assert.equal((await post('')).status, 403)
  assert.equal((await post(asked, { origin: 'null' })).status, 303)

  const browser = await signedIn(world)
  const consent = await browser.visit(new URL((await post(asked)).headers.get('location') ?? '', endpoint), world)
  const answer = await browser.submit(consent, { decision: 'allow' }, '/auth/consent')
  assert.equal(answer.location?.searchParams.get('state'), 'a b+c&d=e%/?#"<é€')

  // A decision counts only from our own page.
  const decision = new URLSearchParams({
    attempt: new URL(consent.url).searchParams.get('attempt') ?? '',
    decision: 'allow',
  })
  const forged = await post(String(decision), { ...elsewhere, cookie: browser.cookieHeader() })
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
  const url = `${consentUrl(world, client, { scope, approval_prompt: 'auto', nonce: 'x' })}&${resources}`
  const { code = '', ...rest } = queryOf(await allow(world, browser, url))
  assert.deepEqual(rest, { state: 'the-state' })
  const { redirectUri } = client
  const first = await post('token', { grant_type: 'authorization_code', code, redirect_uri: redirectUri })
  assert.deepEqual([first.status, first.json.scope], [200, 'user.identify offline_access'])
  const second = await post('token', { grant_type: 'refresh_token', refresh_token: first.json.refresh_token })
  assert.equal(second.status, 200)
  const pushed = await post('par', Object.fromEntries(new URL(consentUrl(world, client)).searchParams))
  assert.equal(pushed.status, 201)
})
