import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertUsable, openPage, signInAsAda } from '../support/browser/chromium.ts'
import { adaWithClient, codeFor, redeem, refresh, signedIn } from '../support/people.ts'
import { openWorld } from '../support/world.ts'

test('reuse of a stolen refresh token appears in the activity of both the user and the application’s owner', async (t) => {
  const world = await openWorld(t)
  const client = await adaWithClient(world)
  const { json } = await redeem(world, client, await codeFor(world, await signedIn(world), client))
  await refresh(world, client, json.refresh_token)
  await world.clock.advance(60_000)
  await refresh(world, client, json.refresh_token)

  const page = await openPage(t)
  await signInAsAda(page, world)
  await page.getByRole('link', { name: 'Activity' }).click()
  const reuse = page.getByRole('rowheader', { name: 'A used refresh token for Acme Dashboard was presented again' })
  assert.match(await reuse.innerText(), /Probably stolen/)
  await assertUsable(page)

  await page.goto(`${world.portalUrl}/apps/acme`)
  await page.getByRole('link', { name: 'Activity' }).click()
  assert.match(await reuse.innerText(), /Probably stolen/)
  await assertUsable(page)
})
