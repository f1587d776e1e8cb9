import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { visibleWordsIn } from '../support/page-words.ts'
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
  test('names the application, its website’s host, the person, each scope in plain words and where the browser goes', async (t) => {
    const { world, client } = await openScene(t, { websiteUrl: 'https://www.acme.example/about?x=1' })
    const page = await (await signedIn(world)).visit(consentUrl(world, client), world)
    const said = visibleWordsIn(page)
    for (const words of [
      'Allow Acme Dashboard to use your account?',
      'Application Acme Dashboard www.acme.example',
      'Your account Ada ada@example.com Use another account',
      'Leads to client.example',
      'Acme Dashboard will be able to See your name, your linked chat-platform id and how many bots you have',
      'Keep this access when you are away, until you take it back',
      'Either answer takes you to client.example. With Deny nothing is shared.',
      'You can take this back at any time: your account lists the applications with access.',
    ]) {
      assert.ok(said.includes(words), `${words}\n\n${said}`)
    }
    assert.match(page.text, /<a href="\/account#applications">/)
  })

  test('tells what is new from what was allowed before, the new first', async (t) => {
    const { world, client } = await openScene(t)
    const browser = await signedIn(world)
    await allow(world, browser, consentUrl(world, client, { scope: 'user.identify' }))
    const more = await browser.visit(consentUrl(world, client, { scope: 'user.identify bots.read' }), world)
    assert.match(
      visibleWordsIn(more),
      /New: Acme Dashboard will also be able to See your bots: name, picture, state, plan and your role As you allowed before See your name/,
    )
    await allow(world, browser, consentUrl(world, client, { scope: 'bots.read' }))
    const same = visibleWordsIn(await browser.visit(consentUrl(world, client, { scope: 'bots.read' }), world))
    assert.match(same, /You allowed this before\. Acme Dashboard will be able to See your bots/)
    assert.doesNotMatch(same, /New/)
  })

  test('an application that the operator verified says so, all others say that nobody did', async (t) => {
    const { world, client } = await openScene(t)
    const browser = await signedIn(world)
    const said = async () => visibleWordsIn(await browser.visit(consentUrl(world, client), world))
    assert.match(await said(), /Gatehouse has not checked who runs it/)
    assert.doesNotMatch(await said(), /Verified/)
    await provision(world, 'PUT', '/v1/applications/acme', {
      ownerId: ada.id,
      name: 'Acme Dashboard',
      websiteUrl: 'https://client.example',
      redirectUris: [redirectUri],
      verified: true,
    })
    assert.match(await said(), /client\.example Verified Whoever runs this service has checked who is behind it/)
    assert.doesNotMatch(await said(), /has not checked/)
  })

  test('another account is signed in to on the spot, and comes back to the same request', async (t) => {
    const { world, client } = await openScene(t)
    const browser = await signedIn(world)
    const asAda = await browser.visit(consentUrl(world, client), world)
    const signIn = await browser.onward(await browser.submit(asAda, {}, '/sign-out'), world)
    assert.equal(new URL(signIn.url).pathname, '/sign-in')
    const { email, password } = bob
    const asBob = await browser.onward(await browser.submit(signIn, { email, password }, '/sign-in'), world)
    assert.match(visibleWordsIn(asBob), /Your account Bob bob@example\.com/)
    assert.equal(new URL(asBob.url).search, new URL(asAda.url).search)

    // The page that still names Ada decides nothing for Bob.
    const stale = await browser.submit(asAda, { decision: 'allow' }, '/auth/consent')
    assert.equal(stale.location?.pathname, '/auth/consent')
    const answer = await browser.submit(asBob, { decision: 'allow' }, '/auth/consent')
    assert.equal(answer.location?.searchParams.get('state'), 'the-state')
  })

  test('speaks German, the scopes too; one that the operator declared stays in the operator’s words', async (t) => {
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

describe('our choice: the 400 page of an unregistered redirect URI (decision 0027)', () => {
  const sent = `${redirectUri}/`

  test('shows its signed-in owner what was sent beside what is registered, and the way to the settings', async (t) => {
    const { world, client } = await openScene(t)
    const page = await (await signedIn(world)).get(consentUrl(world, { ...client, redirectUri: sent }))
    assert.equal(page.status, 400)
    const said = visibleWordsIn(page)
    assert.match(said, /Shown to you as its owner Registered https:\/\/client\.example\/callback Sent https:\/\/client/)
    assert.match(said, /They differ only in the slash at the end\./)
    assert.match(page.text, /callback<mark>\/<\/mark><\/code>/)
    assert.ok(page.text.includes(`href="${world.portalUrl}/apps/acme"`))
    assert.match(said, /Error ID [2-9A-Z]{4}-[2-9A-Z]{4}/)
  })

  test('shows nobody else what is registered: not the signed out, not other users', async (t) => {
    const { world, client } = await openScene(t)
    const url = consentUrl(world, { ...client, redirectUri: sent })
    const id = /[2-9A-HJKMNP-Z]{4}-[2-9A-HJKMNP-Z]{4}/
    const strangers = await new Browser().get(url)
    const bobs = await (await signedIn(world, bob)).get(url)
    assert.equal(bobs.text.replace(id, ''), strangers.text.replace(id, ''))
    assert.ok(!strangers.text.includes(redirectUri) && !strangers.text.includes('/apps/acme'))
  })

  test('what is sent is shown as text, whatever it holds', async (t) => {
    const { world, client } = await openScene(t)
    const hostile = 'https://client.example/"><script>alert(1)</script>\u202e\t x'
    const page = await (await signedIn(world)).get(consentUrl(world, { ...client, redirectUri: hostile }))
    assert.ok(!page.text.includes('<script>alert'))
    assert.match(page.text, /&lt;script&gt;alert\(1\)&lt;\/script&gt;U\+202EU\+0009␣x/)
  })
})
