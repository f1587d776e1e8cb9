import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, type TestContext, test } from 'node:test'
import type { BrowserContextOptions } from 'playwright-core'
import { assertUsable, openPage, signInAsAda } from '../support/browser/chromium.ts'
import { openPageUser, ways } from '../support/browser/page-user.ts'
import { ada, provision } from '../support/people.ts'
import { openWorld } from '../support/world.ts'

/** Opens a page on which Ada, who is signed in, has just registered an application. */
async function openRegistered(t: TestContext, options: BrowserContextOptions = {}) {
  const world = await openWorld(t)
  const { id, name, email, password } = ada
  await provision(world, 'PUT', `/v1/users/${id}`, { name, email, password })
  const page = await openPage(t, options)
  await signInAsAda(page, world)
  await page.goto(`${world.portalUrl}/apps/new`)
  await page.getByLabel('Name').fill('Acme Dashboard')
  await page.getByLabel('Website URL').fill('https://acme.example')
  await page.getByLabel('Redirect URIs').fill('https://acme.example/callback')
  await page.getByRole('button', { name: 'Register application' }).click()
  await page.getByTestId('client-secret').waitFor()
  await page.waitForLoadState()
  return { world, page }
}

for (const way of ways) {
  test(`A developer manages an application from registration to deletion, ${way}`, async (t) => {
    const world = await openWorld(t)
    const { id, name, email, password } = ada
    await provision(world, 'PUT', `/v1/users/${id}`, { name, email, password })
    const hand = await openPageUser(t, way)
    const shown = async (testId: string) => (await hand.page.getByTestId(testId).textContent()) ?? ''
    await hand.open(world.portalUrl)
    await hand.press('Sign in', { 'Email address': email, Password: password })
    await hand.follow('Register an application')
    await hand.press('Register application', { Name: 'Acme', 'Website URL': 'http://acme.example' })
    await hand.sees('Check 2 fields')
    await hand.fill('Website URL', 'https://acme.example')
    await hand.fill(hand.scripts ? 'Redirect URI 1' : 'Redirect URIs', 'https://acme.example/callback')
    await hand.press('Register application')
    const first = await shown('client-secret')

    await hand.unfold('Environment: Production')
    await hand.choose('Required')
    await hand.press('Save changes', { Name: 'Acme Dashboard' })
    await hand.sees('saved')
    await hand.isAt('Acme Dashboard')
    await hand.fill('State', 'a b')
    await hand.choose('bots.read')
    if (!hand.scripts) await hand.press('Generate URL')
    const chosen = new URL(await shown('authorization-url'))
    const parameters = ['scope', 'state'].map((name) => chosen.searchParams.get(name))
    assert.deepEqual(parameters, ['user.identify bots.read', 'a b'])

    await hand.press('Rotate secret')
    await hand.follow('Keep current secrets')
    await hand.press('Rotate secret')
    await hand.press('Rotate secret')
    const second = await shown('client-secret')
    assert.match(second, /^svc_cs_/)
    assert.notEqual(second, first)
    await hand.follow('New secret')
    await hand.press('Create secret', { Label: 'New server' })
    assert.match(await shown('second-client-secret'), /^svc_cs_/)
    await hand.follow(`Revoke ••••${second.slice(-4)}`)
    await hand.press('Revoke secret')
    await hand.sees('Secret revoked.')

    await hand.press('Delete application')
    await hand.follow('Keep application')
    await hand.press('Delete application')
    await hand.press('Delete application')
    await hand.sees('Application deleted')
    await hand.unfold('Menu for')
    await hand.press('Sign out')
    await hand.isAt('You’re signed out of the developer portal')
  })
}

describe('The portal in a browser', () => {
  test('the authorization URL is updated when the form changes, and has the challenge of a PKCE pair that the browser generates', async (t) => {
    const { page } = await openRegistered(t)
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    const textOf = async (testId: string) => (await page.getByTestId(testId).textContent()) ?? ''
    const shownUrl = async () => new URL(await textOf('authorization-url'))
    await page.getByLabel('bots.read').check()
    await page.getByText('State, consent screen and PKCE').click()
    await page.getByLabel('State').fill('a b')
    await page.getByLabel('Skip for users').check()
    const chosen = await shownUrl()
    const parameters = ['scope', 'state', 'consent'].map((name) => chosen.searchParams.get(name))
    assert.deepEqual(parameters, ['user.identify bots.read', 'a b', 'skip'])
    assert.equal(await page.getByRole('link', { name: 'Open in new tab' }).getAttribute('href'), String(chosen))

    await page.getByLabel('Send code challenge').check()
    const pair = async () => {
      const verifier = await textOf('code-verifier')
      assert.match(verifier, /^[\w-]{43}$/)
      const challenge = createHash('sha256').update(verifier).digest('base64url')
      assert.equal(await textOf('code-challenge'), challenge)
      const { searchParams } = await shownUrl()
      const sent = ['code_challenge', 'code_challenge_method'].map((name) => searchParams.get(name))
      assert.deepEqual(sent, [challenge, 'S256'])
      return verifier
    }
    await page.getByTestId('code-verifier').filter({ hasText: /./ }).waitFor()
    const first = await pair()
    await page.getByRole('button', { name: 'Generate new pair' }).click()
    await page.getByTestId('code-verifier').filter({ hasNotText: first }).waitFor()
    assert.notEqual(await pair(), first)
    await page.getByLabel('Send code challenge').uncheck()
    await page.getByTestId('code-verifier').waitFor({ state: 'hidden' })
    assert.equal(String(await shownUrl()), String(chosen))

    await page.getByLabel('bots.read').uncheck()
    await page.getByLabel('user.identify').uncheck()
    await page.getByText('Choose at least one scope').waitFor()
    assert.equal(await page.getByTestId('authorization-url').isVisible(), false)
    // Fonts and images of the page may still be loading.
    const askedElsewhere = asked.filter((path) => !path.startsWith('/assets/'))
    assert.deepEqual(askedElsewhere, [])
  })

  for (const scripts of [true, false]) {
    test(`an owner’s test run works from the URL generator to the revocation, ${scripts ? 'with' : 'without'} scripts`, async (t) => {
      const { page } = await openRegistered(t, { javaScriptEnabled: scripts })
      await page.getByLabel('offline_access').check()
      await page.getByText('State, consent screen and PKCE').click()
      await page.getByLabel('State').fill('a b')
      await page.getByRole('button', { name: 'Try it' }).click()
      assert.equal(await page.getByLabel('offline_access').isChecked(), true)
      assert.equal(await page.getByLabel('State').inputValue(), 'a b')
      await page.getByRole('button', { name: 'Start try-out' }).click()
      await page.getByRole('button', { name: 'Allow' }).click()
      await page.getByText('The whole OAuth flow works').waitFor()
      await page.waitForLoadState()
      const headings = ['Ask for consent', 'Exchange the code', 'Read userinfo', 'Refresh', 'Revoke']
      const numbered = headings.map((heading, index) => `${index + 1}. ${heading}`)
      assert.deepEqual(await page.locator('main h2').allTextContents(), numbered)
      await page.getByText('&state=a%20b').first().waitFor()
      const token = page.getByText(/svc_at_\w{72}/).first()
      assert.equal(await token.isVisible(), false)
      await page.getByText('Show full tokens').first().click()
      await token.waitFor()
      if (!scripts) return
      assert.ok(!page.url().includes('code='), page.url())
      await assertUsable(page)
      await page.reload()
      await page.getByText('The whole OAuth flow works').waitFor()
      assert.deepEqual(await page.locator('main h2').count(), headings.length)
    })
  }

  for (const scripts of [true, false]) {
    test(`the theme can be switched ${scripts ? 'with' : 'without'} scripts, without leaving the page`, async (t) => {
      const world = await openWorld(t)
      const page = await openPage(t, { colorScheme: 'light', javaScriptEnabled: scripts })
      const ground = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor')
      await page.goto(`${world.baseUrl}/sign-up`)
      const light = await ground()
      await page.getByLabel('Name').fill('Ada')
      const kept = page.waitForResponse((response) => response.url().endsWith('/appearance/dark'))
      await page.getByRole('link', { name: 'Dark' }).click()
      await kept
      await page.getByRole('link', { name: 'Dark (current)' }).waitFor()
      await page.waitForLoadState()
      assert.equal(page.url(), `${world.baseUrl}/sign-up`)
      assert.notEqual(await ground(), light)
      if (scripts) assert.equal(await page.getByLabel('Name').inputValue(), 'Ada', 'what was typed is kept')
      await page.reload()
      await page.getByRole('link', { name: 'Dark (current)' }).waitFor()
      await page.getByRole('link', { name: 'System' }).click()
      await page.getByRole('link', { name: 'System (current)' }).waitFor()
      await page.waitForLoadState()
      assert.equal(await ground(), light)
    })
  }

  test('a copy button copies the value shown beside it; axe-core finds no problems on a page with a new secret and on a refused form', async (t) => {
    const { world, page } = await openRegistered(t, { permissions: ['clipboard-read', 'clipboard-write'] })
    const secret = await page.getByTestId('client-secret').textContent()
    // The name changes back two seconds later.
    const copied = page.getByRole('button', { name: 'Copied Client secret' }).waitFor()
    await page.getByRole('button', { name: 'Copy Client secret' }).click()
    await copied
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), secret)

    await assertUsable(page)
    await page.goto(`${world.portalUrl}/apps/new`)
    await page.getByLabel('Redirect URIs').fill('https://acme.example/*')
    const refusal = page.waitForResponse((response) => response.status() === 422)
    await page.getByRole('button', { name: 'Register application' }).click()
    await refusal
    await page.getByText('Check 3 fields').waitFor()
    await assertUsable(page)
  })
})
