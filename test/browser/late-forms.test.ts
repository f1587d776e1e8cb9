import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertUsable, openPage } from '../support/browser/chromium.ts'
import { ada, adaWithClient, provision, signedIn } from '../support/people.ts'
import { freePorts, openWorld } from '../support/world.ts'

for (const scripts of [true, false]) {
  test(`a form posted after the session ended is filled in again after sign-in, ${scripts ? 'with' : 'without'} scripts`, async (t) => {
    const world = await openWorld(t)
    await adaWithClient(world)
    const bot = { ownerId: ada.id, name: 'Weather', chatPlatformId: '123456789012345678' }
    await provision(world, 'PUT', '/v1/bots/bot-1', bot)
    const page = await openPage(t, { javaScriptEnabled: scripts })
    const signIn = async () => {
      await page.getByLabel('Email').fill(ada.email)
      await page.getByLabel('Password').fill(ada.password)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    }
    const endSessions = async () => {
      const elsewhere = await signedIn(world)
      await elsewhere.submit(
        await elsewhere.get(`${world.baseUrl}/account/sessions`),
        {},
        '/account/sessions/others/end',
      )
    }

    await page.goto(`${world.baseUrl}/bots/bot-1/settings`)
    await signIn()
    await page.waitForURL(`${world.baseUrl}/bots/bot-1/settings`)
    await page.getByLabel('Cloud').check()
    await endSessions()
    await page.locator('form[action$="/location"] button').click()
    await signIn()
    await page.getByText('You’re signed in again').waitFor()
    assert.equal(new URL(page.url()).pathname, '/bots/bot-1/settings')
    assert.ok(await page.getByLabel('Cloud').isChecked())
    if (scripts) await assertUsable(page)
    await page.locator('form[action$="/location"] button').click()
    await page.getByText('Hosting location saved.').waitFor()

    await page.goto(`${world.portalUrl}/apps/new`)
    await page.getByLabel('Name').fill('Acme')
    await page.getByLabel('Website URL').fill('https://acme.example')
    await page.getByLabel('Redirect URIs').fill('https://acme.example/one\nhttps://acme.example/two')
    await endSessions()
    await page.getByRole('button', { name: 'Register application' }).click()
    await signIn()
    await page.getByText('You’re signed in again').waitFor()
    if (scripts)
      assert.equal(await page.getByLabel('Redirect URI 2', { exact: true }).inputValue(), 'https://acme.example/two')
    await page.getByRole('button', { name: 'Register application' }).click()
    await page.getByTestId('client-secret').waitFor()
  })
}

test('a form of the portal posted after the session ended leads to sign-in on an IPv6 address', async (t) => {
  const [base = 0, portal = 0] = await freePorts(2)
  const world = await openWorld(t, { BASE_URL: `http://[::1]:${base}`, PORTAL_URL: `http://[::1]:${portal}` })
  await adaWithClient(world)
  const page = await openPage(t)
  await page.goto(`${world.portalUrl}/apps/new`)
  await page.getByLabel('Email').fill(ada.email)
  await page.getByLabel('Password').fill(ada.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByLabel('Name').fill('Acme')
  await page.context().clearCookies({ name: /session/ })
  await page.getByRole('button', { name: 'Register application' }).click()
  await page.waitForURL(`${world.baseUrl}/sign-in?**`)
})
