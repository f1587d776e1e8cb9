import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { accessToken, gatehouseAccount, setUp, signOut } from '../../examples/libraries/better-auth.ts'
import { Browser } from '../support/people.ts'
import { openClientScene } from './registration.ts'

const origin = 'http://127.0.0.1:8080'

async function openApplication(t: TestContext, env: Record<string, string> = {}) {
  const scene = await openClientScene(t, { redirectPath: '/api/auth/callback/gatehouse', env })
  const auth = setUp(scene, origin, 'a secret of the application, of no other use')
  const browser = new Browser({}, { origin }, (url, init) => auth.handler(new Request(url, init)))
  return {
    scene,
    auth,
    /** Begins a sign-in as the page in docs/integrate does in the browser. Returns the redirect to Gatehouse. */
    async begin(more: { additionalParams?: { consent: 'skip' } } = {}): Promise<URL> {
      const asked = { provider: 'gatehouse', callbackURL: '/home', errorCallbackURL: '/sorry', ...more }
      const { text } = await browser.postJson(`${origin}/api/auth/sign-in/social`, asked)
      return new URL(JSON.parse(text).url)
    },
    /** Opens the callback. Returns the page of the application to which it redirects. */
    async endsAt(callback: URL): Promise<string> {
      const { location } = await browser.get(callback)
      assert.equal(location?.origin, origin)
      return `${location?.pathname}${location?.search}`
    },
    async session(): Promise<{ user: { id: string; name: string; email: string } } | null> {
      return JSON.parse((await browser.get(`${origin}/api/auth/get-session`)).text)
    },
  }
}

for (const SEND_ISS of ['false', 'true']) {
  test(`better-auth completes consent, code exchange, userinfo, refresh and revocation with SEND_ISS=${SEND_ISS}`, async (t) => {
    const { scene, auth, begin, endsAt, session } = await openApplication(t, { SEND_ISS })
    const url = await begin()
    assert.equal(url.searchParams.get('code_challenge_method'), 'S256')
    assert.equal(await endsAt(await scene.consent(url)), '/home')
    const { id: userId = '', name, email } = (await session())?.user ?? {}
    assert.deepEqual([name, email], ['Ada', 'ada@example.com'])

    const first = await accessToken(auth, userId)
    assert.equal(await scene.isAlive(first), true)
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 900_000 })
    const second = await accessToken(auth, userId)
    assert.notEqual(second, first)
    assert.equal(await scene.isAlive(second), true)
    const { id: accountId } = await gatehouseAccount(auth, userId)
    const forced = await auth.api.refreshToken({ body: { accountId, userId } })
    assert.equal(await scene.isAlive(forced.accessToken), true, 'the newest refresh token was kept')

    await signOut(auth, userId, scene)
    assert.equal(await scene.isAlive(forced.accessToken), false)
  })
}

test('additionalParams sends consent=skip, and errorCallbackURL gets consent_required or access_denied', async (t) => {
  const { scene, begin, endsAt, session } = await openApplication(t)
  const skip = async () => endsAt(await scene.redirect(await begin({ additionalParams: { consent: 'skip' } })))
  assert.match(await skip(), /^\/sorry\?error=consent_required/)
  // Without `user.email`, no PIN page is shown before consent.
  const url = await begin()
  url.searchParams.set('scope', 'user.identify')
  assert.match(await endsAt(await scene.deny(url)), /^\/sorry\?error=access_denied/)
  assert.equal(await session(), null)
  await endsAt(await scene.consent(await begin()))
  assert.equal(await skip(), '/home')
  assert.equal((await session())?.user.name, 'Ada')
})

test('without user.email better-auth can’t create a user and reports email_not_found', async (t) => {
  const { scene, begin, endsAt } = await openApplication(t)
  const url = await begin()
  url.searchParams.set('scope', 'user.identify offline_access')
  const said = t.mock.method(console, 'error', () => {})
  assert.match(await endsAt(await scene.consent(url)), /error=email_not_found/)
  assert.match(String(said.mock.calls[0]?.arguments[0]), /did not return an email/)
})
