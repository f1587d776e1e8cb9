import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { exported } from '../support/audit.ts'
import { aClient, ada, allow, Browser, consentUrl, openClient, queryOf, redeem, without } from '../support/people.ts'

describe('GET {base_url}/auth/consent', () => {
  test('success redirects to the redirect URI with code and state appended; the redirect is not cached, sends no referrer, and has status 303 after a form post, otherwise 302', async (t) => {
    const { world, client, browser } = await openClient(t)
    const page = await browser.visit(consentUrl(world, client), world)
    const allowed = await browser.submit(page, { decision: 'allow' }, '/auth/consent')
    const skipped = await browser.get(consentUrl(world, client, { consent: 'skip' }))
    for (const [answer, status] of [
      [allowed, 303],
      [skipped, 302],
    ] as const) {
      const { code, ...rest } = queryOf(answer.location)
      assert.deepEqual([answer.status, String(answer.location).split('?')[0]], [status, client.redirectUri])
      assert.match(code ?? '', /^svc_ac_[A-Za-z0-9_]+$/)
      assert.deepEqual(rest, { state: 'the-state' })
      assert.equal(answer.headers.get('cache-control'), 'no-store')
      assert.equal(answer.headers.get('referrer-policy'), 'no-referrer')
    }
  })

  test('consent=skip bypasses the consent screen when the user has already granted all requested scopes; if more scopes are needed the redirect carries error=consent_required', async (t) => {
    const { world, client, browser } = await openClient(t)
    await allow(world, browser, consentUrl(world, client, { scope: 'user.identify bots.read' }))
    for (const skip of [{ consent: 'skip' }, { prompt: 'none' }]) {
      const answer = await browser.get(consentUrl(world, client, { scope: 'bots.read', ...skip }))
      assert.equal(answer.status, 302)
      const { code, ...rest } = queryOf(answer.location)
      assert.match(code ?? '', /^svc_ac_/)
      assert.deepEqual(rest, { state: 'the-state' })
    }
    const answer = await browser.get(consentUrl(world, client, { scope: 'user.identify flows.read', consent: 'skip' }))
    assert.equal(answer.status, 302)
    assert.equal(String(answer.location), `${client.redirectUri}?error=consent_required&state=the-state`)
  })

  test('a HEAD request or a prefetch of an authorization link never issues a code, and opening the link then does', async (t) => {
    const { world, client, browser } = await openClient(t)
    await allow(world, browser, consentUrl(world, client))
    const skip = consentUrl(world, client, { consent: 'skip' })
    const attempt = (await browser.get(consentUrl(world, client))).location
    const before = (await exported(world)).length
    const requests: RequestInit[] = [
      { method: 'HEAD' },
      { headers: { 'sec-purpose': 'prefetch;prerender' } },
      { headers: { purpose: 'Prefetch' } },
      { headers: { 'x-moz': 'prefetch' } },
      { headers: { 'x-purpose': 'preview' } },
    ]
    for (const { method = 'GET', headers } of requests) {
      for (const url of [skip, consentUrl(world, client, { prompt: 'none' }), String(attempt)]) {
        const cookie = browser.cookieHeader()
        const answer = await fetch(url, { method, headers: { ...headers, cookie }, redirect: 'manual' })
        const about = `${method} ${JSON.stringify(headers)}`
        // Browsers drop a prefetched response with another status than 2xx.
        assert.equal(answer.status, method === 'HEAD' ? 200 : 425, about)
        if (method === 'HEAD') assert.match(answer.headers.get('content-security-policy') ?? '', /default-src 'none'/)
        assert.deepEqual([answer.headers.get('location'), await answer.text()], [null, ''], about)
        assert.equal(answer.headers.get('cache-control'), 'no-store', about)
      }
    }
    assert.equal((await exported(world)).length, before)
    assert.match(queryOf((await browser.get(skip)).location).code ?? '', /^svc_ac_/)
  })

  test('a user’s consents to an application accumulate', async (t) => {
    const { world, client, browser } = await openClient(t)
    await allow(world, browser, consentUrl(world, client, { scope: 'user.identify' }))
    await allow(world, browser, consentUrl(world, client, { scope: 'bots.read' }))
    const both = consentUrl(world, client, { scope: 'bots.read user.identify', consent: 'skip' })
    assert.ok(queryOf((await browser.get(both)).location).code)
    const other = await aClient(world, 'other')
    const elsewhere = consentUrl(world, other, { scope: 'bots.read', consent: 'skip' })
    assert.equal(queryOf((await browser.get(elsewhere)).location).error, 'consent_required')
  })

  test('with consent=skip a signed-out user still signs in first, and a locked session still needs the PIN', async (t) => {
    const { world, client, browser } = await openClient(t)
    const scope = 'user.email'
    await allow(world, browser, consentUrl(world, client, { scope }))
    const fresh = new Browser()
    const signIn = await fresh.visit(consentUrl(world, client, { scope, consent: 'skip' }), world)
    assert.equal(new URL(signIn.url).pathname, '/sign-in')
    const { email, password } = ada
    const unlock = await fresh.onward(await fresh.submit(signIn, { email, password }, '/sign-in'), world)
    assert.equal(new URL(unlock.url).pathname, '/unlock')
    const beyond = await fresh.visit(consentUrl(world, client, { scope: `${scope} bots.read`, consent: 'skip' }), world)
    assert.equal(queryOf(beyond.location).error, 'consent_required', 'a PIN would not help')
    const done = await fresh.onward(await fresh.submit(unlock, { pin: ada.pin }, '/unlock'), world)
    assert.ok(queryOf(done.location).code)
  })

  test('state is returned byte for byte, whatever it contains, and is absent if none was sent', async (t) => {
    const { world, client, browser } = await openClient(t)
    for (const state of ['a b+c&d=e%/?#"<é€', '%FF%00%0D%0A']) {
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

  for (const SEND_ISS of ['false', 'true']) {
    test(`redirects contain iss only if SEND_ISS is true, as the server metadata declares (SEND_ISS=${SEND_ISS})`, async (t) => {
      const { world, client, browser } = await openClient(t, { SEND_ISS })
      const metadata = await (await fetch(`${world.baseUrl}/.well-known/oauth-authorization-server`)).json()
      assert.equal(metadata.issuer, world.baseUrl)
      assert.equal(metadata.authorization_response_iss_parameter_supported, SEND_ISS === 'true')

      const page = await browser.visit(consentUrl(world, client), world)
      const denied = await browser.submit(page, { decision: 'deny' }, '/auth/consent')
      const skipped = await browser.get(consentUrl(world, client, { consent: 'skip' }))
      const faulty = await browser.get(consentUrl(world, client, { response_type: 'token' }))
      const allowed = await allow(world, browser, consentUrl(world, client))
      const iss = SEND_ISS === 'true' ? world.baseUrl : undefined
      for (const location of [denied.location, skipped.location, faulty.location, allowed]) {
        assert.deepEqual([queryOf(location).iss, queryOf(location).state], [iss, 'the-state'], String(location))
      }
    })
  }

  test('denial redirects with error=access_denied and state, also after two Allows of the same consent page, which give two codes', async (t) => {
    const { world, client, browser } = await openClient(t)
    const page = await browser.visit(consentUrl(world, client), world)
    const twice = await Promise.all([
      browser.submit(page, { decision: 'allow' }, '/auth/consent'),
      browser.submit(page, { decision: 'allow' }, '/auth/consent'),
    ])
    const codes = twice.map((answer) => queryOf(answer.location).code ?? '')
    assert.notEqual(codes[0], codes[1])
    for (const code of codes) assert.equal((await redeem(world, client, code)).status, 200)
    const again = await browser.submitAt(page.url, { decision: 'deny' }, '/auth/consent')
    const denied = `${client.redirectUri}?error=access_denied&error_description=The%20user%20denied%20the%20request.&state=the-state`
    assert.deepEqual([again.status, String(again.location)], [303, denied])
  })
})

describe('Authorization attempts', () => {
  test('submitting one attempt’s form with another attempt’s ID does not skip the PIN that the other attempt requires', async (t) => {
    const { world, client, browser } = await openClient(t)
    const unlock = await browser.visit(consentUrl(world, client, { scope: 'user.email' }), world)
    assert.equal(new URL(unlock.url).pathname, '/unlock')
    const attempt = new URL(unlock.url).searchParams.get('attempt') ?? ''
    const harmless = await browser.visit(consentUrl(world, client), world)
    const answer = await browser.submit(harmless, { decision: 'allow', attempt }, '/auth/consent')
    assert.equal((await browser.onward(answer, world)).url, unlock.url)
  })

  test('our choice: a decision other than allow or deny grants nothing and shows the consent page again', async (t) => {
    const { world, client, browser } = await openClient(t)
    const page = await browser.visit(consentUrl(world, client), world)
    for (const fields of [{}, { decision: '' }, { decision: 'ALLOW' }, { decision: 'allow,deny' }]) {
      const answer = await browser.submit(page, fields as Record<string, string>, '/auth/consent')
      assert.deepEqual([answer.status, String(answer.location)], [303, page.url])
    }
    const skip = await browser.get(consentUrl(world, client, { consent: 'skip' }))
    assert.equal(queryOf(skip.location).error, 'consent_required')
  })

  test('an expired authorization attempt shows a page with a working link to start again', async (t) => {
    const { world, client, browser } = await openClient(t)
    const page = await browser.visit(consentUrl(world, client), world)
    await world.clock.advance(31 * 60_000)
    const expired = await browser.submit(page, { decision: 'allow' }, '/auth/consent')
    assert.equal(expired.status, 400)
    const again = /href="([^"]*\/auth\/consent\?[^"]*)"/.exec(expired.text)?.[1]?.replaceAll('&amp;', '&')
    assert.ok(again, expired.text)
    const location = await allow(world, browser, String(new URL(again, world.baseUrl)))
    assert.equal(queryOf(location).state, 'the-state')
  })
})
