import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { axeViolations, openPage, signInEverywhere } from '../support/browser/chromium.ts'
import { openPopulatedWorld } from '../support/populated-world.ts'

test('our choice: J and K go through the rows of a list, Enter opens one, and slash goes to its filter', async (t) => {
  const { page, world } = await openScene(t)
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

test('our choice: R replays the shown webhook, and in a list the one whose row has the focus', async (t) => {
  const { page, world, events } = await openScene(t)
  const list = `${world.baseUrl}/bots/lantern/deliveries`
  await page.goto(`${list}/${events.dead}`)
  await page.keyboard.press('r')
  await page.getByText('Replay of').waitFor()
  assert.notEqual(page.url(), `${list}/${events.dead}`)

  await page.goto(`${list}?state=done`)
  await page.keyboard.press('j')
  await page.keyboard.press('r')
  await page.getByText('1 webhook replayed').waitFor()
})

test('our choice: R that is held down replays once, although the next page opens meanwhile', async (t) => {
  const { page, world } = await openScene(t)
  await page.goto(`${world.baseUrl}/bots/lantern/deliveries?state=done`)
  await page.keyboard.press('j')
  await page.keyboard.down('r')
  await page.getByText('1 webhook replayed').waitFor()
  await page.waitForLoadState()
  const posts: string[] = []
  page.on('request', (request) => posts.push(request.method()))
  await page.keyboard.down('r')
  await page.keyboard.up('r')
  await page.keyboard.press('j')
  assert.deepEqual(posts, [])
})

test('our choice: G and a letter go to bots and applications, on either origin', async (t) => {
  const { page, world } = await openScene(t)
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
  const { page, world } = await openScene(t)
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

/** Presses G and a letter. Sends both at once, because the letter must follow within a second and a half. */
async function go(page: Page, letter: string): Promise<void> {
  await Promise.all([page.keyboard.press('g'), page.keyboard.press(letter)])
}

async function openScene(t: TestContext) {
  const { world, events } = await openPopulatedWorld(t)
  const page = await openPage(t)
  await signInEverywhere(page, world)
  return { world, page, events }
}
