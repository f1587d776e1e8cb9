import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ownLanguages } from '../../src/pages/catalogues.ts'
import { openPage, signInAsAda } from '../support/browser/chromium.ts'
import { openPopulatedWorld } from '../support/populated-world.ts'
import { acme, atPortal, registered } from '../support/portal-people.ts'
import { ada } from '../support/sign-in-forms.ts'
import { openWorld } from '../support/world.ts'

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

test('an application with ten redirect URIs is at most 1,600 pixels tall, one with two secrets and similar URIs at most 2,000, and its page has the settings form', async (t) => {
  const { world, browser, application } = await openPopulatedWorld(t)
  const uris = Array.from({ length: 10 }, (_, number) => `https://acme.example/callback/of/the/${number}/service`)
  const { address } = await registered(world, browser, { ...acme, redirect_uris: uris.join('\n') })
  const fields = ['name', 'website_url', 'redirect_uris'].map((name) => `[name="${name}"]`)
  const parts = [...fields, '[data-testid="client-id"]', '[data-testid="authorization-url"]', '[form="deletion"]']
  for (const javaScriptEnabled of [true, false]) {
    const page = await openPage(t, { viewport: { width: 1280, height: 720 }, javaScriptEnabled })
    await signInAsAda(page, world)
    await page.goto(world.portalUrl)
    for (const language of ownLanguages) {
      await page.goto(`${world.portalUrl}/appearance/language/${language}`)
      for (const [url, tallestPx] of [
        [`${application.address}/settings`, 2_000],
        [application.address, 2_000],
        [address, 1_600],
      ] as const) {
        await page.goto(url)
        const height = await page.locator('html').evaluate((root) => root.scrollHeight)
        assert.ok(height <= tallestPx, `${height} pixels: ${url}, ${language}, scripts: ${javaScriptEnabled}`)
      }
      for (const part of parts) assert.ok(await page.locator(part).isVisible(), part)
    }
  }
})
