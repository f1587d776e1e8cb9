import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { assertUsable, openPage } from '../browser/chromium.ts'
import { openWorld, type World } from '../world.ts'
import { type ClientApplication, startClientApplication } from './client-application.ts'

const ada = { name: 'Ada Lovelace', email: 'ada@example.com', password: 'the engine weaves', pin: '4711' }

/** What is looked at on every page on the way. Without scripts axe-core can't run. */
type Look = (page: Page) => Promise<void>

for (const scripts of [true, false]) {
  describe(`A person meets an application in a browser ${scripts ? 'with' : 'without'} scripts`, () => {
    const look: Look = async (page) => {
      if (scripts) await assertUsable(page)
    }

    test('from the first visit of the portal to the person’s data in an application made with openid-client', async (t) => {
      const world = await openWorld(t)
      const application = await startClientApplication(t)
      const page = await openPage(t, { javaScriptEnabled: scripts })
      await signUpOnTheWayToThePortal(page, world, look)
      await registerApplication(page, world, application, look)

      // The PIN is set on the way, because the application asks for the e-mail address.
      await page.goto(application.address)
      await look(page)
      await page
        .getByLabel('New PIN', { exact: true })
        .or(page.getByLabel('PIN', { exact: true }))
        .fill(ada.pin)
      await page.getByLabel('The same PIN again').fill(ada.pin)
      await page.getByLabel('Password').fill(ada.password)
      await page.getByRole('button', { name: 'Save PIN' }).click()

      await page.getByRole('heading', { name: 'Allow Acme Dashboard to use your account?' }).waitFor()
      await look(page)
      await page.getByText('See your e-mail address').waitFor()
      await page.getByRole('button', { name: 'Allow' }).click()
      const person = await signedInPerson(page)
      assert.deepEqual([person.name, person.email], [ada.name, ada.email])

      await theOtherWay(t, { world, application, look, scripts })
    })
  })
}

async function signUpOnTheWayToThePortal(page: Page, world: World, look: Look): Promise<void> {
  await page.goto(`${world.portalUrl}/apps/new`)
  assert.equal(new URL(page.url()).pathname, '/sign-in')
  await look(page)
  await page.getByRole('link', { name: 'Create' }).click()
  await look(page)
  await page.getByLabel('Name').fill(ada.name)
  await page.getByLabel('E-mail address').fill(ada.email)
  await page.getByLabel('Password').fill(ada.password)
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByRole('heading', { name: 'Register an application' }).waitFor()
  assert.equal(page.url(), `${world.portalUrl}/apps/new`)
}

async function registerApplication(
  page: Page,
  world: World,
  application: ClientApplication,
  look: Look,
): Promise<void> {
  await look(page)
  await page.getByLabel('Name').fill('Acme Dashboard')
  await page.getByLabel('Website URL').fill('https://acme.example')
  await page.getByLabel('Development').check()
  await page.getByLabel('Redirect URIs').fill(application.redirectUri)
  await page.getByRole('button', { name: 'Register application' }).click()
  const clientSecret = (await page.getByTestId('client-secret').textContent()) ?? ''
  const clientId = (await page.getByTestId('client-id').textContent()) ?? ''
  assert.match(clientSecret, /^svc_cs_\w+$/)
  await look(page)
  await application.configure({
    issuer: world.baseUrl,
    clientId,
    clientSecret,
    scope: 'user.identify user.email offline_access',
  })
}

/** In another browser: the PIN is there but locked, and the person says no. */
async function theOtherWay(
  t: TestContext,
  { world, application, look, scripts }: { world: World; application: ClientApplication; look: Look; scripts: boolean },
): Promise<void> {
  const page = await openPage(t, { javaScriptEnabled: scripts })
  await page.goto(application.address)
  await page.getByLabel('E-mail address').fill(ada.email)
  await page.getByLabel('Password').fill(ada.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('button', { name: 'Unlock' }).waitFor()
  await look(page)
  await page.getByLabel('PIN', { exact: true }).fill(ada.pin)
  await page.getByRole('button', { name: 'Unlock' }).click()
  await page.getByText('You allowed this before').waitFor()
  await look(page)
  await page.getByRole('button', { name: 'Deny' }).click()
  await page.getByText('Not signed in: access_denied').waitFor()

  await page.goto(world.portalUrl)
  await look(page)
  await page.getByRole('link', { name: 'Acme Dashboard' }).click()
  await look(page)
}

/** What the application shows of the person. */
async function signedInPerson(page: Page): Promise<Record<string, unknown>> {
  const text = (await page.getByText('Signed in: ').textContent()) ?? ''
  return JSON.parse(text.replace('Signed in: ', ''))
}
