import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { openPage } from '../support/browser/chromium.ts'
import { startGatehouse } from '../support/gatehouse-process.ts'
import { openWorld } from '../support/world.ts'

/**
 * `npm run pictures`: takes the screenshots in `docs/pictures/` from the demo. Uses the default ports, which must be
 * free. No test compares the screenshots; they are only for the documentation.
 */
const folder = join(import.meta.dirname, '../../docs/pictures')
const widths = [360, 768, 1280]
/** Maximum height of a screenshot, in CSS pixels. Longer pages are cropped. */
const tallest = 1_400

const usualAddresses = {
  BASE_URL: 'http://localhost:3000',
  API_URL: 'http://localhost:3001',
  PORTAL_URL: 'http://localhost:3002',
  CONTROL_URL: 'http://127.0.0.1:3003',
}

test('screenshots of the main pages are taken for the documentation', async (t) => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  const page = await openPage(t, { reducedMotion: 'reduce' })
  const take = async (name: string, address: string, { dark = false } = {}) => {
    await page.emulateMedia({ colorScheme: 'light' })
    await page.goto(address)
    for (const width of widths) await picture(page, `${name}-${width}`, width)
    if (!dark) return
    await page.emulateMedia({ colorScheme: 'dark' })
    await picture(page, `${name}-1280-dark`, 1280)
  }

  const empty = await openWorld(t, usualAddresses)
  await take('welcome', empty.baseUrl)
  await empty.stop()

  const env = { ...process.env, ...usualAddresses }
  const demo = startGatehouse(t, ['run', 'demo'], env, ['npm'])
  await demo.waitForOutput('Ctrl-C stops everything')
  const { BASE_URL: base, PORTAL_URL: portal } = usualAddresses
  const consent = /^ {2}(http.*\/auth\/consent.*)$/m.exec(demo.stdout())?.[1] as string
  const bot = `${base}/bots/lantern`
  await take('sign-in', consent)
  await take('status', `${base}/botstatus/lantern`, { dark: true })
  await page.goto(`${base}/sign-in`)
  await page.getByLabel('Email address').fill('ada@example.com')
  await page.getByLabel('Password').fill('a lamp in the gate')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL('**/account')
  await page.goto(portal)
  await take('consent', consent, { dark: true })
  await take('account', `${base}/account`)
  await take('bots', `${base}/bots`)
  await take('bot', bot)
  await take('flow', `${bot}/flows/alerts`)
  await take('deliveries', `${bot}/deliveries`, { dark: true })
  await page.goto(`${bot}/deliveries?state=dead`)
  const dead = page.locator('.deliveries tbody a').first()
  await take('delivery', await dead.evaluate((link: HTMLAnchorElement) => link.href))
  await take('coworkers', `${bot}/coworkers`)
  await take('applications', portal)
  await take('application', `${portal}/apps/acme`, { dark: true })
})

async function picture(page: Page, name: string, width: number): Promise<void> {
  await page.setViewportSize({ width, height: 800 })
  const height = Math.min(tallest, await page.evaluate(() => document.documentElement.scrollHeight))
  const devTools = await page.context().newCDPSession(page)
  const { data } = await devTools.send('Page.captureScreenshot', {
    format: 'webp',
    quality: 75,
    captureBeyondViewport: true,
    clip: { x: 0, y: 0, width, height, scale: 1 },
  })
  await devTools.detach()
  writeFileSync(join(folder, `${name}.webp`), Buffer.from(data, 'base64'))
}
