import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deliveryStreamPollMs } from '../../src/domain/limits/limits.ts'
import { openPage } from '../support/browser/chromium.ts'
import { ada } from '../support/people.ts'
import { openPopulatedWorld } from '../support/populated-world.ts'

test('our choice: scripts show local times, select all rows, and keep selection and focus when the list updates itself', async (t) => {
  const { world, events } = await openPopulatedWorld(t)
  const page = await openPage(t, { timezoneId: 'Asia/Kolkata' })
  await page.goto(`${world.baseUrl}/sign-in`)
  await page.getByLabel('Email address').fill(ada.email)
  await page.getByLabel('Password').fill(ada.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL('**/account')
  await page.goto(`${world.baseUrl}/bots/lantern/deliveries`)
  await page.getByText('Live', { exact: true }).waitFor()

  const time = page.locator('.deliveries tbody time').first()
  assert.equal(await time.textContent(), '2026-01-05 17:30:00')
  assert.equal(await time.getAttribute('data-utc'), '2026-01-05 12:00:00 UTC')

  await page.getByText(/^Times in Asia\//).waitFor()

  const rows = page.locator('.deliveries input[name="event"]')
  await page.getByLabel('Select all').check()
  await page.getByText('2 selected').waitFor()
  await rows.first().uncheck()
  await page.getByText('1 selected').waitFor()
  await page.locator(`.deliveries a[href$="/${events.done}"]`).focus()

  await fetch(`${world.apiUrl}/lantern/deploys`, { method: 'POST', body: '{"version":9}' })
  await world.clock.advance(deliveryStreamPollMs)
  await page.getByText('"version":9').waitFor()
  assert.equal(await rows.count(), 3)
  assert.deepEqual(await rows.evaluateAll((boxes) => boxes.map((box) => (box as HTMLInputElement).checked)), [
    false,
    false,
    true,
  ])
  await page.getByText('1 selected').waitFor()
  assert.equal(await time.textContent(), '2026-01-05 17:30:03')
  const focused = await page.evaluate(() => (document.activeElement as HTMLAnchorElement | null)?.href)
  assert.equal(focused?.split('/').at(-1), events.done)
})

test('our choice: with scripts, the hours of the chart and the custom range are local times', async (t) => {
  const { world } = await openPopulatedWorld(t)
  const page = await openPage(t, { timezoneId: 'Asia/Kolkata' })
  await page.goto(`${world.baseUrl}/sign-in`)
  await page.getByLabel('Email address').fill(ada.email)
  await page.getByLabel('Password').fill(ada.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL('**/account')
  await page.goto(`${world.baseUrl}/bots/lantern/deliveries?since=hour`)
  await page.getByText('Show as table').click()
  await page.getByRole('link', { name: '17:30', exact: true }).click()
  await page.waitForURL('**/deliveries?from=2026-01-05T12%3A00&until=2026-01-05T13%3A00')
  assert.equal(await page.locator('[name="from"]').inputValue(), '2026-01-05T17:30')
  assert.equal(await page.getByText('(UTC)').first().isVisible(), false)
  assert.equal(await page.locator('.deliveries tbody tr').count(), 2)

  await page.locator('[name="until"]').fill('2026-01-05T17:45')
  await page.getByRole('button', { name: 'Apply filter' }).click()
  await page.waitForURL((url) => url.searchParams.get('until') === '2026-01-05T12:15')
  assert.equal(new URL(page.url()).searchParams.get('from'), '2026-01-05T12:00')
  assert.equal(await page.locator('[name="until"]').inputValue(), '2026-01-05T17:45')
})

test('our choice: without scripts, the custom range is in UTC, and the page says so', async (t) => {
  const { world, browser } = await openPopulatedWorld(t)
  const { text } = await browser.get(`${world.baseUrl}/bots/lantern/deliveries?since=hour&from=2026-01-05T12:00`)
  assert.match(text, /From <span data-utc-only>\(UTC\)<\/span>/)
  assert.match(text, /Times in UTC/)
  // The range replaces the choice of the last hour.
  assert.match(text, /<option value="any" selected>/)
})
