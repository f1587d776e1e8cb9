import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { parseBotId } from '../../src/domain/ids.ts'
import { openPage } from '../support/browser/chromium.ts'
import { ada } from '../support/people.ts'
import { openPopulatedWorld } from '../support/populated-world.ts'
import { openWorld, type World } from '../support/world.ts'
import { everyPage } from './every-page.ts'

/**
 * `npm run pictures`: takes the screenshots in `docs/pictures/` from a service with content on every page. Uses the
 * default ports, which must be free. No test compares the screenshots; they are only for the documentation.
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

  const furnished = await openPopulatedWorld(t, undefined, usualAddresses)
  const { world } = furnished
  await giveAPast(world)
  const { strangers, account, bots, portal } = everyPage(furnished)
  await take('sign-in', strangers['sign in on the way to an application'] ?? '')
  await take('status', strangers['status of a bot'] ?? '', { dark: true })
  await page.goto(`${world.baseUrl}/sign-in`)
  await page.getByLabel('Email address').fill(ada.email)
  await page.getByLabel('Password').fill(ada.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL('**/account')
  await page.goto(world.portalUrl)
  await take('consent', account.consent ?? '', { dark: true })
  await take('account', account.account ?? '')
  await take('bots', bots.bots ?? '')
  await take('bot', bots['a bot'] ?? '')
  await take('flow', bots['a flow with a key'] ?? '')
  await take('deliveries', bots.deliveries ?? '', { dark: true })
  await take('delivery', bots['a dead letter'] ?? '')
  await take('coworkers', bots.coworkers ?? '')
  await take('applications', portal.applications ?? '')
  await take('application', portal['an application in production'] ?? '', { dark: true })
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

/** Writes ninety days of mostly good history straight to the database, since a test can't run for that long. */
async function giveAPast(world: World): Promise<void> {
  await world.clock.advance(3 * 3_600_000)
  await world.stop()
  const database = new DatabaseSync(join(world.dataDir, 'identity.sqlite'))
  const put = (table: string, unitMs: number, from: number, until: number, downMs = 0) =>
    database
      .prepare(`INSERT OR REPLACE INTO ${table} VALUES ('lantern', ?, ?, ?, ?, 0)`)
      .run(from, until, unitMs - downMs, downMs)
  const dayMs = 86_400_000
  const today = Math.floor(world.clock.nowMs() / dayMs)
  put('status_days', dayMs, today - 89, today - 61)
  put('status_days', dayMs, today - 61, today - 60, 4 * 3_600_000)
  put('status_days', dayMs, today - 60, today - 12)
  put('status_days', dayMs, today - 12, today - 11, 25 * 60_000)
  put('status_days', dayMs, today - 11, today)
  const slotMs = 300_000
  const now = Math.floor(world.clock.nowMs() / slotMs)
  put('status_slots', slotMs, now - 288, now - 90)
  put('status_slots', slotMs, now - 90, now - 88, slotMs)
  put('status_slots', slotMs, now - 88, now)
  database.close()
  await world.restart()
  const well = { ready: true, presence: 'online', uptimeMs: 11 * dayMs, guildCount: 1_234, shardCount: 2 } as const
  world.service.bots.heartbeats.record([{ botId: parseBotId('lantern')!, ...well }])
}
