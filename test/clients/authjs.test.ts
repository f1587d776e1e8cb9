import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { AuthConfig } from '@auth/core'
import { Auth } from '@auth/core'
import type { OAuthConfig } from '@auth/core/providers'
import { gatehouseProvider, keepingTokens, type Person } from '../../examples/libraries/authjs.ts'
import { openClientScene } from './registration.ts'
import { Visitor } from './visitor.ts'

const origin = 'http://127.0.0.1:8080'

type Change = (provider: OAuthConfig<Person>) => OAuthConfig<Person>

/** Opens an Auth.js application that uses this provider, with a browser and the tokens that the application stores. */
async function openApplication(
  t: TestContext,
  { env = {}, change = (provider) => provider }: { env?: Record<string, string>; change?: Change } = {},
) {
  const scene = await openClientScene(t, { redirectPath: '/auth/callback/gatehouse', env })
  const kept: { accessToken?: string; refreshToken?: string } = {}
  const faults: string[] = []
  const keeping = keepingTokens(scene)
  const config: AuthConfig = {
    secret: 'a secret of the application, of no other use',
    trustHost: true,
    basePath: '/auth',
    providers: [change(gatehouseProvider(scene))],
    ...keeping,
    callbacks: {
      ...keeping.callbacks,
      // Lets the test see the application’s tokens. A real application would not send them to the browser.
      session({ session, token }) {
        Object.assign(kept, { accessToken: token.accessToken, refreshToken: token.refreshToken })
        return session
      },
    },
    logger: { error: (error) => faults.push(`${error.name}: ${(error.cause as { err?: Error } | undefined)?.err}`) },
  }
  const visitor = new Visitor(origin, (request) => Auth(request, config))
  const csrfToken = async () => ((await (await visitor.get('/auth/csrf')).json()) as { csrfToken: string }).csrfToken
  return {
    scene,
    visitor,
    kept,
    faults,
    async begin(): Promise<string> {
      const answer = await visitor.postForm('/auth/signin/gatehouse', { csrfToken: await csrfToken() })
      assert.equal(answer.status, 302)
      return answer.headers.get('location') ?? ''
    },
    async session(at = visitor): Promise<{ user?: { name?: string } } | null> {
      return (await (await at.get('/auth/session')).json()) as { user?: { name?: string } } | null
    },
    signOut: async () => visitor.postForm('/auth/signout', { csrfToken: await csrfToken() }),
  }
}

test('Auth.js completes consent, code exchange, userinfo, refresh and revocation', async (t) => {
  const application = await openApplication(t)
  const url = await application.begin()
  assert.deepEqual([...new URL(url).searchParams.keys()].sort(), [
    'client_id',
    'code_challenge',
    'code_challenge_method',
    'redirect_uri',
    'response_type',
    'scope',
    'state',
  ])
  const signedIn = await application.visitor.get(await application.scene.consent(url))
  assert.equal(signedIn.status, 302, application.faults.join())
  assert.equal((await application.session())?.user?.name, 'Ada')
  const first = { ...application.kept }
  assert.equal(await application.scene.isAlive(first.accessToken), true)

  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 900_000 })
  const [otherTab, lateTab] = [application.visitor.tab(), application.visitor.tab()]
  await Promise.all([application.session(), application.session(otherTab)])
  const second = { ...application.kept }
  assert.notEqual(second.accessToken, first.accessToken)
  assert.notEqual(second.refreshToken, first.refreshToken)
  assert.equal(await application.scene.isAlive(second.accessToken), true, 'two tabs at once cause one refresh')
  assert.equal((await application.session(lateTab))?.user?.name, 'Ada', 'a tab that asks after the refresh')

  await application.signOut()
  assert.equal(await application.scene.isAlive(second.accessToken), false)
})

test('revoking an authorization also signs the user out of the application', async (t) => {
  const application = await openApplication(t)
  await application.visitor.get(await application.scene.consent(await application.begin()))
  await application.session()
  await fetch(`${application.scene.gatehouse}/api/oauth/revoke`, {
    method: 'POST',
    body: new URLSearchParams({ token: application.kept.refreshToken ?? '' }),
  })
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 900_000 })
  assert.equal(await application.session(), null)
})

test('a brief Gatehouse outage does not sign anyone out', async (t) => {
  const { visitor, scene, begin, session, kept } = await openApplication(t)
  await visitor.get(await scene.consent(await begin()))
  await session()
  const { accessToken } = kept
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 900_000 })
  const away = t.mock.method(globalThis, 'fetch', async () => {
    throw new TypeError('fetch failed')
  })
  assert.equal((await session())?.user?.name, 'Ada')
  away.mock.restore()
  assert.equal((await session())?.user?.name, 'Ada')
  assert.notEqual(kept.accessToken, accessToken)
  assert.equal(await scene.isAlive(kept.accessToken), true)
})

test('a denial redirects to the application’s sign-in page with an error', async (t) => {
  const application = await openApplication(t)
  const answer = await application.visitor.get(await application.scene.deny(await application.begin()))
  assert.equal(answer.status, 302)
  assert.equal(answer.headers.get('location'), `${origin}/auth/signin?error=OAuthCallbackError`)
  assert.equal(await application.session(), null)
})

const asIs: Change = (provider) => provider
const withoutIssuer: Change = ({ issuer: _issuer, ...provider }) => provider
const withoutUrls: Change = ({ token: _token, ...provider }) => ({
  ...provider,
  authorization: { params: { scope: 'user.identify offline_access' } },
  userinfo: {},
})
const inBody: Change = (provider) => ({ ...provider, client: { token_endpoint_auth_method: 'client_secret_post' } })

for (const [title, change, SEND_ISS, fault] of [
  ['discovers the endpoints if the provider configuration has userinfo, even an empty object', withoutUrls, 'false'],
  ['sends client credentials in the request body', inBody, 'false'],
  ['signs in without an issuer while Gatehouse sends no iss, which is the default', withoutIssuer, 'false'],
  ['signs in with SEND_ISS=true', asIs, 'true'],
  ['fails with SEND_ISS=true and no issuer', withoutIssuer, 'true', /unexpected "iss"/],
] as const) {
  test(`Auth.js ${title}`, async (t) => {
    const { visitor, scene, begin, session, faults } = await openApplication(t, { env: { SEND_ISS }, change })
    await visitor.get(await scene.consent(await begin()))
    const name = (await session())?.user?.name
    assert.equal(name, fault === undefined ? 'Ada' : undefined, faults.join())
    assert.match(faults.join(), fault ?? /^$/)
  })
}
