import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { assertUsable, openPage } from '../browser/chromium.ts'
import { ada, adaWithClient, type Client, consentUrl, provision } from '../people.ts'
import { openWorld, type World } from '../world.ts'

const pages = [
  '/account',
  '/account/name',
  '/account/email',
  '/account/password',
  '/account/pin',
  '/account/passkeys',
  '/account/linked',
  '/account/activity',
  '/unlock',
]

async function openScene(t: TestContext): Promise<{ world: World; client: Client }> {
  const world = await openWorld(t)
  return { world, client: await localClient(t, world) }
}

/** An application that runs here, so that a browser can go back to it. */
async function localClient(t: TestContext, world: World, application: object = {}): Promise<Client> {
  const server = createServer((_request, response) => response.end('back'))
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  t.after(() => server.close())
  const redirectUri = `http://localhost:${(server.address() as AddressInfo).port}/callback`
  const development = { environment: 'development', redirectUris: [redirectUri] }
  return { ...(await adaWithClient(world, { ...development, ...application })), redirectUri }
}

async function signIn(page: Page, world: World): Promise<void> {
  await page.goto(`${world.baseUrl}/sign-in`)
  await page.locator('#email').fill(ada.email)
  await page.locator('#password').fill(ada.password)
  await page.locator('#password').press('Enter')
  await page.waitForURL('**/account')
}

describe('our choice: sign-in, consent and account pages (decision 0027)', () => {
  for (const locale of ['en', 'de']) {
    test(`every page can be used by everybody, in both colours, on a phone and at 200 %: ${locale}`, async (t) => {
      const { world, client } = await openScene(t)
      const page = await openPage(t, { locale })
      await page.goto(`${world.baseUrl}/sign-in`)
      assert.equal(await page.locator('html').getAttribute('lang'), locale)
      await assertUsable(page)
      for (const path of ['/sign-up', '/forgot-password']) {
        await page.goto(`${world.baseUrl}${path}`)
        await assertUsable(page)
      }
      await signIn(page, world)
      for (const path of pages) {
        await page.goto(`${world.baseUrl}${path}`)
        await assertUsable(page)
      }
      await page.goto(consentUrl(world, client))
      await assertUsable(page)
      await page.goto(consentUrl(world, { ...client, redirectUri: `${client.redirectUri}/` }))
      await assertUsable(page)
    })
  }

  test('each page is under 60 kB on the wire, with all that it loads', async (t) => {
    const { world, client } = await openScene(t)
    const page = await openPage(t)
    const cdp = await page.context().newCDPSession(page)
    await cdp.send('Network.enable')
    await cdp.send('Network.setCacheDisabled', { cacheDisabled: true })
    let bytes = 0
    cdp.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength
    })
    const weigh = async (address: string) => {
      bytes = 0
      await page.goto(address, { waitUntil: 'networkidle' })
      t.diagnostic(`${new URL(page.url()).pathname}: ${bytes} bytes`)
      assert.ok(bytes > 0 && bytes < 60_000, `${address} weighs ${bytes} bytes`)
    }
    for (const path of ['/sign-in', '/sign-up', '/forgot-password']) await weigh(`${world.baseUrl}${path}`)
    await signIn(page, world)
    for (const address of [...pages.map((path) => `${world.baseUrl}${path}`), consentUrl(world, client)]) {
      await weigh(address)
    }
  })

  test('whatever a person or a platform calls things, it is text: nothing of it runs', async (t) => {
    const world = await openWorld(t)
    const hostile = `"'><img src=x onerror=alert(1)><script>alert(2)</script>`
    await provision(world, 'PUT', '/v1/scopes/evil.read', { description: `See ${hostile}` })
    const client = await localClient(t, world, { name: hostile, websiteUrl: `https://client.example/"><script>` })
    await provision(world, 'PUT', '/v1/users/ada', { name: hostile })
    for (const locale of ['en', 'de']) {
      const page = await openPage(t, { locale, userAgent: hostile })
      page.on('dialog', () => assert.fail('something ran'))
      await signIn(page, world)
      const scope = 'user.identify evil.read'
      await page.goto(consentUrl(world, client, { scope }))
      assert.equal(await page.locator('img[src="x"], main script').count(), 0)
      assert.ok((await page.getByRole('main').textContent())?.includes(hostile))
      await page.locator('button[value="allow"]').click()
      await page.getByText('back').waitFor()
      for (const path of ['/account', '/account/activity', '/account/name']) {
        await page.goto(`${world.baseUrl}${path}`)
        assert.equal(await page.locator('img[src="x"], main script').count(), 0, path)
      }
    }
  })
})
