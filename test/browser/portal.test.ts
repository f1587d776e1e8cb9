import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { ownLanguages } from '../../src/pages/catalogues.ts'
import { openPage, signInAsAda } from '../support/browser/chromium.ts'
import { acme, atPortal, registered } from '../support/portal-people.ts'
import { ada } from '../support/sign-in-forms.ts'
import { openWorld, type World } from '../support/world.ts'

test('redirect URIs are added and removed as rows, and the text area still accepts one URI per line', async (t) => {
  const world = await openWorld(t)
  const page = await openPage(t)
  await atPortal(world)
  await signInAsAda(page, world, ada)
  await page.goto(`${world.portalUrl}/apps/new`)
  await page.getByLabel('Name').fill('Acme')
  await page.getByLabel('Website URL').fill('https://acme.example')

  const area = page.locator('textarea[name="redirect_uris"]')
  const row = (number: number) => page.getByLabel(`Redirect URI ${number}`, { exact: true })
  const near = page.locator('[data-near-duplicates]')
  assert.equal(await page.getByText('one per line').isVisible(), false)
  await row(1).fill('https://acme.example/one')
  await page.getByRole('button', { name: 'Add a redirect URI' }).click()
  await page.keyboard.type('https://acme.example/one/')
  assert.equal(await area.inputValue(), 'https://acme.example/one\nhttps://acme.example/one/')
  assert.match(await near.innerText(), /differ only by a trailing slash/)
  await page.getByRole('button', { name: 'Remove' }).nth(1).click()
  assert.equal(await area.inputValue(), 'https://acme.example/one')
  assert.equal(await near.isVisible(), false)

  await area.fill('https://acme.example/two\nhttps://acme.example/three')
  assert.equal(await row(2).inputValue(), 'https://acme.example/three')
  await page.getByRole('button', { name: 'Register application' }).click()
  await page.getByTestId('client-secret').waitFor()
  assert.equal(await area.inputValue(), 'https://acme.example/two\nhttps://acme.example/three')
})

test('names in the API reference break only between words, on a phone, a tablet and a desktop', async (t) => {
  const world = await openWorld(t)
  const page = await openPage(t)
  for (const width of [360, 700, 1280]) {
    await page.setViewportSize({ width, height: 900 })
    await page.goto(`${world.portalUrl}/reference`)
    const broken = await page.evaluate<string[]>(`
      [...document.querySelectorAll('.members th code')]
        .flatMap((code) => [...code.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE))
        .filter((text) => {
          const range = document.createRange()
          range.selectNodeContents(text)
          return !text.data.includes(' ') && range.getClientRects().length > 1
        })
        .map(({ data }) => data)`)
    assert.deepEqual(broken, [], `${width} pixels`)
  }
})

const tallestPx = 2_000

test('an application with ten redirect URIs is at most 1,600 pixels tall, and its page has the settings form', async (t) => {
  const world = await openWorld(t)
  const uris = Array.from({ length: 10 }, (_, number) => `https://acme.example/callback/of/the/${number}/service`)
  const { address } = await registered(world, await atPortal(world), { ...acme, redirect_uris: uris.join('\n') })
  await eachTimeSignedIn(t, world, async (page, said) => {
    await page.goto(address)
    const height = await page.locator('html').evaluate((root) => root.scrollHeight)
    assert.ok(height <= 1_600, `${height} pixels: ${said}`)
    const fields = ['name', 'website_url', 'redirect_uris'].map((name) => `[name="${name}"]`)
    for (const field of [
      ...fields,
      '[data-testid="client-id"]',
      '[form="deletion"]',
      '[data-testid="authorization-url"]',
    ])
      assert.ok(await page.locator(field).isVisible(), field)
  })
})

test('an application with two secrets and two similar redirect URIs is at most 2,000 pixels tall', async (t) => {
  const world = await openWorld(t)
  const browser = await atPortal(world)
  const { address } = await registered(world, browser, {
    ...acme,
    environment: 'development',
    redirect_uris: 'http://localhost:8080/callback\nhttp://localhost:8080/callback/',
  })
  await browser.submitAt(`${address}/secrets`, { label: 'Second server' }, '/secrets')

  await eachTimeSignedIn(t, world, async (page, said) => {
    for (const path of ['', '/settings']) {
      await page.goto(address + path)
      const height = await page.locator('html').evaluate((root) => root.scrollHeight)
      assert.ok(height <= tallestPx, `${height} pixels: ${path}, ${said}`)
    }
  })
})

/** Calls `work` in each language, with and without scripts. */
async function eachTimeSignedIn(t: TestContext, world: World, work: (page: Page, said: string) => Promise<void>) {
  for (const javaScriptEnabled of [true, false]) {
    const page = await openPage(t, { viewport: { width: 1280, height: 720 }, javaScriptEnabled })
    await signInAsAda(page, world, ada)
    await page.goto(world.portalUrl)
    for (const language of ownLanguages) {
      await page.goto(`${world.portalUrl}/appearance/language/${language}`)
      await work(page, `${language}, ${javaScriptEnabled ? 'with' : 'without'} scripts`)
    }
  }
}
