import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openPage, signInAsAda } from '../support/browser/chromium.ts'
import { provision } from '../support/people.ts'
import { openPopulatedWorld } from '../support/populated-world.ts'
import { openPopulatedPage } from './populated-page.ts'

for (const javaScriptEnabled of [true, false]) {
  test(`our choice: ${javaScriptEnabled ? 'hovering over a time shows it in the reader’s time zone and in UTC' : 'without scripts, hovering over a time shows it in UTC'}`, async (t) => {
    const { world, page } = await openPopulatedPage(t, { javaScriptEnabled, timezoneId: 'Asia/Tokyo' })
    await page.goto(`${world.baseUrl}/bots`)
    const time = page.locator('main time[title]').first()
    const utc = new Date((await time.getAttribute('datetime')) ?? '')
    const textOf = (date: Date) => date.toISOString().slice(0, 19).replace('T', ' ')
    const inTokyo = textOf(new Date(utc.getTime() + 9 * 3_600_000))
    const expected = javaScriptEnabled ? `${inTokyo} (${textOf(utc)} UTC)` : `${textOf(utc)} UTC`
    assert.equal(await time.getAttribute('title'), expected)
  })
}

test('our choice: the menu under the user’s name opens, and closes with Escape or a click elsewhere', async (t) => {
  const { page } = await openPopulatedPage(t)
  const signOut = page.getByRole('button', { name: 'Sign out', exact: true })
  const menu = page.locator('summary', { hasText: 'Menu for' })
  await menu.focus()
  await page.keyboard.press('Enter')
  await signOut.waitFor()
  await page.keyboard.press('Escape')
  await signOut.waitFor({ state: 'hidden' })
  assert.equal(await menu.evaluate((element) => element === document.activeElement), true)
  await menu.click()
  await signOut.waitFor()
  await page.locator('h1').first().click()
  await signOut.waitFor({ state: 'hidden' })
})

test('our choice: a user’s name of 60 letters hides no link of the header, and the field of a search fills a phone', async (t) => {
  const { world } = await openPopulatedWorld(t)
  const someone = { name: 'W'.repeat(60), email: 'w@example.com', password: 'sixty letters are many' }
  await provision(world, 'PUT', '/v1/users/sixty', someone)
  const page = await openPage(t)
  await signInAsAda(page, world, someone)
  await page.goto(`${world.baseUrl}/search`)
  assert.equal(await page.locator('.places').evaluate((row) => row.scrollWidth - row.clientWidth), 0)
  await page.setViewportSize({ width: 360, height: 740 })
  assert.ok((await page.locator('#q').evaluate((field) => field.clientWidth)) > 200)
  await provision(world, 'DELETE', '/v1/users/sixty')
})
