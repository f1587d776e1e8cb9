import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseUserId } from '../../src/domain/ids.ts'
import { openPage, signInAsAda } from '../support/browser/chromium.ts'
import { codeFor, openClient, provision, signedIn } from '../support/people.ts'

const tallestPx = 2_000

test('no tab of the account is taller than 2,000 pixels, and long lists link to all of their rows', async (t) => {
  const { world, client, browser } = await openClient(t)
  for (let index = 0; index < 24; index += 1) {
    await signedIn(world)
    const made = await provision(world, 'PUT', `/v1/applications/app-${index}`, {
      ...{ ownerId: 'ada', name: `Application ${index}`, websiteUrl: 'https://client.example' },
      redirectUris: [client.redirectUri],
    })
    await codeFor(world, browser, { ...client, clientId: made.json.clientId })
    await world.service.audit.record({
      kind: 'sign-in',
      actor: 'user',
      userId: parseUserId('ada')!,
      origin: { address: '2001:db8:1234:5678:9abc:def0:1234:5678', userAgent: 'Mozilla/5.0 Firefox/140.0' },
    })
  }

  const page = await openPage(t, { viewport: { width: 1280, height: 720 } })
  await signInAsAda(page, world)
  for (const tab of ['Security', 'Activity', 'Sessions', 'Connected applications', 'Profile']) {
    await page.locator('.tabs').getByRole('link', { name: tab, exact: true }).click()
    await page.locator(`.tabs [aria-current]:text-is("${tab}")`).waitFor()
    const height = await page.evaluate(() => document.documentElement.scrollHeight)
    assert.ok(height <= tallestPx, `${tab} is ${height} pixels tall`)
  }
  for (const [tab, link] of [
    ['sessions', 'Show all 26 sessions'],
    ['applications', 'Show all 24 applications'],
  ]) {
    await page.goto(`${world.baseUrl}/account/${tab}`)
    assert.equal(await page.locator('tbody tr').count(), 15)
    await Promise.all([page.waitForEvent('load'), page.getByRole('link', { name: link as string }).click()])
    assert.equal(await page.locator('tbody tr').count(), Number(/\d+/.exec(link as string)?.[0]))
    assert.equal(await page.getByRole('link', { name: link as string }).count(), 0)
  }
})
