import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { leavePopup, signInThroughPopup } from '../../examples/libraries/popups.ts'
import { openPage } from '../support/browser/chromium.ts'
import { serve } from '../support/local-server.ts'
import { ada, adaWithClient, consentUrl, redeem } from '../support/people.ts'
import { openWithProvider } from '../support/stand-in-provider.ts'

/** Starts an application whose button signs in through a popup. The provider's page may isolate itself from its opener. */
async function openScene(t: TestContext) {
  const { world, provider } = await openWithProvider(t, 'chat-platform')
  provider.profile = { id: '123456789012345678', username: 'ada' }
  const html = (body: string) => `<!doctype html><title>Acme</title>${body}`
  const home = await serve(t, async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    if (url.pathname === '/begin') return response.writeHead(302, { location: consentUrl(world, client) }).end()
    response.setHeader('content-type', 'text/html')
    if (url.pathname !== '/callback') {
      return response.end(
        html(`<button>Log in</button><output></output><script>${signInThroughPopup}
          document.querySelector('button').onclick = async () => {
            document.querySelector('output').textContent = await signInThroughPopup('/begin')
          }</script>`),
      )
    }
    const code = url.searchParams.get('code')
    const signedIn = code !== null && (await redeem(world, client, code)).status === 200
    const result = signedIn ? 'signed in' : 'not signed in'
    return response.end(html(`<p>You can close this window.</p><script>${leavePopup}leavePopup('${result}')</script>`))
  })
  const client = await adaWithClient(world, { environment: 'development', redirectUris: [`${home}/callback`] })
  return { provider, home }
}

test('the guide’s code signs in through a popup, which then closes; a denial is reported', async (t) => {
  const { home } = await openScene(t)
  const page = await openPage(t)
  await page.goto(home)
  for (const [button, result] of Object.entries({ Allow: 'signed in', Deny: 'not signed in' })) {
    const opened = page.waitForEvent('popup')
    await page.getByRole('button', { name: 'Log in' }).click()
    const popup = await opened
    if (button === 'Allow') {
      await popup.getByLabel('Email address').fill(ada.email)
      await popup.getByLabel('Password').fill(ada.password)
      await popup.getByRole('button', { name: 'Sign in', exact: true }).click()
    }
    const closed = popup.waitForEvent('close')
    await popup.getByRole('button', { name: button, exact: true }).click()
    await closed
    await page.locator('output', { hasText: new RegExp(`^${result}$`) }).waitFor()
  }
  assert.equal(page.context().pages().length, 1)
})

test('the guide’s code gets its result from a popup that a provider’s page has isolated from its opener', async (t) => {
  const { provider, home } = await openScene(t)
  provider.instead.set('/authorize', (response) => {
    const isolated = { 'content-type': 'text/html', 'cross-origin-opener-policy': 'same-origin' }
    response.writeHead(200, isolated).end('<!doctype html><title>Chat</title><button>Continue</button>')
  })
  const page = await openPage(t)
  await page.goto(home)
  const opened = page.waitForEvent('popup')
  await page.getByRole('button', { name: 'Log in' }).click()
  const popup = await opened
  await popup.getByRole('button', { name: 'Sign in with Chat' }).click()
  await popup.getByRole('button', { name: 'Continue' }).waitFor()
  provider.instead.clear()
  await popup.goto(String(await provider.allow(popup.url())))
  await popup.getByRole('button', { name: 'Allow' }).click()
  await page.locator('output', { hasText: /^signed in$/ }).waitFor()
})
