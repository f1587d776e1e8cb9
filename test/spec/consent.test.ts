import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import {
  aClient,
  ada,
  adaWithClient,
  allow,
  answerOf,
  Browser,
  type Client,
  codeFor,
  consentUrl,
  pkce,
  provision,
  redeem,
  redirectUri,
  signedIn,
} from '../support/people.ts'
import { openWorld, type World } from '../support/world.ts'

interface Scene {
  world: World
  client: Client
  browser: Browser
}

async function openScene(t: TestContext, env: Record<string, string> = {}): Promise<Scene> {
  const world = await openWorld(t, env)
  const client = await adaWithClient(world)
  return { world, client, browser: await signedIn(world) }
}

/** Address with one parameter left out. */
function without(url: string, name: string): string {
  const changed = new URL(url)
  changed.searchParams.delete(name)
  return String(changed)
}

/** The answer the application gets, as a plain object of its query. */
function queryOf(location: URL | undefined): Record<string, string> {
  assert.ok(location, 'there is no redirect')
  return Object.fromEntries(location.searchParams)
}

describe('GET {base_url}/auth/consent', () => {
  test('success redirects to the redirect URI with code and state appended', async (t) => {
    const { world, client, browser } = await openScene(t)
    const location = await allow(world, browser, consentUrl(world, client))
    const { code, ...rest } = queryOf(location)
    assert.equal(location.origin + location.pathname, redirectUri)
    assert.match(code ?? '', /^svc_ac_[A-Za-z0-9_]+$/)
    assert.deepEqual(rest, { state: 'the-state' })
  })

  test('denial redirects with error=access_denied and state', async (t) => {
    const { world, client, browser } = await openScene(t)
    const page = await browser.visit(consentUrl(world, client), world)
    const answer = await browser.submit(page, { decision: 'deny' }, '/auth/consent')
    assert.equal(answer.status, 303)
    const description = encodeURIComponent('The user denied the request.')
    assert.equal(
      String(answer.location),
      `${redirectUri}?error=access_denied&error_description=${description}&state=the-state`,
    )
  })

  test('a signed-out user signs in first and comes back to the same request', async (t) => {
    const { world, client } = await openScene(t)
    const browser = new Browser()
    const signIn = await browser.visit(consentUrl(world, client), world)
    assert.equal(new URL(signIn.url).pathname, '/sign-in')
    const consent = await browser.onward(
      await browser.submit(signIn, { email: ada.email, password: ada.password }, '/sign-in'),
      world,
    )
    assert.equal(new URL(consent.url).pathname, '/auth/consent')
    assert.match(consent.text, /Acme Dashboard/)
    const answer = await browser.submit(consent, { decision: 'allow' }, '/auth/consent')
    assert.equal(queryOf(answer.location).state, 'the-state')
  })

  test('the screen appears unless consent=skip is sent, also when everything is granted already', async (t) => {
    const { world, client, browser } = await openScene(t)
    await allow(world, browser, consentUrl(world, client))
    const page = await browser.visit(consentUrl(world, client), world)
    assert.equal(page.status, 200)
    assert.match(page.text, />\s*Allow\s*</)
    assert.match(page.text, />\s*Deny\s*</)
  })

  test('consent=skip bypasses the consent screen when the user has already granted all requested scopes', async (t) => {
    const { world, client, browser } = await openScene(t)
    await allow(world, browser, consentUrl(world, client, { scope: 'user.identify bots.read' }))
    for (const skip of [{ consent: 'skip' }, { prompt: 'none' }]) {
      const answer = await browser.get(consentUrl(world, client, { scope: 'bots.read', ...skip }))
      assert.equal(answer.status, 302)
      const { code, ...rest } = queryOf(answer.location)
      assert.match(code ?? '', /^svc_ac_/)
      assert.deepEqual(rest, { state: 'the-state' })
    }
  })

  test('if more scopes are needed the redirect carries error=consent_required', async (t) => {
    const { world, client, browser } = await openScene(t)
    await allow(world, browser, consentUrl(world, client, { scope: 'user.identify' }))
    const answer = await browser.get(consentUrl(world, client, { scope: 'user.identify bots.read', consent: 'skip' }))
    assert.equal(answer.status, 302)
    assert.equal(String(answer.location), `${redirectUri}?error=consent_required&state=the-state`)
  })

  test('grants of one user to one application add up', async (t) => {
    const { world, client, browser } = await openScene(t)
    await allow(world, browser, consentUrl(world, client, { scope: 'user.identify' }))
    await allow(world, browser, consentUrl(world, client, { scope: 'bots.read' }))
    const both = consentUrl(world, client, { scope: 'bots.read user.identify', consent: 'skip' })
    assert.ok(queryOf((await browser.get(both)).location).code)
    const other = await aClient(world, 'other')
    const elsewhere = consentUrl(world, other, { scope: 'bots.read', consent: 'skip' })
    assert.equal(queryOf((await browser.get(elsewhere)).location).error, 'consent_required')
  })

  test('with consent=skip a signed-out user still signs in first and a locked PIN is still asked for', async (t) => {
    const { world, client, browser } = await openScene(t)
    const scope = 'user.email'
    await allow(world, browser, consentUrl(world, client, { scope }))
    const fresh = new Browser()
    const signIn = await fresh.visit(consentUrl(world, client, { scope, consent: 'skip' }), world)
    assert.equal(new URL(signIn.url).pathname, '/sign-in')
    const unlock = await fresh.onward(
      await fresh.submit(signIn, { email: ada.email, password: ada.password }, '/sign-in'),
      world,
    )
    assert.equal(new URL(unlock.url).pathname, '/unlock')
    const done = await fresh.onward(await fresh.submit(unlock, { pin: ada.pin }, '/unlock'), world)
    assert.ok(queryOf(done.location).code)
  })

  test('state is returned byte for byte, whatever it contains, and not at all when none was sent', async (t) => {
    const { world, client, browser } = await openScene(t)
    for (const state of ['a b+c&d=e%/?#"<é€', '%FF%00%0D%0A', 'x'.repeat(2_000)]) {
      const encoded = state.startsWith('%FF') ? state : encodeURIComponent(state)
      const url = `${without(consentUrl(world, client), 'state')}&state=${encoded}`
      const page = await browser.visit(url, world)
      const answer = await browser.submit(page, { decision: 'deny' }, '/auth/consent')
      const raw = answer.headers.get('location')?.split('state=')[1] ?? ''
      const bytes = (text: string) => text.replace(/%(..)/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
      assert.equal(bytes(raw), bytes(encoded))
    }
    const bare = await browser.visit(without(consentUrl(world, client), 'state'), world)
    const answer = await browser.submit(bare, { decision: 'deny' }, '/auth/consent')
    assert.match(answer.headers.get('location') ?? '', /\?error=access_denied&error_description=[^&]+$/)
  })

  test('an existing query in the redirect URI is kept', async (t) => {
    const { world, browser } = await openScene(t)
    const uri = 'https://client.example/callback?tenant=%41b&empty='
    const client = { ...(await aClient(world, 'tenant', { redirectUris: [uri] })), redirectUri: uri }
    const location = await allow(world, browser, consentUrl(world, client))
    assert.ok(String(location).startsWith(`${uri}&code=svc_ac_`), String(location))
  })

  for (const SEND_ISS of ['false', 'true']) {
    test(`no iss in redirects unless SEND_ISS=true, and the metadata says which: ${SEND_ISS}`, async (t) => {
      const { world, client, browser } = await openScene(t, { SEND_ISS })
      const metadata = await answerOf(await fetch(`${world.baseUrl}/.well-known/oauth-authorization-server`))
      assert.equal(metadata.json.issuer, world.baseUrl)
      assert.equal(metadata.json.authorization_response_iss_parameter_supported, SEND_ISS === 'true')

      const denied = await browser.submit(
        await browser.visit(consentUrl(world, client), world),
        { decision: 'deny' },
        '/auth/consent',
      )
      const skipped = await browser.get(consentUrl(world, client, { consent: 'skip' }))
      const faulty = await browser.get(consentUrl(world, client, { response_type: 'token' }))
      const allowed = await allow(world, browser, consentUrl(world, client))
      const iss = SEND_ISS === 'true' ? world.baseUrl : undefined
      for (const location of [denied.location, skipped.location, faulty.location, allowed]) {
        assert.equal(queryOf(location).iss, iss, String(location))
        assert.equal(queryOf(location).state, 'the-state')
      }
    })
  }

  test('the redirect that carries a code is kept by no cache and passed on by no referrer; it is 303 after a form, else 302', async (t) => {
    const { world, client, browser } = await openScene(t)
    const page = await browser.visit(consentUrl(world, client), world)
    const allowed = await browser.submit(page, { decision: 'allow' }, '/auth/consent')
    const skipped = await browser.get(consentUrl(world, client, { consent: 'skip' }))
    for (const [answer, status] of [
      [allowed, 303],
      [skipped, 302],
    ] as const) {
      assert.equal(answer.status, status)
      assert.match(queryOf(answer.location).code ?? '', /^svc_ac_/)
      assert.equal(answer.headers.get('cache-control'), 'no-store')
      assert.equal(answer.headers.get('referrer-policy'), 'no-referrer')
    }
  })

  test('pressing Allow twice, or going back and deciding again, decides again: no page is a dead end', async (t) => {
    const { world, client, browser } = await openScene(t)
    const page = await browser.visit(consentUrl(world, client), world)
    const twice = await Promise.all([
      browser.submit(page, { decision: 'allow' }, '/auth/consent'),
      browser.submit(page, { decision: 'allow' }, '/auth/consent'),
    ])
    const codes = twice.map((answer) => queryOf(answer.location).code ?? '')
    assert.notEqual(codes[0], codes[1])
    for (const code of codes) assert.equal((await redeem(world, client, code)).status, 200)
    const again = await browser.submit(await browser.get(page.url), { decision: 'deny' }, '/auth/consent')
    assert.deepEqual(queryOf(again.location), {
      error: 'access_denied',
      error_description: 'The user denied the request.',
      state: 'the-state',
    })
  })
})

describe('authorization request faults', () => {
  test('an unknown client or unregistered redirect URI answers its 400 page before any sign-in', async (t) => {
    const { world, client } = await openScene(t)
    const url = consentUrl(world, client)
    const twice = `&redirect_uri=${encodeURIComponent(redirectUri)}`
    for (const faulty of [
      without(url, 'client_id'),
      without(url, 'redirect_uri'),
      consentUrl(world, { ...client, clientId: 'svc_ci_nobody' }),
      consentUrl(world, { ...client, redirectUri: 'https://evil.example/callback' }),
      consentUrl(world, { ...client, redirectUri: `${redirectUri}/` }),
      consentUrl(world, { ...client, redirectUri: `${redirectUri}?x=1` }),
      consentUrl(world, { ...client, redirectUri: `${redirectUri}#` }),
      consentUrl(world, { ...client, redirectUri: `${redirectUri}#part` }),
      consentUrl(world, { ...client, redirectUri: 'https://client.example/Callback' }),
      consentUrl(world, { ...client, redirectUri: 'https://CLIENT.example/callback' }),
      consentUrl(world, { ...client, redirectUri: 'https://client.example:443/callback' }),
      consentUrl(world, { ...client, redirectUri: 'https://client.example/%63allback' }),
      consentUrl(world, { ...client, redirectUri: 'https://client.example/x/../callback' }),
      consentUrl(world, { ...client, redirectUri: 'https://client.example./callback' }),
      consentUrl(world, { ...client, redirectUri: 'https://user@client.example/callback' }),
      consentUrl(world, { ...client, redirectUri: 'https://client.example@evil.example/callback' }),
      consentUrl(world, { ...client, redirectUri: 'http://client.example/callback' }),
      consentUrl(world, { ...client, redirectUri: '' }),
      // Beside other faults too: who asks and where the answer goes is judged first.
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

  test('the other faults redirect with error and state', async (t) => {
    const { world, client } = await openScene(t)
    const url = consentUrl(world, client)
    const { challenge } = pkce()
    for (const [faulty, error] of [
      [without(url, 'response_type'), 'invalid_request'],
      [consentUrl(world, client, { response_type: 'token' }), 'unsupported_response_type'],
      [without(url, 'scope'), 'invalid_request'],
      [consentUrl(world, client, { scope: '  ' }), 'invalid_request'],
      [consentUrl(world, client, { scope: 'user.identify no.such.scope' }), 'invalid_scope'],
      [`${url}&scope=bots.read`, 'invalid_request'],
      [`${url}&response_type=code`, 'invalid_request'],
      [`${url}&consent=skip&consent=skip`, 'invalid_request'],
      [`${url}&prompt=none&prompt=login`, 'invalid_request'],
      [`${url}&code_challenge=${challenge}&code_challenge=${challenge}&code_challenge_method=S256`, 'invalid_request'],
      [consentUrl(world, client, { response_type: 'code token' }), 'unsupported_response_type'],
      [consentUrl(world, client, { response_type: 'CODE' }), 'unsupported_response_type'],
      [consentUrl(world, client, { scope: 'USER.identify' }), 'invalid_scope'],
      [consentUrl(world, client, { scope: ', ,' }), 'invalid_request'],
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
  })

  test('our choice (RFC 7636): an application that requires PKCE refuses a request without code_challenge, at its redirect URI', async (t) => {
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

  test('a repeated state redirects with invalid_request', async (t) => {
    const { world, client } = await openScene(t)
    const answer = await new Browser().get(`${consentUrl(world, client)}&state=another`)
    const { error_description, ...rest } = queryOf(answer.location)
    assert.deepEqual(rest, { error: 'invalid_request' })
    assert.match(error_description ?? '', /state is repeated/)
  })

  test('our choice: scopes may be separated by commas, unknown parameters are ignored (RFC 6749 section 3.1)', async (t) => {
    const { world, client, browser } = await openScene(t)
    const url = consentUrl(world, client, { scope: 'user.identify,bots.read', approval_prompt: 'auto', nonce: 'x' })
    const location = await allow(world, browser, url)
    assert.deepEqual(Object.keys(queryOf(location)), ['code', 'state'])
  })

  test('scopes declared by the operator can be requested and are described on the page', async (t) => {
    const { world, client, browser } = await openScene(t)
    const scope = 'calendar.read'
    assert.equal(queryOf((await browser.get(consentUrl(world, client, { scope }))).location).error, 'invalid_scope')
    await provision(world, 'PUT', `/v1/scopes/${scope}`, { description: 'See the events in your calendar' })
    const page = await browser.visit(consentUrl(world, client, { scope }), world)
    assert.match(page.text, /See the events in your calendar/)
  })
})

describe('authorization attempts', () => {
  test('two tabs of one application do not disturb each other', async (t) => {
    const { world, client, browser } = await openScene(t)
    const one = await browser.visit(consentUrl(world, client, { state: 'one' }), world)
    const other = await browser.visit(consentUrl(world, client, { state: 'other' }), world)
    const first = await browser.submit(one, { decision: 'allow' }, '/auth/consent')
    const second = await browser.submit(other, { decision: 'allow' }, '/auth/consent')
    assert.equal(queryOf(first.location).state, 'one')
    assert.equal(queryOf(second.location).state, 'other')
  })

  test('the form of one attempt does not get another past its PIN', async (t) => {
    const { world, client, browser } = await openScene(t)
    const unlock = await browser.visit(consentUrl(world, client, { scope: 'user.email' }), world)
    assert.equal(new URL(unlock.url).pathname, '/unlock')
    const attempt = new URL(unlock.url).searchParams.get('attempt') ?? ''
    const harmless = await browser.visit(consentUrl(world, client), world)
    const answer = await browser.submit(harmless, { decision: 'allow', attempt }, '/auth/consent')
    assert.equal((await browser.onward(answer, world)).url, unlock.url)
  })

  test('our choice: what is neither allow nor deny decides nothing, and the page is shown again', async (t) => {
    const { world, client, browser } = await openScene(t)
    const page = await browser.visit(consentUrl(world, client), world)
    for (const fields of [{}, { decision: '' }, { decision: 'ALLOW' }, { decision: 'allow,deny' }]) {
      const answer = await browser.submit(page, fields as Record<string, string>, '/auth/consent')
      assert.deepEqual([answer.status, String(answer.location)], [303, page.url])
    }
    const skip = await browser.get(consentUrl(world, client, { consent: 'skip' }))
    assert.equal(queryOf(skip.location).error, 'consent_required')
  })

  test('whoever signs in in one tab goes on in the other', async (t) => {
    const { world, client } = await openScene(t)
    const browser = new Browser()
    const waiting = await browser.visit(consentUrl(world, client, { state: 'waiting' }), world)
    assert.equal(new URL(waiting.url).pathname, '/sign-in')
    const elsewhere = await browser.visit(`${world.baseUrl}/sign-in`, world)
    await browser.submit(elsewhere, { email: ada.email, password: ada.password }, '/sign-in')

    const reloaded = await browser.visit(waiting.url, world)
    assert.equal(new URL(reloaded.url).pathname, '/auth/consent')
    const answer = await browser.submit(reloaded, { decision: 'deny' }, '/auth/consent')
    assert.equal(queryOf(answer.location).state, 'waiting')
    // The form that still stands there leads on as well.
    const sent = await browser.submit(waiting, { email: ada.email, password: ada.password }, '/sign-in')
    assert.equal(new URL((await browser.onward(sent, world)).url).pathname, '/auth/consent')
  })

  test('our choice: a decision holds for whom the page named; if somebody else is signed in by then they are asked (decision 0011)', async (t) => {
    const { world, client, browser } = await openScene(t)
    const bob = { name: 'Bob', email: 'bob@example.com', password: 'another long password' }
    assert.equal((await provision(world, 'PUT', '/v1/users/bob', bob)).status, 201)
    const forAda = await browser.visit(consentUrl(world, client), world)
    assert.match(forAda.text, /ada@example\.com/)
    await browser.submit(await browser.get(`${world.baseUrl}/account`), {}, '/sign-out')
    const signIn = await browser.get(`${world.baseUrl}/sign-in`)
    assert.equal((await browser.submit(signIn, bob, '/sign-in')).status, 303)

    for (const decision of ['allow', 'deny']) {
      const answer = await browser.submit(forAda, { decision }, '/auth/consent')
      assert.equal(answer.location?.origin, world.baseUrl, 'nothing is decided')
      const forBob = await browser.onward(answer, world)
      assert.match(forBob.text, /bob@example\.com/)
    }
    const skip = await browser.get(consentUrl(world, client, { consent: 'skip' }))
    assert.equal(queryOf(skip.location).error, 'consent_required')
  })

  test('an expired attempt is a page with a working way to start again', async (t) => {
    const { world, client, browser } = await openScene(t)
    const page = await browser.visit(consentUrl(world, client), world)
    await world.clock.advance(31 * 60_000)
    const expired = await browser.submit(page, { decision: 'allow' }, '/auth/consent')
    assert.equal(expired.status, 400)
    const again = /href="([^"]*\/auth\/consent\?[^"]*)"/.exec(expired.text)?.[1]?.replaceAll('&amp;', '&')
    assert.ok(again, expired.text)
    const location = await allow(world, browser, String(new URL(again, world.baseUrl)))
    assert.equal(queryOf(location).state, 'the-state')
  })

  test('an attempt nobody knows is a 400 page', async (t) => {
    const { world, browser } = await openScene(t)
    const answer = await browser.get(`${world.baseUrl}/auth/consent?attempt=nobody`)
    assert.equal(answer.status, 400)
    assert.match(answer.headers.get('content-type') ?? '', /^text\/html/)
  })

  test('our choice: when the owner takes the redirect URI back meanwhile, no code goes there (decision 0029)', async (t) => {
    const { world, client, browser } = await openScene(t)
    const page = await browser.visit(consentUrl(world, client), world)
    const acme = {
      ownerId: ada.id,
      name: 'Acme Dashboard',
      websiteUrl: 'https://client.example',
      redirectUris: ['https://client.example/elsewhere'],
    }
    assert.equal((await provision(world, 'PUT', '/v1/applications/acme', acme)).status, 200)
    for (const answer of [
      await browser.get(page.url),
      await browser.submit(page, { decision: 'allow' }, '/auth/consent'),
    ]) {
      assert.deepEqual([answer.status, answer.location], [400, undefined])
      assert.match(answer.headers.get('content-type') ?? '', /^text\/html/)
    }
  })

  test('a decision without the page’s own form token changes nothing', async (t) => {
    const { world, client, browser } = await openScene(t)
    const page = await browser.visit(consentUrl(world, client), world)
    const attempt = new URL(page.url).searchParams.get('attempt') ?? ''
    const forged = new URLSearchParams({ attempt, decision: 'allow', form_token: 'forged', user: ada.id })
    const answer = await browser.post(`${world.baseUrl}/auth/consent`, forged)
    assert.equal(answer.status, 403)
    assert.equal(answer.location, undefined)
    const skip = await browser.get(consentUrl(world, client, { consent: 'skip' }))
    assert.equal(queryOf(skip.location).error, 'consent_required', 'nothing is granted')
  })
})
