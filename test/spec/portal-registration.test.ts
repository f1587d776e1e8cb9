import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { type Answer, Browser, fieldErrorOf, shown, titleOf, visibleWordsIn } from '../support/people.ts'
import { acme, atNewPortal, authenticates, openPortal, register, registered } from '../support/portal-people.ts'
import { openWorld } from '../support/world.ts'

describe('{portal_url}/apps/new', () => {
  test('the form registers an application; the response shows its client ID and, only this once, its client secret', async (t) => {
    const { world, browser } = await atNewPortal(t)
    const answer = await register(world, browser)
    assert.equal(answer.status, 201)
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    assert.match(String(answer.location), new RegExp(`^${world.portalUrl}/apps/[A-Za-z0-9_-]{1,64}$`))
    const [clientId, clientSecret] = [shown(answer, 'client-id'), shown(answer, 'client-secret')]
    assert.match(clientId, /^svc_ci_[A-Za-z0-9_]+$/)
    assert.match(clientSecret, /^svc_cs_[A-Za-z0-9_]{43,}$/)
    assert.ok(await authenticates(world, { clientId, clientSecret }))
    assert.ok(!world.logs().includes(clientSecret), 'the client secret is logged')
  })

  test('redirect URIs are read one per line, without empty lines, duplicates and surrounding spaces, and names on one line', async (t) => {
    const { world, browser } = await atNewPortal(t)
    const uris =
      ' https://acme.example/callback \r\n\r\nhttps://acme.example/callback/\nhttps://acme.example/callback\n'
    const typed = { ...acme, name: '  Acme \n Dashboard ', website_url: ' https://acme.example ', redirect_uris: uris }
    const { address } = await registered(world, browser, typed)
    const page = await browser.get(address)
    const field = /<textarea name="redirect_uris"[^>]*>\n([^<]*)</.exec(page.text)?.[1]
    assert.equal(field, 'https://acme.example/callback\nhttps://acme.example/callback/')
    for (const value of ['Acme Dashboard', 'https://acme.example']) assert.ok(page.text.includes(`value="${value}"`))
    const most = Array.from({ length: 50 }, (_, n) => `https://acme.example/${n}/`.padEnd(2_048, '/')).join('\n')
    const long = await registered(world, browser, { ...acme, redirect_uris: most })
    assert.equal((await browser.submitAt(long.address, { ...acme, redirect_uris: most })).status, 303)
  })

  test('each violated rule shows an error at its field and keeps the input of the registration', async (t) => {
    const { world, browser } = await atNewPortal(t)
    const local = { environment: 'development', redirect_uris: 'http://acme.example/callback' }
    for (const [form, error] of [
      [{ name: ' ' }, /^Enter a name for your application\.$/],
      [{ website_url: 'http://acme.example' }, /^The website URL must start with https:\/\/\.$/],
      [{ website_url: '' }, /^This is not a URL\. Enter one like https:\/\/acme\.example\.$/],
      [{ redirect_uris: '\n' }, /^Enter at least one redirect URI, such as /],
      [
        { redirect_uris: 'http://localhost:8080/callback' },
        /^http:\/\/localhost:8080\/callback starts with http:.* Prod/,
      ],
      [local, /^http:\/\/acme\.example\/callback starts with http:\/\/, which is allowed only for localhost, 127\./],
      [{ redirect_uris: 'https://acme.example/*' }, /has a \*\. Redirect URIs must match exactly/],
      [
        { redirect_uris: 'https://acme.example/cb,https://b.example/cb' },
        /contains several URLs\. Enter one per line\./,
      ],
      [{ redirect_uris: 'https://acme.example/cb?state=1' }, / has code, state, error, .* Remove them\.$/],
      [{ redirect_uris: 'acme.example/callback' }, / is not a complete URL\. Start with https:\/\//],
      [{ redirect_uris: 'https://acme.example/#here' }, / has a part after #/],
      [{ redirect_uris: 'https://ada@acme.example/' }, / has a user name before the @\. Remove it\.$/],
    ] as const) {
      const rule = JSON.stringify(form)
      const field = Object.keys(form).at(-1) ?? ''
      const kept = { ...acme, ...form }
      const answer = await register(world, browser, kept)
      assert.equal(answer.status, 422, rule)
      assert.equal(titleOf(answer), 'Application not registered · Developer portal')
      assert.match(fieldErrorOf(answer, field), error, rule)
      assert.match(answer.text, new RegExp(`name="${field}"[^>]*aria-describedby="[^"]*${field}-error"`), rule)
      assert.ok(answer.text.includes(`value="${kept.website_url}"`), rule)
      assert.ok(answer.text.includes(kept.redirect_uris), rule)
    }
    const many = Array.from({ length: 51 }, (_, index) => `https://a.example/${index}`).join('\n')
    for (const form of [
      ...['a.example', 'https://', 'https://a@b.example', 'javascript:x'].map((website_url) => ({ website_url })),
      { name: 'x'.repeat(101), website_url: '', redirect_uris: many },
    ]) {
      const answer = await register(world, browser, { ...acme, ...form })
      assert.equal(answer.status, 422)
      for (const field of Object.keys(form)) assert.notEqual(fieldErrorOf(answer, field), '', JSON.stringify(form))
    }
    const { text } = await browser.get(world.portalUrl)
    assert.match(text, /You have no applications yet[\s\S]*href="\/apps\/new">Register an application</)
  })
})

test('the authorization URL generator builds the URL from the selected options, without scripts; without a scope it shows no URL and says why', async (t) => {
  const { world, browser } = await atNewPortal(t)
  const redirectUris = ['https://acme.example/callback', 'https://acme.example/other?tenant=a&b']
  const { address, clientId } = await registered(world, browser, { ...acme, redirect_uris: redirectUris.join('\n') })
  const chosen = new URLSearchParams({ redirect_uri: redirectUris[1]!, state: 'a b&c', consent: 'skip' })
  for (const scope of ['bots.read', 'user.email', 'made.up']) chosen.append('scope', scope)
  const url = new URL(shown(await browser.get(`${address}?${chosen}`), 'authorization-url'))
  assert.equal(url.origin + url.pathname, `${world.baseUrl}/auth/consent`)
  assert.deepEqual(Object.fromEntries(url.searchParams), {
    client_id: clientId,
    redirect_uri: redirectUris[1],
    response_type: 'code',
    scope: 'user.email bots.read',
    state: 'a b&c',
    consent: 'skip',
  })
  const consent = await browser.visit(url, world)
  assert.equal(consent.location?.searchParams.get('error'), 'consent_required')

  const page = await browser.get(`${address}?${new URLSearchParams({ redirect_uri: acme.redirect_uris })}`)
  assert.equal(shown(page, 'authorization-url'), '')
  assert.match(page.text, /<p data-authorization-url-missing>Choose at least one scope/)
})

test('our choice: without scripts the service creates the generator’s PKCE pair, at first only if the application requires PKCE: the URL contains the challenge, and only the page shows the verifier (decision 0035, RFC 7636)', async (t) => {
  const { world, browser, address } = await openPortal(t)
  const chosen = new URLSearchParams({ redirect_uri: acme.redirect_uris, scope: 'user.identify', pkce: 'S256' })
  const page = await browser.get(`${address}?${chosen}`)
  const verifier = shown(page, 'code-verifier')
  assert.match(verifier, /^[\w-]{43}$/)
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  assert.equal(shown(page, 'code-challenge'), challenge)
  const url = shown(page, 'authorization-url')
  assert.ok(url.endsWith(`&code_challenge=${challenge}&code_challenge_method=S256`) && !url.includes(verifier), url)
  assert.notEqual(shown(await browser.get(`${address}?${chosen}`), 'code-verifier'), verifier, 'a new pair each time')

  assert.equal(shown(await browser.get(address), 'code-verifier'), '')
  const strict = await registered(world, browser, { ...acme, require_pkce: 'yes' })
  assert.match(shown(await browser.get(strict.address), 'authorization-url'), /&code_challenge=/)
})

const samplesOn = (page: Answer) =>
  [...page.text.matchAll(/<pre tabindex="0" aria-label="Exchange the code, [^"]*"><code[^>]*>([\s\S]*?)<\/code>/g)].map(
    ([, text = '']) =>
      text
        .replace(/<span[^>]* hidden>[\s\S]*?<\/span>/g, '')
        .replace(/<[^>]+>/g, '')
        .replaceAll('&#39;', "'"),
  )

test('our choice: the code samples of the portal use the generator’s scopes and redirect URI, and use PKCE only if the URL has a challenge', async (t) => {
  const { world, browser } = await atNewPortal(t)
  const redirectUris = ['https://acme.example/callback', 'https://acme.example/other']
  const { address } = await registered(world, browser, { ...acme, redirect_uris: redirectUris.join('\n') })
  for (const [index, pkce] of [false, true].entries()) {
    const redirectUri = redirectUris[index]!
    const chosen = new URLSearchParams({ redirect_uri: redirectUri, ...(pkce && { pkce: 'S256' }) })
    for (const scope of ['user.email', 'offline_access']) chosen.append('scope', scope)
    const samples = samplesOn(await browser.get(`${address}/try-outs?${chosen}`))
    assert.equal(samples.length, 6)
    for (const sample of samples) {
      assert.equal(/pkce|code_?verifier|code_challenge|S256/i.test(sample), pkce, sample)
      assert.ok(!sample.includes('user.identify'), sample)
    }
    const containing = (text: string) => samples.map((sample) => sample.includes(text))
    assert.deepEqual(containing('user.email offline_access'), [false, true, true, true, true, true])
    assert.deepEqual(containing(redirectUri), [true, true, false, true, true, true])
  }
})

describe('our choice: the page that shows an authorization code (decision 0035)', () => {
  test('shows the code and the command that redeems it, without a session; after a denial that nothing was shared; and nothing that a stranger put into a link', async (t) => {
    const world = await openWorld(t)
    const page = await new Browser().get(`${world.portalUrl}/show-code?code=svc_ac_abc-DEF_1&state=%3Cb%3E`)
    assert.equal(page.status, 200)
    assert.equal(page.headers.get('cache-control'), 'no-store')
    const said = visibleWordsIn(page)
    assert.match(said, /svc_ac_abc-DEF_1/)
    assert.ok(said.includes(`-d redirect_uri=${world.portalUrl}/show-code -d code=svc_ac_abc-DEF_1`), said)
    assert.match(page.text, /&lt;b&gt;/)
    assert.match(page.text, /<link rel="canonical" href="\/show-code">/)

    const at = async (query: string) => visibleWordsIn(await new Browser().get(`${world.portalUrl}/show-code${query}`))
    assert.match(await at('?error=access_denied'), /nothing was shared: access_denied/)
    for (const query of ['', '?code=$(reboot)', '?error=Call+this+number', '?code=a&code=b']) {
      const said = await at(query)
      assert.match(said, /No authorization code/, query)
      assert.doesNotMatch(said, /reboot|this number/, query)
    }
  })

  test('the form for a development application begins with this redirect URI', async (t) => {
    const { world, browser } = await atNewPortal(t)
    const preset = await browser.get(`${world.portalUrl}/apps/new?environment=development`)
    assert.ok(preset.text.includes(`${world.portalUrl}/show-code</textarea>`))
    assert.match(preset.text, /value="development"[^>]* checked/)
    const usual = await browser.get(`${world.portalUrl}/apps/new`)
    assert.ok(!usual.text.includes('/show-code'))
    assert.match(usual.text, /value="production"[^>]* checked/)
    assert.match(visibleWordsIn(usual), /While you develop, any such URL will do\./)
  })
})
