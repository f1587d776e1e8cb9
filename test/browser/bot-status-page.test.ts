import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { parseBotId, parseUserId } from '../../src/domain/ids-and-secrets.ts'
import { assertUsable, openPage } from '../support/browser/chromium.ts'
import { openPageUser, ways } from '../support/browser/page-user.ts'
import { provision } from '../support/people.ts'
import { openWorld, type World } from '../support/world.ts'

const botId = parseBotId('lantern')!

async function openScene(t: TestContext) {
  const world = await openWorld(t)
  await provision(world, 'PUT', '/v1/users/ada', { name: 'Ada' })
  await putBot(world, {})
  return { world, address: `${world.baseUrl}/botstatus/lantern` }
}

async function putBot(world: World, bot: object) {
  const body = { ownerId: 'ada', name: 'Lantern', chatPlatformId: '215215215215215215', hostingEnabled: true }
  const { json } = await provision(world, 'PUT', `/v1/bots/${botId}`, { ...body, publicStatus: true, ...bot })
  assert.equal(json?.id, botId, JSON.stringify(json))
}

function heartbeat(world: World) {
  const report = { ready: true, presence: 'idle', uptimeMs: 7_200_000, guildCount: 1_234, shardCount: 2 } as const
  world.service.bots.heartbeats.record([{ botId, ...report }])
}

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
  await putBot(world, { hostingEnabled: true })
  await online(3)
}

test('the status page updates automatically, without moving the content below the status', async (t) => {
  const { world, address } = await openScene(t)
  await past(world)
  await world.clock.advance(120_000)
  const page = await openPage(t)
  // The window is too tall to scroll, so that positions can be compared.
  await page.setViewportSize({ width: 1280, height: 2_400 })
  await page.goto(address)
  const state = page.getByRole('status')
  await page.getByText('Live: this page updates automatically.').waitFor()
  assert.match(await state.innerText(), /^Offline/)
  const facts = page.locator('[data-live="facts"]')
  const before = await facts.boundingBox()
  await page.locator('summary').first().click()

  heartbeat(world)
  await world.clock.advance(1_000)
  await state.getByText('Online', { exact: true }).waitFor()
  await page.getByText('1,234').waitFor()
  assert.equal(await page.title(), 'Lantern: online · Gatehouse')
  assert.deepEqual(await facts.boundingBox(), before)

  await world.service.bots.notices.put(parseUserId('ada')!, botId, '<b>Moving</b> on Sunday')
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
  const { world, address } = await openScene(t)
  const page = await openPage(t)
  await page.route('**/events', (route) => route.fulfill({ status: 204 }))
  await page.clock.install()
  await page.goto(address)
  await page.getByText('Updated every 15 seconds.').waitFor()
  heartbeat(world)
  await page.clock.runFor(15_000)
  await page.getByRole('status').getByText('Online', { exact: true }).waitFor()
})

for (const way of ways) {
  test(`the status page shows the bot’s state and history, ${way}`, async (t) => {
    const { world, address } = await openScene(t)
    await past(world)
    const hand = await openPageUser(t, way)
    await hand.open(address)
    assert.match(await hand.page.getByRole('status').innerText(), /^Online/)
    await hand.page.getByRole('group', { name: /^Last 90 days: [\d.]+ % online$/ }).waitFor()
    await hand.unfold('downtime')
    assert.ok(await hand.page.getByRole('columnheader', { name: 'Downtime' }).isVisible())
    if (!hand.scripts) await hand.sees(/As of 1\d:\d\d UTC\. Reload the page to update/)
  })
}
