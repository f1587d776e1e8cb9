import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ada, adaWithClient, Browser, consentUrl, openClient, provision, signedIn } from '../support/people.ts'
import { acme, atNewPortal, openPortal, registered } from '../support/portal-people.ts'
import { openWorld, type World } from '../support/world.ts'

/** Starts an authorization without PKCE. Returns the error in the redirect, or `null` if there is none. */
async function errorWithoutPkce(world: World, client: { clientId: string; clientSecret: string }) {
  const url = consentUrl(world, { ...client, redirectUri: acme.redirect_uris }, { scope: 'user.identify' })
  return (await new Browser().get(url)).location?.searchParams.get('error')
}

test('our choice: requiring PKCE in the settings applies from the next request on; a post with an invalid value, or without the field, keeps the stored setting', async (t) => {
  const { world, browser, address, app } = await openPortal(t)
  const page = await browser.get(address)
  assert.match(page.text, /<input type="radio" name="require_pkce"[^>]* value="no"[^>]* checked>/)
  assert.equal(await errorWithoutPkce(world, app), null)

  const saved = await browser.submit(page, { ...acme, require_pkce: 'yes' }, new URL(address).pathname)
  assert.equal(saved.status, 303)
  assert.match(
    (await browser.get(address)).text,
    /<input type="radio" name="require_pkce"[^>]* value="yes"[^>]* checked>/,
  )
  assert.equal(await errorWithoutPkce(world, app), 'invalid_request')
  const { environment, ...fields } = acme
  for (const odd of ['maybe', '__proto__', undefined]) {
    const form = odd === undefined ? fields : { ...acme, require_pkce: odd }
    const kept = await browser.submit(page, form, new URL(address).pathname)
    assert.equal(kept.status, 303, String(odd))
  }
  assert.equal(await errorWithoutPkce(world, app), 'invalid_request')
  await browser.submit(page, { ...fields, require_pkce: 'no' }, new URL(address).pathname)
  assert.equal(await errorWithoutPkce(world, app), null)
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
  const world = await openWorld(t)
  await adaWithClient(world, { verified: true })
  const browser = await signedIn(world)
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
