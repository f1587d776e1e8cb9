import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { parseUserId } from '../../src/domain/ids-and-secrets.ts'
import { ownLanguages } from '../../src/pages/catalogues.ts'
import { accountParts, applicationParts, botParts } from '../../src/pages/places.ts'
import { openPage, signInEverywhere } from '../support/browser/chromium.ts'
import { codeFor, provision, signedIn } from '../support/people.ts'
import { openPopulatedWorld, type PopulatedWorld } from '../support/populated-world.ts'

const headMaxPx = 120

/** Returns the URLs of all tabs, by object. Those below a tab count as the tab. */
function tabsOf({ world, events, application }: PopulatedWorld): Record<string, string[]> {
  const bot = `${world.baseUrl}/bots/lantern`
  const acme = `${world.portalUrl}/apps/acme`
  return {
    account: Object.values(accountParts).map(({ href }) => world.baseUrl + href),
    bot: [
      ...Object.values(botParts).map(({ path }) => bot + path),
      `${bot}/flows/alerts`,
      `${bot}/deliveries/${events.dead}`,
    ],
    application: Object.values(applicationParts).map(({ path }) => acme + path),
    'second application': Object.values(applicationParts).map(({ path }) => application.address + path),
    documentation: ['/reference', '/guides', '/packages'].map((path) => world.portalUrl + path),
  }
}

async function openSignedIn(t: TestContext, { world }: PopulatedWorld, javaScriptEnabled: boolean): Promise<Page> {
  const page = await openPage(t, { javaScriptEnabled, viewport: { width: 1280, height: 800 } })
  await signInEverywhere(page, world)
  return page
}

/** Returns where the tabs end, in pixels from the top of the page. */
const endOfTabs = (page: Page) => page.locator('.tabs').evaluate((tabs) => tabs.getBoundingClientRect().bottom)

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? '' : 'without scripts, '
  test(`our choice: ${how}header, name and tabs have the same height on every tab, and take at most 120 pixels on a phone, in every language`, async (t) => {
    const populated = await openPopulatedWorld(t, (name, atMost) =>
      `${name}-of-the-old-town-by-the-sea`.slice(0, atMost),
    )
    const page = await openSignedIn(t, populated, javaScriptEnabled)
    for (const language of ownLanguages) {
      for (const site of [populated.world.baseUrl, populated.world.portalUrl]) {
        await page.goto(`${site}/appearance/language/${language}`)
      }
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 800 })
        const { bot = [], application = [], ...others } = tabsOf(populated)
        const objects = language === 'en' ? { bot, application, ...others } : { bot: bot.slice(0, 2), application }
        for (const [object, addresses] of Object.entries(objects)) {
          const heights = new Map<string, number>()
          for (const address of addresses) {
            await page.goto(address)
            heights.set(address, await endOfTabs(page))
          }
          const said = `${object}, ${language}, ${width} pixels: ${JSON.stringify([...heights])}`
          assert.equal(new Set(heights.values()).size, 1, said)
          if (width < 640) assert.ok(Math.max(...heights.values()) <= headMaxPx, said)
        }
      }
    }
  })
}

test('our choice: on a phone, the rows of sections and tabs show the current one, and large text is not cut off, with and without scripts', async (t) => {
  const populated = await openPopulatedWorld(t)
  for (const javaScriptEnabled of [true, false]) {
    const page = await openSignedIn(t, populated, javaScriptEnabled)
    await page.setViewportSize({ width: 320, height: 800 })
    const { baseUrl, portalUrl } = populated.world
    for (const address of [`${baseUrl}/bots/lantern/settings`, `${portalUrl}/packages`]) {
      await page.goto(address)
      const spans = await page.locator(':is(.places, .tabs) [aria-current]').evaluateAll((links) =>
        links.map((link) => {
          const [inner, outer] = [link, link.parentElement ?? link].map((each) => each.getBoundingClientRect())
          return (
            inner !== undefined && outer !== undefined && inner.left >= outer.left - 1 && inner.right <= outer.right + 1
          )
        }),
      )
      assert.deepEqual(spans, [true, true], address)
      const cut = await page.locator('.object > h1').evaluateAll((heads) =>
        heads.filter((head) => {
          document.documentElement.style.fontSize = '200%'
          return (head.parentElement?.clientHeight ?? 0) < head.clientHeight
        }),
      )
      assert.deepEqual(cut, [], `${address}, with text twice as large`)
    }
  }
})

test('our choice: no list of twenty objects or page about one is taller than 2,000 pixels at 1280, long lists link to all of their rows, and no client ID wraps', async (t) => {
  const populated = await openPopulatedWorld(t)
  const { world, client, browser, events, subscription } = populated
  const origin = { address: '2001:db8:1234:5678:9abc:def0:1234:5678', userAgent: 'Mozilla/5.0 Firefox/140.0' }
  for (let number = 0; number < 20; number += 1) {
    await signedIn(world)
    await world.service.audit.record({ kind: 'sign-in', actor: 'user', userId: parseUserId('ada')!, origin })
    const chatPlatformId = `9876543210987654${number + 10}`
    const name = `A name of sixty characters that goes on and on and on, number`.slice(0, 57) + number
    await provision(world, 'PUT', `/v1/bots/b-${number}`, { ownerId: 'ada', name, chatPlatformId })
    const webhook = { path: `path-${number}`, requiresKey: false }
    await provision(world, 'PUT', `/v1/bots/lantern/flows/f-${number}`, { kind: 'event', name, webhook })
    const redirectUris = ['https://acme.example/callback']
    const application = { ownerId: 'ada', name, websiteUrl: 'https://acme.example', redirectUris }
    await provision(world, 'PUT', `/v1/applications/a-${number}`, application)
    const connected = { ...application, ownerId: 'grace', name: `Application ${number}` }
    const { json } = await provision(world, 'PUT', `/v1/applications/g-${number}`, connected)
    await codeFor(world, browser, { ...client, ...json, redirectUri: redirectUris[0] as string })
  }
  const page = await openSignedIn(t, populated, true)
  const others = ['/bots', `/account/subscriptions/${subscription.id}`, `/bots/lantern/deliveries/${events.done}`]
  const addresses = [
    ...Object.values(tabsOf(populated)).flat(),
    ...others.map((path) => world.baseUrl + path),
    world.portalUrl,
  ]
  for (const address of addresses.filter((each) => !each.endsWith('/reference'))) {
    await page.goto(address)
    const height = await page.locator('html').evaluate((root) => root.scrollHeight)
    assert.ok(height <= 2_000, `${address}: ${height} pixels`)
    const rows = await page.locator('.one-line tbody tr').evaluateAll((all) => all.map((row) => row.clientHeight))
    assert.ok(Math.max(...rows) <= 40, `${address}: ${rows}`)
  }
  await page.goto(world.portalUrl)
  assert.equal(await page.locator('.one-line tbody tr').count(), 22)
  for (const tab of ['sessions', 'applications']) {
    await page.goto(`${world.baseUrl}/account/${tab}`)
    const rows = page.locator('tbody tr')
    const link = page.getByRole('link', { name: /^Show all \d+ / })
    assert.equal(await rows.count(), 15)
    const all = Number(/\d+/.exec(await link.innerText())?.[0])
    await Promise.all([page.waitForEvent('load'), link.click()])
    assert.deepEqual([await rows.count(), await link.count(), all > 20], [all, 0, true])
  }
})
