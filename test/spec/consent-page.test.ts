import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import {
  ada,
  allow,
  assertShows,
  Browser,
  consentUrl,
  formTokenOf,
  openClient,
  provision,
  redirectUri,
  signedIn,
  visibleWordsIn,
} from '../support/people.ts'

const bob = { id: 'bob', name: 'Bob', email: 'bob@example.com', password: 'another battery staple' }
const slashed = `${redirectUri}/`
const elsewhere = 'https://elsewhere.example/callback'

async function openScene(t: TestContext, application: object = {}) {
  const { world, client, browser } = await openClient(t, {}, application)
  await provision(world, 'PUT', `/v1/users/${bob.id}`, { ...bob, id: undefined })
  await browser.visit(world.portalUrl, world)
  const logs = `${world.portalUrl}/apps/acme/logs`
  const refuse = (uri: string) => new Browser().get(consentUrl(world, { ...client, redirectUri: uri }))
  const stored = async () => (await provision(world, 'GET', '/v1/applications/acme')).json
  /** Replaces the application. */
  const put = async (change: object) => {
    const acme = { ownerId: ada.id, name: 'Acme Dashboard', websiteUrl: 'https://client.example' }
    const { status } = await provision(world, 'PUT', '/v1/applications/acme', { ...acme, ...change })
    assert.equal(status, 200)
  }
  return { world, client, browser, logs, refuse, stored, put }
}

describe('our choice: the consent page', () => {
  test('the consent page names the application, its website’s host, the user, each scope in plain words and the host of the redirect, and whether the operator has verified the application', async (t) => {
    const { world, client, browser, put } = await openScene(t, { websiteUrl: 'https://www.acme.example/about?x=1' })
    const page = await browser.visit(consentUrl(world, client), world)
    const said = visibleWordsIn(page)
    for (const words of [
      'Allow Acme Dashboard to use your account?',
      'Acme Dashboard Unverified www.acme.example',
      'Gatehouse has not verified who runs this site',
      'Your account Ada ada@example.com Use another account',
      'Redirects to client.example',
      'Acme Dashboard will be able to See your name, your linked chat-platform ID and your number of bots',
      'Keep this access while you are away, until you revoke it',
      'Either choice takes you to client.example. If you choose Deny, nothing is shared.',
      'You can revoke this at any time in your account.',
    ]) {
      assert.ok(said.includes(words), `${words}\n\n${said}`)
    }
    assert.match(page.text, /<a href="\/account\/applications">/)

    await put({ redirectUris: [redirectUri], verified: true })
    const verified = visibleWordsIn(await browser.visit(consentUrl(world, client), world))
    assert.match(verified, /Acme Dashboard Verified client\.example The operator has verified the application’s owner/)
    assert.doesNotMatch(verified, /has not checked|Unverified/)
  })

  test('the consent page lists new scopes first, separately from those allowed before', async (t) => {
    const { world, client, browser } = await openScene(t)
    await allow(world, browser, consentUrl(world, client, { scope: 'user.identify' }))
    const more = await browser.visit(consentUrl(world, client, { scope: 'user.identify bots.read' }), world)
    const bots = 'See your bots: name, picture, state, plan and your role'
    const lists = `New: Acme Dashboard will also be able to ${bots} Already allowed See your name`
    assert.ok(visibleWordsIn(more).includes(lists), visibleWordsIn(more))
    await allow(world, browser, consentUrl(world, client, { scope: 'bots.read' }))
    const same = visibleWordsIn(await browser.visit(consentUrl(world, client, { scope: 'bots.read' }), world))
    assert.match(same, /You already allowed this\. Acme Dashboard will be able to See your bots/)
    assert.doesNotMatch(same, /New/)
  })

  test('the consent page lets the user switch accounts and then returns to the same request; a decision counts only for the user named on the page', async (t) => {
    const { world, client, browser } = await openScene(t)
    const asAda = await browser.visit(consentUrl(world, client), world)
    const signIn = await browser.onward(await browser.submit(asAda, {}, '/sign-out'), world)
    assert.equal(new URL(signIn.url).pathname, '/sign-in')
    const { email, password } = bob
    const asBob = await browser.onward(await browser.submit(signIn, { email, password }, '/sign-in'), world)
    assert.match(visibleWordsIn(asBob), /Your account Bob bob@example\.com/)
    assert.equal(new URL(asBob.url).search, new URL(asAda.url).search)

    for (const decision of ['allow', 'deny']) {
      const stale = await browser.submit(asAda, { decision }, '/auth/consent')
      assert.deepEqual([stale.location?.origin, stale.location?.pathname], [world.baseUrl, '/auth/consent'], decision)
    }
    const skip = await browser.get(consentUrl(world, client, { consent: 'skip' }))
    assert.equal(skip.location?.searchParams.get('error'), 'consent_required')
    const answer = await browser.submit(asBob, { decision: 'allow' }, '/auth/consent')
    assert.equal(answer.location?.searchParams.get('state'), 'the-state')
  })

  test('the consent page and its scopes are translated to German; an operator-defined scope keeps the operator’s description', async (t) => {
    const { world, client, browser } = await openScene(t)
    await provision(world, 'PUT', '/v1/scopes/calendar.read', { description: 'See the events in your calendar' })
    await browser.get(`${world.baseUrl}/appearance/language/de`)
    const scope = 'bots.read calendar.read'
    const page = await browser.visit(consentUrl(world, client, { scope }), world)
    const said = visibleWordsIn(page)
    assert.match(page.text, /<html lang="de"/)
    assert.match(said, /Darf Acme Dashboard auf Ihr Konto zugreifen\?/)
    assert.match(said, /Ihre Bots sehen: Name, Bild, Zustand, Tarif und Ihre Rolle See the events in your calendar/)
    assert.match(said, /Ablehnen Erlauben/)
  })
})

test('our choice: the 400 page for an unregistered redirect URI shows only the signed-in owner how it differs from the registered one, with a link to the settings, and a hostile URI as text (decision 0108)', async (t) => {
  const { world, client, browser: owner } = await openScene(t)
  const url = consentUrl(world, { ...client, redirectUri: slashed })
  const page = await owner.get(url)
  assert.equal(page.status, 400)
  const said = visibleWordsIn(page)
  assert.ok(said.includes(`Only you, the owner, can see this Registered ${redirectUri} Sent ${slashed}`), said)
  assert.match(said, /They differ only in the slash at the end\./)
  assert.match(page.text, /callback<mark>\/<\/mark><\/code>/)
  assert.ok(page.text.includes(`href="${world.portalUrl}/apps/acme"`))
  assert.match(said, /Error ID [2-9A-Z]{4}-[2-9A-Z]{4}/)

  const id = /[2-9A-HJKMNP-Z]{4}-[2-9A-HJKMNP-Z]{4}/
  const strangers = await new Browser().get(url)
  const bobs = await (await signedIn(world, bob)).get(url)
  assert.equal(bobs.text.replace(id, ''), strangers.text.replace(id, ''))
  assert.ok(!strangers.text.includes(redirectUri) && !strangers.text.includes('/apps/acme'))

  const hostile = 'https://client.example/"><script>alert(1)</script>\u202e\t x'
  const { text } = await owner.get(consentUrl(world, { ...client, redirectUri: hostile }))
  assert.ok(!text.includes('<script>alert'))
  assert.match(text, /&lt;script&gt;alert\(1\)&lt;\/script&gt;U\+202EU\+0009␣x/)
})

describe('our choice: the owner adds a redirect URI that was refused (decision 0108)', () => {
  test('one click in the log adds a redirect URI on a registered host, and the next request with that URI works', async (t) => {
    const { world, client, browser, logs, refuse, stored } = await openScene(t)
    await refuse(slashed)
    const page = await browser.get(logs)
    const added = await browser.submit(page, {}, '/redirect-uris')
    assert.deepEqual([added.status, String(added.location)], [303, logs])
    const after = await browser.onward(added, world)
    assert.match(visibleWordsIn(after), /Redirect URI added\. Requests with it now work\./)
    assert.match(visibleWordsIn(after), /This redirect URI has since been registered\./)
    assert.deepEqual((await stored()).redirectUris, [redirectUri, slashed])
    const location = await allow(world, browser, consentUrl(world, { ...client, redirectUri: slashed }))
    assert.equal(location.origin + location.pathname, slashed)
    // Posting the same form again changes nothing.
    assert.equal((await browser.submit(page, {}, '/redirect-uris')).status, 303)
    assert.deepEqual((await stored()).redirectUris, [redirectUri, slashed])
  })

  test('a redirect URI on another host, or that differs by more than a slip, is added only after a page that says so; the 400 page links to it', async (t) => {
    const { world, client, browser, logs, refuse, stored } = await openScene(t)
    const oneClick = await browser.get(consentUrl(world, { ...client, redirectUri: slashed }))
    let before = [redirectUri]
    const foreign =
      /None of your redirect URIs has the host elsewhere\.example\..* Add it only if you control this host\./
    for (const [uri, warning] of [
      [elsewhere, foreign],
      [`${redirectUri}?next=1`, /Only the host matches one of your redirect URIs\./],
    ] as const) {
      await refuse(uri)
      const question = await browser.submitAt(logs, {}, '/redirect-uris')
      assertShows(question, 200, /class="difference/)
      assert.match(visibleWordsIn(question), warning)
      const page = await browser.get(consentUrl(world, { ...client, redirectUri: uri }))
      const asks = `${world.portalUrl}/apps/acme/redirect-uris/new?${new URLSearchParams({ redirect_uri: uri })}`
      assert.ok(page.text.includes(`href="${asks}"`))
      assert.match(visibleWordsIn(await browser.get(asks)), warning)
      // Posting to the address of the one-click form adds nothing either.
      const text = oneClick.text.replaceAll(encodeURIComponent(slashed), encodeURIComponent(uri))
      assert.equal((await browser.submit({ ...oneClick, text }, {}, '/redirect-uris')).status, 303)
      assert.deepEqual((await stored()).redirectUris, before)
      assert.equal((await browser.submit(question, {}, '/redirect-uris')).status, 303)
      before = [...before, uri]
      assert.deepEqual((await stored()).redirectUris, before)
    }
  })

  test('the page warns the owner of a verified or first-party application that the addition removes its marks', async (t) => {
    const { browser, logs, refuse, stored } = await openScene(t, { verified: true, firstParty: true })
    await refuse(slashed)
    const question = await browser.submitAt(logs, {}, '/redirect-uris')
    const said = visibleWordsIn(question)
    assert.match(said, /The application will no longer be verified The operator must then approve/)
    assert.match(said, /Users will have to give their consent/)
    assert.equal((await stored()).verified, true)
    await browser.submit(question, {}, '/redirect-uris')
    const { verified, firstParty, redirectUris } = await stored()
    assert.deepEqual([verified, firstParty, redirectUris], [false, false, [redirectUri, slashed]])
  })

  test('a redirect URI that breaks a rule has no button, and posting it is refused with that rule', async (t) => {
    const { world, browser, logs, refuse, stored } = await openScene(t)
    await refuse('http://client.example/callback')
    const page = await browser.get(logs)
    assert.match(visibleWordsIn(page), /http:\/\/client\.example\/callback starts with http:\/\//)
    assert.ok(!page.text.includes('Add this redirect URI'))
    await refuse(slashed)
    for (const uri of ['http://client.example/callback', 'https://client.example/*', '', 'x'.repeat(3_000)]) {
      const answer = await browser.submitAt(logs, { redirect_uri: uri }, '/redirect-uris')
      assert.equal(answer.status, 422, uri)
      assert.match(visibleWordsIn(answer), /This redirect URI can’t be added/)
    }
    const asked = await browser.get(`${world.portalUrl}/apps/acme/redirect-uris/new`)
    assert.deepEqual([asked.status, asked.location?.pathname], [302, '/apps/acme/settings'])
    assert.deepEqual((await stored()).redirectUris, [redirectUri])
  })
})

describe('our choice: the owner adds the redirect URI on the 400 page (decision 0108)', () => {
  test('one click on the 400 page adds the redirect URI, and the same sign-in continues', async (t) => {
    const { world, client, browser, stored } = await openScene(t)
    const url = consentUrl(world, { ...client, redirectUri: slashed }, { state: 'a b&c' })
    const refused = await browser.get(url)
    assert.equal(refused.status, 400)
    assert.match(visibleWordsIn(refused), /Add this redirect URI You’ll then continue signing in\./)
    const added = await browser.submit(refused, {}, '/redirect-uris')
    assert.deepEqual([added.status, String(added.location)], [303, url])
    assert.deepEqual((await stored()).redirectUris, [redirectUri, slashed])
    const consent = await browser.onward(added, world)
    const answer = await browser.submit(consent, { decision: 'allow' }, '/auth/consent')
    assert.equal(answer.location?.searchParams.get('state'), 'a b&c')
    const activity = await browser.get(`${world.portalUrl}/apps/acme/activity`)
    assert.match(visibleWordsIn(activity), /You changed the settings of Acme Dashboard/)
  })

  test('one click on the 400 page adds a redirect URI that was removed meanwhile, and the same sign-in continues', async (t) => {
    const { world, client, browser, stored, put } = await openScene(t)
    const deciding = await browser.visit(consentUrl(world, client), world)
    await put({ redirectUris: [slashed] })
    const refused = await browser.submit(deciding, { decision: 'allow' }, '/auth/consent')
    const added = await browser.submit(refused, {}, '/redirect-uris')
    assert.deepEqual((await stored()).redirectUris, [slashed, redirectUri])
    const consent = await browser.onward(added, world)
    const answer = await browser.submit(consent, { decision: 'allow' }, '/auth/consent')
    assert.match(String(answer.location), /\/callback\?code=svc_ac_/)
  })

  test('another user sees no button on the 400 page, and their post adds no redirect URI', async (t) => {
    const { world, client, browser, stored } = await openScene(t)
    const url = consentUrl(world, { ...client, redirectUri: slashed })
    const stranger = await signedIn(world, bob)
    assert.ok(!(await stranger.get(url)).text.includes('Add this redirect URI'))
    const page = await browser.get(url)
    const token = formTokenOf(await stranger.get(`${world.baseUrl}/account`))
    const text = page.text.replaceAll(formTokenOf(page), token)
    const answer = await stranger.submit({ ...page, text }, {}, '/redirect-uris')
    assert.deepEqual([answer.status, String(answer.location)], [303, url])
    assert.deepEqual((await stored()).redirectUris, [redirectUri])
  })
})
