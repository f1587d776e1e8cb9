import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import {
  ada,
  adaWithClient,
  allow,
  Browser,
  type Client,
  consentUrl,
  provision,
  redirectUri,
  signedIn,
  visibleWordsIn,
} from '../support/people.ts'
import { openWorld, type World } from '../support/world.ts'

const bob = { id: 'bob', name: 'Bob', email: 'bob@example.com', password: 'another battery staple' }

async function openScene(t: TestContext, application: object = {}): Promise<{ world: World; client: Client }> {
  const world = await openWorld(t)
  const client = await adaWithClient(world, application)
  await provision(world, 'PUT', `/v1/users/${bob.id}`, { ...bob, id: undefined })
  return { world, client }
}

describe('our choice: the consent page', () => {
  test('the consent page names the application, its website’s host, the user, each scope in plain words and the host of the redirect, and whether the operator has verified the application', async (t) => {
    const { world, client } = await openScene(t, { websiteUrl: 'https://www.acme.example/about?x=1' })
    const browser = await signedIn(world)
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

    await provision(world, 'PUT', '/v1/applications/acme', {
      ownerId: ada.id,
      name: 'Acme Dashboard',
      websiteUrl: 'https://client.example',
      redirectUris: [redirectUri],
      verified: true,
    })
    const verified = visibleWordsIn(await browser.visit(consentUrl(world, client), world))
    assert.match(verified, /Acme Dashboard Verified client\.example The operator has verified the application’s owner/)
    assert.doesNotMatch(verified, /has not checked|Unverified/)
  })

  test('the consent page lists new scopes first, separately from those allowed before', async (t) => {
    const { world, client } = await openScene(t)
    const browser = await signedIn(world)
    await allow(world, browser, consentUrl(world, client, { scope: 'user.identify' }))
    const more = await browser.visit(consentUrl(world, client, { scope: 'user.identify bots.read' }), world)
    assert.match(
      visibleWordsIn(more),
      /New: Acme Dashboard will also be able to See your bots: name, picture, state, plan and your role Already allowed See your name/,
    )
    await allow(world, browser, consentUrl(world, client, { scope: 'bots.read' }))
    const same = visibleWordsIn(await browser.visit(consentUrl(world, client, { scope: 'bots.read' }), world))
    assert.match(same, /You already allowed this\. Acme Dashboard will be able to See your bots/)
    assert.doesNotMatch(same, /New/)
  })

  test('the consent page lets the user switch accounts and then returns to the same request; a decision counts only for the user named on the page', async (t) => {
    const { world, client } = await openScene(t)
    const browser = await signedIn(world)
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
    const { world, client } = await openScene(t)
    await provision(world, 'PUT', '/v1/scopes/calendar.read', { description: 'See the events in your calendar' })
    const browser = await signedIn(world)
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
  const { world, client } = await openScene(t)
  const url = consentUrl(world, { ...client, redirectUri: `${redirectUri}/` })
  const owner = await signedIn(world)
  const page = await owner.get(url)
  assert.equal(page.status, 400)
  const said = visibleWordsIn(page)
  assert.match(
    said,
    /Only you, the owner, can see this Registered https:\/\/client\.example\/callback Sent https:\/\/client/,
  )
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
