import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { axeViolations } from '../support/browser/chromium.ts'
import { pageUserAt } from '../support/browser/page-user.ts'
import { openPopulatedPage } from './populated-page.ts'

test('our choice: J and K go through the rows of a list, Enter opens one, and slash goes to its filter', async (t) => {
  const { page, world } = await openPopulatedPage(t)
  const list = `${world.baseUrl}/bots/lantern/deliveries`
  await page.goto(list)
  const rows = page.locator('.deliveries tbody tr')
  const focused = () => rows.evaluateAll((all) => all.findIndex((row) => row.contains(document.activeElement)))
  const last = (await rows.count()) - 1
  for (const [key, at] of [
    ['j', 0],
    ['j', 1],
    ['k', 0],
    ['k', 0],
  ] as const) {
    await page.keyboard.press(key)
    assert.equal(await focused(), at, key)
  }
  for (let at = 0; at <= last + 1; at += 1) await page.keyboard.press('j')
  assert.equal(await focused(), last)
  const address = await page.evaluate(() => (document.activeElement as HTMLAnchorElement).href)
  await page.keyboard.press('Enter')
  await page.waitForURL(address)

  await page.goto(list)
  await page.keyboard.press('/')
  await page.keyboard.type('jkr/?gb')
  assert.equal(await page.getByLabel('Event ID or text in the body').inputValue(), 'jkr/?gb')
  assert.equal(page.url(), list)
})

test('our choice: R replays the shown webhook, and in a list the one whose row has the focus; held down, it replays once, although the next page opens meanwhile', async (t) => {
  const { page, world, events } = await openPopulatedPage(t)
  const list = `${world.baseUrl}/bots/lantern/deliveries`
  await page.goto(`${list}/${events.dead}`)
  await page.keyboard.press('r')
  await page.getByText('Replay of').waitFor()
  assert.notEqual(page.url(), `${list}/${events.dead}`)

  await page.goto(`${list}?state=done`)
  await page.keyboard.press('j')
  await page.keyboard.down('r')
  await page.getByText('1 webhook replayed').waitFor()
  await page.waitForLoadState()
  const posts: string[] = []
  // Without the GET of a live list's stream, which connects once the page has loaded.
  page.on('request', (request) => request.method() === 'GET' || posts.push(request.url()))
  await page.keyboard.down('r')
  await page.keyboard.up('r')
  await page.keyboard.press('j')
  assert.deepEqual(posts, [])
})

test('our choice: G and a letter go to bots and applications, on either origin', async (t) => {
  const { page, world } = await openPopulatedPage(t)
  await go(page, 'a')
  await page.waitForURL(`${world.portalUrl}/`)
  await go(page, 'b')
  await page.waitForURL(`${world.baseUrl}/bots`)
  // Without G, the letters do nothing.
  await page.keyboard.press('a')
  await page.keyboard.press('b')
  assert.equal(page.url(), `${world.baseUrl}/bots`)
})

test('our choice: the question mark shows the keys, which can be turned off and on again', async (t) => {
  const { page, world } = await openPopulatedPage(t)
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await page.goto(`${world.portalUrl}/`)
  await page.keyboard.press('?')
  await dialog.getByText('Next and previous row').waitFor()
  assert.deepEqual(await axeViolations(page, 'all', 'dialog'), [])
  await dialog.getByRole('button', { name: 'Close' }).click()
  await dialog.waitFor({ state: 'detached' })

  // The second press comes before the first one has loaded the keys.
  await page.keyboard.press('?')
  await page.keyboard.press('?')
  await dialog.getByRole('link', { name: 'Turn single keys off' }).click()
  await page.locator('html[data-keys="off"]').waitFor()
  await page.waitForLoadState()
  await page.keyboard.press('?')
  await go(page, 'b')
  assert.equal(await dialog.count(), 0)
  assert.equal(page.url(), `${world.portalUrl}/`)

  await page.locator('summary', { hasText: 'Menu for' }).click()
  await page.getByRole('link', { name: 'Keyboard shortcuts' }).click()
  await page.getByText('Single keys are off in this browser').waitFor()
  await page.getByRole('link', { name: 'Turn single keys on' }).click()
  await page.getByText('Single keys work with scripts').waitFor()
  await page.waitForLoadState()
  await go(page, 'b')
  await page.waitForURL(`${world.baseUrl}/bots`)
})

test('our choice: Ctrl+K opens the search above a page; arrows and Enter choose a result on either origin', async (t) => {
  const { page, world } = await openPopulatedPage(t)
  for (const address of [`${world.baseUrl}/bots`, `${world.portalUrl}/`]) {
    await page.goto(address)
    await page.keyboard.press('Control+K')
    const field = page.getByRole('combobox', { name: 'Search' })
    // As one input: otherwise, results for the last letters could replace those whose selection the test has changed.
    await field.fill('lantern')
    await page.getByRole('option', { name: 'Raise alerts Lantern Flow' }).waitFor()
    assert.equal(await selected(page), 'Lantern Bots Bot')
    await page.keyboard.press('ArrowDown')
    assert.equal(await selected(page), 'Raise alerts Lantern Flow')
    const active = await field.getAttribute('aria-activedescendant')
    assert.equal(await page.locator(`#${active}`).getAttribute('aria-selected'), 'true')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    assert.notEqual(await selected(page), 'Lantern Bots Bot')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${world.baseUrl}/bots/lantern`)
  }
})

test('our choice: Enter right after typing waits for the results and opens the first, which can be an action', async (t) => {
  const { page, world } = await openPopulatedPage(t)
  await page.keyboard.press('Control+K')
  await page.getByRole('combobox', { name: 'Search' }).waitFor()
  await page.keyboard.type('replay lantern')
  await page.keyboard.press('Enter')
  await page.waitForURL(`${world.baseUrl}/bots/lantern/dead-letters/replay`)
})

test('our choice: Escape closes the search, and the focus returns to where it was', async (t) => {
  const { page } = await openPopulatedPage(t)
  const menu = page.locator('summary', { hasText: 'Menu for' })
  await menu.focus()
  await page.keyboard.press('Control+K')
  await page.getByRole('option').first().waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('combobox').waitFor({ state: 'hidden' })
  assert.equal(await menu.evaluate((element) => element === document.activeElement), true)
  await page.getByRole('link', { name: 'Search' }).click()
  await page.getByRole('option').first().waitFor()
  await page.mouse.click(5, 400)
  await page.getByRole('combobox').waitFor({ state: 'hidden' })
})

test('our choice: says how many results there are, and is accessible with and without results', async (t) => {
  const { page } = await openPopulatedPage(t)
  await page.keyboard.press('Control+K')
  await page.getByRole('combobox').fill('harbor')
  const status = page.locator('.finder [role="status"]')
  await status.filter({ hasText: /^\d+ results?$/ }).waitFor({ state: 'attached' })
  assert.deepEqual(await axeViolations(page, 'all', '.finder'), [])
  await page.getByRole('combobox').fill('none such page')
  await status.filter({ hasText: 'Nothing found' }).waitFor({ state: 'attached' })
  assert.deepEqual(await axeViolations(page, 'all', '.finder'), [])
})

test('our choice: leads to the sign-in page when the session has ended', async (t) => {
  const { page } = await openPopulatedPage(t)
  await page.keyboard.press('Control+K')
  await page.getByRole('option').first().waitFor()
  await page.context().clearCookies()
  await page.keyboard.type('bots')
  await page.waitForURL(/\/sign-in\?/, { waitUntil: 'networkidle' })
})

test('our choice: without scripts, the header’s link leads to the search page', async (t) => {
  const { page, world } = await openPopulatedPage(t, { javaScriptEnabled: false })
  const user = pageUserAt(page, 'without scripts')
  await user.follow('Search')
  await user.press('Search', { 'Name, ID, page or action': 'harbor deliveries' })
  await user.follow('Deliveries Harbor Page')
  assert.equal(page.url(), `${world.baseUrl}/bots/harbor/deliveries`)
})

/** Presses G and a letter. Sends both at once, because the letter must follow within a second and a half. */
async function go(page: Page, letter: string): Promise<void> {
  await Promise.all([page.keyboard.press('g'), page.keyboard.press(letter)])
}

async function selected(page: Page): Promise<string> {
  const text = await page.locator('[role="option"][aria-selected="true"]').innerText()
  return text.replace(/\s+/g, ' ').trim()
}
