import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { axeViolations, openPage, signInEverywhere } from '../support/browser/chromium.ts'
import { pageUserAt } from '../support/browser/page-user.ts'
import { openPopulatedWorld } from '../support/populated-world.ts'

test('our choice: Ctrl+K opens the search above a page; arrows and Enter choose a result on either origin', async (t) => {
  const { page, world } = await openScene(t)
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

test('our choice: Enter right after typing waits for the results and opens the first', async (t) => {
  const { page, world } = await openScene(t)
  await page.keyboard.press('Control+K')
  await page.getByRole('combobox', { name: 'Search' }).waitFor()
  await page.keyboard.type('harbor settings')
  await page.keyboard.press('Enter')
  await page.waitForURL(`${world.baseUrl}/bots/harbor/settings`)
})

test('our choice: an action is found by what it does and opens with Enter', async (t) => {
  const { page, world } = await openScene(t)
  await page.keyboard.press('Control+K')
  await page.getByRole('combobox', { name: 'Search' }).waitFor()
  await page.keyboard.type('replay lantern')
  await page.getByRole('option', { name: 'Replay dead letters of Lantern Action' }).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(`${world.baseUrl}/bots/lantern/dead-letters/replay`)
})

test('our choice: Escape closes the search, and the focus returns to where it was', async (t) => {
  const { page } = await openScene(t)
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
  const { page } = await openScene(t)
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
  const { page } = await openScene(t)
  await page.keyboard.press('Control+K')
  await page.getByRole('option').first().waitFor()
  await page.context().clearCookies()
  await page.keyboard.type('bots')
  await page.waitForURL(/\/sign-in\?/, { waitUntil: 'networkidle' })
})

test('our choice: without scripts, the header’s link leads to the search page', async (t) => {
  const { page, world } = await openScene(t, false)
  const user = pageUserAt(page, 'without scripts')
  await user.follow('Search')
  await user.press('Search', { 'Name, ID, page or action': 'harbor deliveries' })
  await user.follow('Deliveries Harbor Page')
  assert.equal(page.url(), `${world.baseUrl}/bots/harbor/deliveries`)
})

async function openScene(t: TestContext, javaScriptEnabled = true) {
  const { world } = await openPopulatedWorld(t)
  const page = await openPage(t, { javaScriptEnabled })
  await signInEverywhere(page, world)
  return { world, page }
}

type BrowserPage = Awaited<ReturnType<typeof openPage>>

async function selected(page: BrowserPage): Promise<string> {
  const text = await page.locator('[role="option"][aria-selected="true"]').innerText()
  return text.replace(/\s+/g, ' ').trim()
}
