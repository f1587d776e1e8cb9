import assert from 'node:assert/strict'
import { test } from 'node:test'
import { everyPage } from '../browser/every-page.ts'
import { Browser, consentUrl, openClient } from '../support/people.ts'
import { openPopulatedWorld } from '../support/populated-world.ts'
import { openWorld } from '../support/world.ts'

/** Pages of an authorization, and those for everybody, have no such header. That of a passkey needs a browser with scripts. */
const without = /^\/(auth|botstatus|forgot-password|account\/passkeys\/1$)/
const inNoSection = ['/search', '/keys']

test('our choice: every page of both origins has the same four links, and breadcrumbs that start at the first page of its section', async (t) => {
  const furnished = await openPopulatedWorld(t)
  const { world } = furnished
  const expected = [
    `${world.baseUrl}/account Account`,
    `${world.baseUrl}/bots Bots`,
    `${world.portalUrl}/ Applications`,
    `${world.portalUrl}/reference API reference`,
  ]
  for (const [called, { text, url: shown }] of (await everyPage(furnished)).ofAda) {
    const url = new URL(shown)
    if (without.test(url.pathname)) continue
    const links = linksIn(/<nav class="places".*?<\/nav>/s.exec(text)?.[0] ?? '', url)
    assert.deepEqual(links, expected, called)
    assert.match(text, /<details class="person"><summary>.*Ada Lovelace.*\/sign-out.*<\/details>/s, called)
    const [current, ...others] = text.match(/<nav class="places".*?<\/nav>/s)?.[0].match(/aria-current="\w+"/g) ?? []
    assert.deepEqual(others, [], called)
    assert.match(text, /<a class="find" href="\/search"/, called)
    if (inNoSection.includes(url.pathname)) {
      assert.deepEqual([current, /class="trail"/.test(text)], [undefined, false], called)
      continue
    }
    const isFirst = expected.some((link) => link.startsWith(`${url.origin}${url.pathname} `))
    const trail = linksIn(/<nav class="trail".*?<\/nav>/s.exec(text)?.[0] ?? '', url)
    assert.equal(expected.includes(trail[0] ?? ''), !isFirst, `${called}: ${trail}`)
    assert.equal(current, isFirst ? 'aria-current="page"' : 'aria-current="true"', called)
  }
})

test('our choice: breadcrumbs name each page above the current one, and the heading names the object that the page shows', async (t) => {
  const { world, browser, events } = await openPopulatedWorld(t)
  const trailOf = async (path: string) => {
    const { text } = await browser.get(`${world.baseUrl}/bots/lantern${path}`)
    const [, trail = ''] = /<nav class="trail"[^>]*>(.*?)<\/nav>/s.exec(text) ?? []
    const names = trail.split('</li>').map((crumb) => crumb.replace(/<[^>]*>/g, ''))
    return [...names.slice(0, -1), /<h1>(.*?)<\/h1>/.exec(text)?.[1]]
  }
  assert.deepEqual(await trailOf(''), ['Bots', 'Lantern', 'Lantern'])
  assert.deepEqual(await trailOf('/flows'), ['Bots', 'Lantern', 'Flows', 'Lantern'])
  assert.deepEqual(await trailOf('/flows/alerts'), ['Bots', 'Lantern', 'Flows', 'Raise alerts', 'Raise alerts'])
  const test = ['Bots', 'Lantern', 'Flows', 'Raise alerts', 'Test webhook', 'Test webhook']
  assert.deepEqual(await trailOf('/flows/alerts/test'), test)
  const { text } = await browser.get(`${world.baseUrl}/bots/lantern/deliveries/${events.dead}?state=dead`)
  assert.match(text, /<li><a href="\/bots\/lantern\/deliveries\?state=dead">Deliveries<\/a>/)
})

test('our choice: pages within an authorization have neither the four links nor breadcrumbs', async (t) => {
  const { world, client, browser } = await openClient(t)
  for (const scope of ['user.identify', 'user.email']) {
    const { text } = await browser.visit(consentUrl(world, client, { scope }), world)
    assert.doesNotMatch(text, /class="(places|more|trail)"/, scope)
    assert.match(text, /<details class="person">/)
  }
})

test('our choice: a 404 page has the header of every other page for a signed-in user, and none of it otherwise', async (t) => {
  const { world, browser } = await openPopulatedWorld(t)
  const onBase = [
    ...['/no-such-page', '/assets/none.css', '/bots/none', '/bots/lantern/flows/none', '/account/passkeys/77'],
    ...['/account/tokens/none', '/account/subscriptions/none', '/account/linked/none', '/invitation?token=none'],
    ...['/botstatus/none', '/reset-password?token=none'],
  ].map((path) => `${world.baseUrl}${path}`)
  const onPortal = ['/no-such-page', '/apps/none', '/apps/none/usage', '/guides/none', '/packages/none']
  for (const address of [...onBase, ...onPortal.map((path) => `${world.portalUrl}${path}`)]) {
    const seen = await browser.get(address)
    assert.equal(seen.status, 404, address)
    if (seen.text.startsWith('No package')) continue
    assert.match(seen.text, /<nav class="places".*<details class="person"><summary>.*Ada Lovelace/s, address)
    assert.doesNotMatch((await new Browser().get(address)).text, /class="(places|person)"/, address)
  }
})

test('our choice: pages without a signed-in user have no links to the user’s pages', async (t) => {
  const { portalUrl } = await openWorld(t)
  const { text } = await new Browser().get(`${portalUrl}/reference`)
  assert.doesNotMatch(text, /class="(places|person)"/)
  assert.match(text, /<nav class="tabs".*<a href="\/guides">Guides<\/a><a href="\/packages">Packages<\/a>/)
})

function linksIn(markup: string, url: URL): string[] {
  return [...markup.matchAll(/<a href="([^"]*)"[^>]*>(.*?)<\/a>/g)].map(
    ([, href = '', name]) => `${new URL(href.replaceAll('&amp;', '&'), url).href} ${name}`,
  )
}
