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
