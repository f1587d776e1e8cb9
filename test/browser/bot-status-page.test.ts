import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertUsable, openPage } from '../support/browser/chromium.ts'
import { heartbeat, id, openScene, putBot, putNotice } from '../support/status-bot.ts'
import type { World } from '../support/world.ts'

const pageOf = ({ baseUrl }: World) => `${baseUrl}/botstatus/${id}`

/** Creates history that contains every kind of bar. */
async function past(world: World) {
  const online = async (quarters: number) => {
    for (let beat = 0; beat < quarters * 15; beat += 1) {
      heartbeat(world)
      await world.clock.advance(60_000)
    }
  }
  await online(4)
  await world.clock.advance(20 * 60_000)
  await online(2)
  await putBot(world, { hostingEnabled: false })
  await world.clock.advance(45 * 60_000)
  await putBot(world)
  await online(3)
}

test('the status page updates automatically, without moving the content below the status', async (t) => {
  const { world } = await openScene(t)
  await past(world)
  await world.clock.advance(120_000)
  const page = await openPage(t)
  // The window is too tall to scroll, so that positions can be compared.
  await page.setViewportSize({ width: 1280, height: 2_400 })
  await page.goto(pageOf(world))
  const state = page.getByRole('status')
  await page.getByText('Live: this page updates automatically.').waitFor()
  assert.match(await state.innerText(), /^Offline/)
  await page.getByRole('group', { name: /^Last 90 days: [\d.]+ % online$/ }).waitFor()
  const facts = page.locator('[data-live="facts"]')
  const before = await facts.boundingBox()
  await page.locator('summary').first().click()

  heartbeat(world, { guildCount: 1_234 })
  await world.clock.advance(1_000)
  await state.getByText('Online', { exact: true }).waitFor()
  await page.getByText('1,234').waitFor()
  assert.equal(await page.title(), 'Lantern: online · Gatehouse')
  assert.deepEqual(await facts.boundingBox(), before)

  await putNotice(world, '<b>Moving</b> on Sunday')
  await world.clock.advance(1_000)
  await page.getByText('<b>Moving</b> on Sunday').waitFor()
  // When a new quarter-hour starts, the bars are redrawn. Expanded details stay open.
  await world.clock.advance(15 * 60_000)
  await state.getByText('Offline', { exact: true }).waitFor()
  assert.ok(await page.getByRole('columnheader', { name: 'Downtime' }).isVisible())
  await assertUsable(page)

  await putBot(world, { publicStatus: false })
  await world.clock.advance(1_000)
  await page.getByRole('heading', { name: 'Status not found' }).waitFor()
})

test('the status page polls every 15 seconds if its event stream is refused', async (t) => {
  const { world } = await openScene(t)
  const page = await openPage(t)
  await page.route('**/events', (route) => route.fulfill({ status: 204 }))
  await page.clock.install()
  await page.goto(pageOf(world))
  await page.getByText('Updated every 15 seconds.').waitFor()
  heartbeat(world)
  await page.clock.runFor(15_000)
  await page.getByRole('status').getByText('Online', { exact: true }).waitFor()
})
