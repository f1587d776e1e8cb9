import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import {
  type Answer,
  ada,
  Browser,
  codeFor,
  consentUrl,
  fieldErrorOf,
  formTokenOf,
  openClient,
  provision,
  redeem,
  shown,
  userinfo,
} from '../support/people.ts'
import {
  acme,
  atNewPortal,
  atPortal,
  atPortalAgain,
  authenticates,
  hasButton,
  openPortal,
  registered,
} from '../support/portal-people.ts'
import { bob } from '../support/sign-in-forms.ts'
import { openWorld } from '../support/world.ts'

const namesIn = ({ text }: Answer) => [...text.matchAll(/class="row-link"[^>]*>([^<]*)/g)].map(([, name]) => name)

test("{portal_url}/ lists the user's applications, and nobody else’s, with website, client ID, last activity and failed requests, by which it can be sorted, and marks those in development", async (t) => {
  const { world, browser, app, address, clientId } = await openPortal(t)
  await registered(world, await atPortal(world, bob), { ...acme, name: 'Not hers' })
  const before = await browser.get(world.portalUrl)
  const path = new URL(address).pathname
  for (const shown of ['acme.example', clientId, 'Not used yet', `href="${path}"`])
    assert.ok(before.text.includes(shown))
  assert.doesNotMatch(before.text, /class="tag"/)
  await world.clock.advance(1_000)
  await registered(world, browser, { ...acme, name: 'Bolt & <Nut>', environment: 'development' })
  for (let twice = 0; twice < 2; twice += 1) await authenticates(world, app)
  await world.service.applications.clients.recordSecretUse()
  const page = await browser.get(world.portalUrl)
  assert.deepEqual([page.status, page.headers.get('cache-control')], [200, 'no-store'])
  assert.deepEqual(namesIn(page), ['Bolt &amp; &lt;Nut&gt;', 'Acme Dashboard'])
  assert.deepEqual(page.text.match(/<span class="tag">[^<]*/g), ['<span class="tag">Development'])
  assert.match(page.text, /<time[^>]*>just now<\/time>/)
  assert.ok(page.text.includes(`<a href="${path}/logs">2</a>`))
  assert.equal(namesIn(await browser.get(`${world.portalUrl}/?sort=failed`))[0], 'Acme Dashboard')
})

test('our choice: a list of more than eight applications can be searched by name, website and client ID', async (t) => {
  const { world, browser } = await atNewPortal(t)
  const found = (search: string) => browser.get(`${world.portalUrl}/?${new URLSearchParams({ search })}`)
  for (let number = 1; number <= 8; number += 1) await registered(world, browser, { ...acme, name: `App ${number}` })
  assert.ok(!(await browser.get(world.portalUrl)).text.includes('role="search"'))
  assert.match((await found('App 1')).text, /role="search".*1 of 8 match\..*Show all/s)
  const other = await registered(world, browser, { ...acme, name: 'Bolt', website_url: 'https://bolt.example' })
  assert.ok((await browser.get(world.portalUrl)).text.includes('role="search"'))
  for (const search of ['bol', 'BOLT.example', other.clientId]) assert.deepEqual(namesIn(await found(search)), ['Bolt'])
  assert.match((await found('<b>')).text, /No applications found/)
})

describe('{portal_url}/apps/{applicationId}', () => {
  test('the page shows credentials, an authorization URL generator and settings, which can be changed; an invalid change changes nothing and keeps the input', async (t) => {
    const { world, browser, app, address, clientId } = await openPortal(t)
    const page = await browser.get(address)
    assert.equal(page.status, 200)
    assert.equal(shown(page, 'client-id'), clientId)
    assert.ok(shown(page, 'authorization-url').startsWith(`${world.baseUrl}/auth/consent?client_id=${clientId}&`))
    for (const value of [acme.name, acme.website_url]) assert.ok(page.text.includes(`value="${value}"`))
    for (const name of ['Rotate secret', 'Save changes', 'Delete application']) assert.ok(hasButton(page, name), name)

    const path = new URL(address).pathname
    const wanted = { ...acme, name: 'Acme Console', redirect_uris: 'https://console.acme.example/callback' }
    const saved = await browser.submit(page, wanted, path)
    assert.deepEqual([saved.status, String(saved.location)], [303, address])
    assert.match((await browser.get(saved.location as URL)).text, /Changes saved/)

    const refusal = await browser.submit(page, { ...wanted, name: 'Other', redirect_uris: '' }, path)
    assert.equal(refusal.status, 422)
    assert.match(fieldErrorOf(refusal, 'redirect_uris'), /^Enter at least one redirect URI/)
    assert.ok(refusal.text.includes('value="Other"'), 'the input is kept')
    const { text } = await browser.get(address)
    assert.match(text, /<h1>Acme Console<\/h1>/)
    assert.doesNotMatch(text, /Changes saved/, 'the message is shown once')
    assert.ok(text.includes('https://console.acme.example/callback'))
    assert.ok(await authenticates(world, app))
  })

  test('our choice: an unknown application and another user’s application return the same 404', async (t) => {
    const world = await openWorld(t)
    const { address } = await registered(world, await atPortal(world))
    const browser = await atPortal(world, bob)
    const form = await browser.get(`${world.portalUrl}/apps/new`)
    const token = new URLSearchParams({ ...acme, form_token: formTokenOf(form) })
    const addresses = [address, `${world.portalUrl}/apps/none`, `${world.portalUrl}/apps/no%20id`]
    const forms = ['', '/secret', '/deletion', '/secrets', '/secrets/1/revocation']
    const pages = [...forms, '/redirect-uris/new?redirect_uri=x', '/logs', '/logs.csv', '/logs.ndjson', '/usage']
    for (const one of addresses) {
      const answers = [...pages, '/try-outs'].map((part) => browser.get(one + part))
      const posted = [...forms, '/redirect-uris'].map((part) => browser.post(one + part, token))
      for (const answer of await Promise.all([...answers, ...posted])) {
        assert.equal(answer.status, 404, answer.url)
        assert.equal(answer.text, (await answers[0])?.text, answer.url)
      }
    }
    assert.equal((await (await atPortalAgain(world)).get(address)).status, 200, 'the application still exists')
  })
})

async function openWithSecrets(t: TestContext) {
  const scene = await openPortal(t)
  const { world, browser, app, address } = scene
  return {
    ...scene,
    works: (clientSecret: string) => authenticates(world, { ...app, clientSecret }),
    addSecond: (label = 'blue server') => browser.submitAt(`${address}/secrets`, { label }, '/secrets'),
  }
}

describe('our choice: an application can have a second secret', () => {
  test('an application’s second secret is shown once with no-store and works alongside the first, each with its creation and last use; a third, and one without a label, are refused', async (t) => {
    const { world, browser, address, clientSecret, works, addSecond } = await openWithSecrets(t)
    assert.match((await browser.get(address)).text, /data-label="Last used"><span>Never</)
    await world.clock.advance(180_000)
    const made = await addSecond()
    assert.deepEqual([made.status, made.headers.get('cache-control')], [200, 'no-store'])
    const second = shown(made, 'second-client-secret')
    assert.match(second, /^svc_cs_[A-Za-z0-9_]{43,}$/)
    assert.deepEqual([await works(clientSecret), await works(second)], [true, true])
    await world.clock.advance(60_000)
    await world.service.applications.clients.recordSecretUse()

    const page = await browser.get(address)
    assert.equal(shown(page, 'client-secret'), `••••${clientSecret.slice(-4)}`)
    assert.ok(!page.text.includes(clientSecret))
    assert.equal(shown(page, 'second-client-secret'), `••••${second.slice(-4)}`)
    assert.match(page.text, /<th scope="row"[^>]*>blue server<\/th>/)
    assert.match(page.text, /"Created"><span><time[^>]*>4 minutes ago<.*"Last used"><span><time[^>]*>1 minute ago</s)
    assert.ok(!page.text.includes(second))

    const unlabelled = await addSecond(' ')
    assert.deepEqual([unlabelled.status, /Enter a label/.test(unlabelled.text)], [422, true])
    const third = await addSecond()
    assert.deepEqual([third.status, /You already have two secrets/.test(third.text)], [422, true])
    assert.ok(!(await browser.get(address)).text.includes('>New secret<'))
  })

  test('revoking either client secret asks for confirmation and takes effect immediately; the other secret keeps working', async (t) => {
    const { browser, address, clientSecret, works, addSecond } = await openWithSecrets(t)
    const second = shown(await addSecond(), 'second-client-secret')
    const link = `href="([^"]*/revocation)">Revoke<span class="hidden-visually"> ••••${clientSecret.slice(-4)}<`
    const [, path] = new RegExp(link).exec((await browser.get(address)).text) ?? assert.fail('no link')
    const revocation = new URL(path!, address).href
    const question = await browser.get(revocation)
    assert.match(question.text, /stops working immediately/)
    assert.ok(hasButton(question, 'Revoke secret'))
    assert.equal(await works(clientSecret), true)
    const done = await browser.submit(question, {}, '/revocation')
    assert.match(done.text, /Secret revoked\./)
    assert.deepEqual([await works(clientSecret), await works(second)], [false, true])

    // Neither an already revoked secret nor the last remaining one can be revoked.
    assert.equal((await browser.get(revocation)).status, 409)
    const last = revocation.replace(/\d+(?=\/revocation)/, (number) => String(Number(number) + 1))
    const refused = await browser.get(last)
    assert.equal(refused.status, 409)
    assert.match(refused.text, /Rotate it instead/)
    assert.equal(await works(second), true)
  })

  test('the client secret can be rotated: a confirmation page says that all secrets stop working, and rotation invalidates them immediately, but no token', async (t) => {
    const { world, browser, app, address, clientSecret, works, addSecond } = await openWithSecrets(t)
    const { access_token } = (await redeem(world, app, await codeFor(world, browser, app))).json
    const second = shown(await addSecond(), 'second-client-secret')
    const question = await browser.get(`${address}/secret`)
    const effect = 'All current secrets stop working immediately'
    assert.ok((await browser.get(address)).text.includes(`Creates a new secret. ${effect}.`))
    const masked = [clientSecret, second].map((secret) => `<code>••••${secret.slice(-4)}</code>`)
    assert.ok(question.text.includes(`${effect}: ${masked.join(', ')}. The new secret is shown only once.`))
    assert.ok(hasButton(question, 'Rotate secret'))
    assert.ok(await works(second), 'opening the confirmation page changes nothing')
    const answer = await browser.submit(question, {}, '/secret')
    assert.deepEqual([answer.status, answer.headers.get('cache-control')], [200, 'no-store'])
    const rotated = shown(answer, 'client-secret')
    assert.match(rotated, /^svc_cs_[A-Za-z0-9_]{43,}$/)
    const live = await Promise.all([clientSecret, second, rotated].map(works))
    assert.deepEqual(live, [false, false, true])
    assert.equal((await userinfo(world, access_token)).status, 200)
    assert.equal(shown(await browser.get(address), 'client-secret'), `••••${rotated.slice(-4)}`)
  })
})

test('our choice: requiring PKCE in the settings applies from the next request on; a post with an invalid value, or without the field, keeps the stored setting', async (t) => {
  const { world, browser, address, app } = await openPortal(t)
  const { environment, ...fields } = acme
  /** Returns the error in the redirect of a request without PKCE, or `null` if there is none. */
  const errorWithoutPkce = async () =>
    (await new Browser().get(consentUrl(world, app))).location?.searchParams.get('error')
  const checked = async (value: string) =>
    new RegExp(`<input type="radio" name="require_pkce"[^>]* value="${value}"[^>]* checked>`).test(
      (await browser.get(address)).text,
    )
  assert.deepEqual([await checked('no'), await errorWithoutPkce()], [true, null])
  for (const [form, required] of [
    [{ ...acme, require_pkce: 'yes' }, true],
    [{ ...acme, require_pkce: 'maybe' }, true],
    [{ ...acme, require_pkce: '__proto__' }, true],
    [fields, true],
    [{ ...fields, require_pkce: 'no' }, false],
  ] as const) {
    assert.equal((await browser.submitAt(address, form)).status, 303)
    assert.equal(await errorWithoutPkce(), required ? 'invalid_request' : null, JSON.stringify(form))
    assert.equal(await checked('yes'), required)
  }
})

test('our choice: near-duplicate redirect URIs are shown with their difference and are accepted; loopback URIs may differ in their port', async (t) => {
  const { world, browser } = await atNewPortal(t)
  const uris = ['https://acme.example/cb', 'https://acme.example/cb/', 'https://www.acme.example/cb']
  const { address } = await registered(world, browser, { ...acme, redirect_uris: uris.join('\n') })
  const { text } = await browser.get(address)
  assert.match(text, /<div data-near-duplicates aria-live="polite">/)
  const said = [...text.matchAll(/<span data-kind="([a-z-]+)">/g)].map(([, kind]) => kind)
  assert.deepEqual(said, ['slash-at-end', 'www'])
  const local = 'http://localhost:3000/cb\nhttp://localhost:4000/cb'
  const form = { ...acme, environment: 'development', redirect_uris: local }
  const ports = await registered(world, browser, form)
  assert.match((await browser.get(ports.address)).text, /<div data-near-duplicates aria-live="polite" hidden>/)
})

test('our choice: the settings of an application have their own tab, which saves, and shows errors and the notice itself', async (t) => {
  const { world, browser, address } = await openPortal(t)
  const page = await browser.get(`${address}/settings`)
  const path = `${new URL(address).pathname}/settings`
  const refused = await browser.submit(page, { ...acme, name: '' }, path)
  assert.equal(refused.status, 422)
  assert.match(refused.text, /aria-current="page">Settings.*Enter a name for your application\./s)
  const saved = await browser.submit(page, { ...acme, name: 'Bolt', environment: 'development' }, path)
  assert.deepEqual([saved.status, saved.location?.pathname], [303, path])
  const after = await browser.get(`${address}/settings`)
  assert.match(after.text, /Changes saved\..* value="Bolt"/s)
  assert.match(after.text, /name="environment"[^>]* value="development"[^>]* checked/)
  assert.match(after.text, new RegExp(`${world.baseUrl}/account/subscriptions".*action="/apps/\\w+/deletion"`, 's'))
})

test('our choice: the owner of a verified application is warned that changing its name removes the mark, and sees afterwards that the mark is gone (decision 0060)', async (t) => {
  const { world, browser } = await openClient(t, {}, { verified: true })
  await browser.visit(world.portalUrl, world)
  const address = `${world.portalUrl}/apps/acme`
  const page = await browser.get(address)
  assert.match(page.text, /<strong>This application is verified<\/strong>/)
  assert.match(page.text, /This applies until you change the name, website, environment or redirect URIs/)
  const settings = {
    name: 'Acme Dashboard',
    website_url: 'https://client.example',
    redirect_uris: 'https://client.example/callback',
  }
  const same = await browser.submit(page, { ...settings, require_pkce: 'yes' }, '/apps/acme')
  assert.equal(same.location?.search, '')
  const renamed = await browser.submit(page, { ...settings, name: 'Acme Bank' }, '/apps/acme')
  assert.equal(renamed.location?.search, '')
  const after = await browser.onward(renamed, world)
  assert.match(after.text, /The application is no longer verified\. Ask the operator/)
  assert.doesNotMatch(after.text, /This application is verified|This applies until you change/)
  const stored = await provision(world, 'GET', '/v1/applications/acme')
  assert.deepEqual([stored.json.name, stored.json.verified, stored.json.ownerId], ['Acme Bank', false, ada.id])
})

test('our choice: every tab of a disabled application, and the list, say that it is disabled; a notice explains the consequences and who can enable it', async (t) => {
  const { world, browser } = await openClient(t)
  await browser.visit(world.portalUrl, world)
  const tabs = ['', '/try-outs', '/usage', '/logs', '/activity'].map((tab) => `${world.portalUrl}/apps/acme${tab}`)
  const disabled = /<strong>This application is disabled<\/strong>/
  await provision(world, 'POST', '/v1/applications/acme/disable')
  for (const tab of tabs) {
    const { text } = await browser.get(tab)
    assert.match(text, disabled, tab)
    assert.match(text, /requests, codes and tokens are rejected\. Only the operator can enable it again\./, tab)
  }
  assert.match((await browser.get(world.portalUrl)).text, />Disabled</)
  await provision(world, 'POST', '/v1/applications/acme/enable')
  for (const tab of tabs) assert.doesNotMatch((await browser.get(tab)).text, disabled, tab)
  assert.doesNotMatch((await browser.get(world.portalUrl)).text, />Disabled</)
})
