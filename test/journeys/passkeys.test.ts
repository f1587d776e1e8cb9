import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { parseUserId } from '../../src/domain/ids-and-secrets.ts'
import { assertUsable, openPage, signInAsAda } from '../support/browser/chromium.ts'
import { openPageUser } from '../support/browser/page-user.ts'
import { withVirtualAuthenticator } from '../support/browser/virtual-authenticator.ts'
import { serve } from '../support/local-server.ts'
import { ada, adaWithClient, consentUrl, openAda } from '../support/people.ts'
import { openWorld } from '../support/world.ts'

/** Opens a world in which Ada, who is signed in, has added a passkey on her phone. */
async function openWithPasskey(t: TestContext, options = {}) {
  const { world, client } = await openAda(t)
  const page = await openPage(t)
  const device = await withVirtualAuthenticator(page, options)
  await signInAsAda(page, world)
  await page.goto(`${world.baseUrl}/account/passkeys`)
  await page.getByLabel('Name').fill('Phone')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByText('Passkey added').waitFor()
  await page.waitForLoadState()
  return { world, client, page, device }
}

/** Signs out, and waits for the scripts of the sign-in page, without which its button for passkeys does nothing. */
async function signOut(page: Page): Promise<void> {
  await page.locator('summary', { hasText: 'Menu for' }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await page.waitForLoadState()
}

test('a user adds a first passkey, signs in and sets a new PIN with that passkey, and removes it, by keyboard alone', async (t) => {
  const world = await openWorld(t)
  const callback = `${await serve(t, (_request, response) => response.end('Welcome'))}/callback`
  const client = await adaWithClient(world, { environment: 'development', redirectUris: [callback] })
  const hand = await openPageUser(t, 'by keyboard alone')
  const device = await withVirtualAuthenticator(hand.page)
  await hand.signIn(world)
  await hand.follow('Security')
  await hand.follow('Set up a passkey')
  await hand.sees('You have no passkeys yet')
  await assertUsable(hand.page)
  await hand.press('Add a passkey')
  await hand.sees('Passkey added')
  await assertUsable(hand.page)
  const [credential] = await device.credentials()
  assert.deepEqual([credential?.rpId, credential?.isResidentCredential], ['localhost', true])
  await hand.unfold('Menu for')
  await hand.press('Sign out')

  // The passkey identifies the user, so no email address is needed. The sign-in then continues to the application.
  await hand.open(consentUrl(world, client, { scope: 'user.identify user.email' }))
  await hand.press('Sign in with a passkey')

  // The user has forgotten the PIN. The passkey confirms the change in place of the password.
  await hand.follow('Set a new PIN with your password')
  await hand.sees('Leave it empty to use a passkey')
  await assertUsable(hand.page)
  await hand.press('Save PIN', { 'New PIN': '1618', 'Repeat new PIN': '1618' })
  await hand.press('Allow')
  assert.ok(new URL(hand.page.url()).searchParams.get('code'))

  await hand.open(`${world.baseUrl}/account/security`)
  await hand.sees('1 passkey')
  await hand.follow('Manage passkeys')
  await hand.follow('Passkey')
  await hand.press('Remove passkey')
  await hand.sees('Passkey removed')

  // The device still has the removed passkey, but the service rejects it.
  await hand.unfold('Menu for')
  await hand.press('Sign out')
  await hand.tap('Sign in with a passkey')
  await hand.sees('Unknown passkey')
  await assertUsable(hand.page)
})

test('the browser offers passkeys in the email field, and the password and the passkey button still work', async (t) => {
  const { world, client, page, device } = await openWithPasskey(t, { autofill: true })
  const email = page.getByLabel('Email address')

  // The button works even while the browser's passkey offer in the email field is pending.
  await device.touch(false)
  const offered = page.waitForResponse(`${world.baseUrl}/sign-in/passkey/challenge`)
  await signOut(page)
  await offered
  assert.equal(await email.getAttribute('autocomplete'), 'username webauthn')
  await assertUsable(page)
  await device.touch(true)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.waitForURL(`${world.baseUrl}/account`)

  // Accepting the offer signs the user in and continues to the application. The previous page's offer must be
  // cancelled by then. Otherwise both are accepted, and the two sign-ins race for the browser's session.
  await device.touch(false)
  await signOut(page)
  await page.goto('about:blank')
  await device.touch(true)
  await page.goto(consentUrl(world, client), { waitUntil: 'commit' })
  await page.getByRole('button', { name: 'Allow' }).waitFor()
})

test('the passkey page reports an error from the device and allows another attempt', async (t) => {
  const { world, page, device } = await openWithPasskey(t)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByText('This device already has a passkey for your account').waitFor()
  await assertUsable(page)
  await signOut(page)
  await device.refuse(true)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByText('No passkey used').waitFor()
  await assertUsable(page)
  await device.refuse(false)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.waitForURL(`${world.baseUrl}/account`)
})

test('a user without a password sets a new PIN, and later signs in again, with the passkey', async (t) => {
  const { world, page } = await openWithPasskey(t)
  await world.service.accounts.users.put(parseUserId(ada.id)!, { name: ada.name, clearTextPassword: null })
  await page.goto(`${world.baseUrl}/sign-in`)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.waitForURL(`${world.baseUrl}/account`)
  await page.goto(`${world.baseUrl}/unlock`)
  await page.getByRole('link', { name: 'Set a new PIN with your passkey' }).click()
  await page.getByText('When you save, your browser asks for your passkey').waitFor()
  await assertUsable(page)
  await page.getByLabel('New PIN', { exact: true }).fill('1618')
  await page.getByLabel('Repeat new PIN').fill('1618')
  await page.getByRole('button', { name: 'Save PIN' }).click()
  await page.getByText('Set, unlocked in this browser').waitFor()

  await page.getByRole('link', { name: 'Manage passkeys' }).click()
  await world.clock.advance(15 * 60_000)
  await page.reload()
  await page.getByText('You signed in more than 15 minutes ago').waitFor()
  await assertUsable(page)
  await page.getByRole('button', { name: 'Sign in again with a passkey' }).click()
  await page.getByRole('button', { name: 'Add a passkey' }).waitFor()
})

test('without scripts, the passkey page shows nothing that needs scripts', async (t) => {
  const { world } = await openAda(t)
  const page = await openPage(t, { javaScriptEnabled: false })
  await page.goto(`${world.baseUrl}/sign-in`)
  assert.equal(await page.getByRole('button', { name: 'Sign in with a passkey' }).count(), 0)
  await signInAsAda(page, world)
  await page.goto(`${world.baseUrl}/account/passkeys`)
  assert.equal(await page.getByRole('button', { name: 'Add a passkey' }).count(), 0)
  await page.getByText('To add one, use a browser with JavaScript').waitFor()
})
