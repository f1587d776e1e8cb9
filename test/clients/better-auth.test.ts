import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { accessToken, gatehouseAccount, setUp, signOut } from '../../examples/libraries/better-auth.ts'
import { openClientScene } from './registration.ts'
import { Visitor } from './visitor.ts'

const origin = 'http://127.0.0.1:8080'
const redirectPath = '/api/auth/callback/gatehouse'

async function openApplication(t: TestContext, env: Record<string, string> = {}) {
  const scene = await openClientScene(t, { redirectPath, env })
  const auth = setUp(scene, origin, 'a secret of the application, of no other use')
  const visitor = new Visitor(origin, auth.handler)
  return {
    scene,
    auth,
    visitor,
    async begin(more: { scopes?: string[]; additionalParams?: { consent: 'skip' } } = {}): Promise<string> {
      const answer = await visitor.postJson('/api/auth/sign-in/social', {
        provider: 'gatehouse',
        callbackURL: '/home',
        errorCallbackURL: '/sorry',
        ...more,
      })
      const { url } = (await answer.json()) as { url: string }
      return url
    },
    async session() {
      const answer = await visitor.get('/api/auth/get-session')
      return (await answer.json()) as { user: { id: string; name: string; email: string } } | null
    },
  }
}

describe('better-auth from npm, with its generic OAuth plugin', () => {
  for (const SEND_ISS of ['false', 'true']) {
    test(`better-auth completes consent, code exchange, userinfo, refresh and revocation with SEND_ISS=${SEND_ISS}`, async (t) => {
      const { scene, auth, visitor, begin, session } = await openApplication(t, { SEND_ISS })
      const url = await begin()
      assert.equal(new URL(url).searchParams.get('code_challenge_method'), 'S256')
      const home = await visitor.get(await scene.consent(url))
      assert.equal(home.headers.get('location'), '/home')
      const user = (await session())?.user
      assert.equal(user?.name, 'Ada')
      assert.equal(user?.email, 'ada@example.com')

      const userId = user?.id ?? ''
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
    const { scene, visitor, begin, session } = await openApplication(t)
    const skip = async () => visitor.get(await scene.redirect(await begin({ additionalParams: { consent: 'skip' } })))
    assert.match((await skip()).headers.get('location') ?? '', /\/sorry\?error=consent_required/)
    // Without `user.email`, no PIN page is shown before consent.
    const url = new URL(await begin())
    url.searchParams.set('scope', 'user.identify')
    const denied = await visitor.get(await scene.deny(url))
    assert.match(denied.headers.get('location') ?? '', /\/sorry\?error=access_denied/)
    assert.equal(await session(), null)
    await visitor.get(await scene.consent(await begin()))
    assert.equal((await skip()).headers.get('location'), '/home')
    assert.equal((await session())?.user.name, 'Ada')
  })

  test('without user.email better-auth can’t create a user and reports email_not_found', async (t) => {
    const { scene, visitor, begin } = await openApplication(t)
    const url = new URL(await begin())
    url.searchParams.set('scope', 'user.identify offline_access')
    const said = t.mock.method(console, 'error', () => {})
    const answer = await visitor.get(await scene.consent(url))
    assert.match(answer.headers.get('location') ?? '', /error=email_not_found/)
    assert.match(String(said.mock.calls[0]?.arguments[0]), /did not return an email/)
  })
})
