import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { AuthConfig } from '@auth/core'
import { Auth } from '@auth/core'
import type { OAuthConfig } from '@auth/core/providers'
import { gatehouseProvider, keepingTokens, type Person } from '../../examples/libraries/authjs.ts'
import { Browser, revoke } from '../support/people.ts'
import { openClientScene } from './registration.ts'

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
  const openBrowser = (cookies = {}) =>
    new Browser(cookies, { origin }, (url, init) => Auth(new Request(url, init), config))
  const browser = openBrowser()
  const read = async (path: string, by = browser) => JSON.parse((await by.get(`${origin}/auth${path}`)).text)
  const post = async (path: string) => {
    const { csrfToken } = await read('/csrf')
    return browser.post(`${origin}/auth${path}`, new URLSearchParams({ csrfToken }))
  }
  /** Returns the redirect to Gatehouse. */
  const begin = async () => {
    const { location, text } = await post('/signin/gatehouse')
    return location ?? assert.fail(text)
  }
  return {
    scene,
    browser,
    kept,
    faults,
    begin,
    tab: () => openBrowser(browser.cookies()),
    session: (by = browser): Promise<{ user?: { name?: string } } | null> => read('/session', by),
    signIn: async () => browser.get(await scene.consent(await begin())),
    signOut: () => post('/signout'),
    /** Lets the access tokens expire for the application. */
    expire: () => t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 900_000 }),
  }
}

test('Auth.js completes consent, code exchange, userinfo, refresh and revocation', async (t) => {
  const { scene, browser, kept, faults, begin, tab, session, signOut, expire } = await openApplication(t)
  const url = await begin()
  const parameters = [...url.searchParams.keys()].sort().join()
  assert.equal(parameters, 'client_id,code_challenge,code_challenge_method,redirect_uri,response_type,scope,state')
  assert.equal((await browser.get(await scene.consent(url))).status, 302, faults.join())
  assert.equal((await session())?.user?.name, 'Ada')
  const first = { ...kept }
  assert.equal(await scene.isAlive(first.accessToken), true)

  expire()
  const [otherTab, lateTab] = [tab(), tab()]
  await Promise.all([session(), session(otherTab)])
  const second = { ...kept }
  assert.notEqual(second.accessToken, first.accessToken)
  assert.notEqual(second.refreshToken, first.refreshToken)
  assert.equal(await scene.isAlive(second.accessToken), true, 'two tabs at once cause one refresh')
  assert.equal((await session(lateTab))?.user?.name, 'Ada', 'a tab that asks after the refresh')

  await signOut()
  assert.equal(await scene.isAlive(second.accessToken), false)
})

test('revoking an authorization also signs the user out of the application', async (t) => {
  const { scene, kept, session, signIn, expire } = await openApplication(t)
  await signIn()
  await session()
  await revoke(scene.world, { token: kept.refreshToken ?? '' })
  expire()
  assert.equal(await session(), null)
})

test('a brief Gatehouse outage does not sign anyone out', async (t) => {
  const { scene, kept, session, signIn, expire } = await openApplication(t)
  await signIn()
  await session()
  const { accessToken } = kept
  expire()
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
  const { scene, browser, begin, session } = await openApplication(t)
  const { status, location } = await browser.get(await scene.deny(await begin()))
  assert.deepEqual([status, location?.href], [302, `${origin}/auth/signin?error=OAuthCallbackError`])
  assert.equal(await session(), null)
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
    const { session, signIn, faults } = await openApplication(t, { env: { SEND_ISS }, change })
    await signIn()
    const name = (await session())?.user?.name
    assert.equal(name, fault === undefined ? 'Ada' : undefined, faults.join())
    assert.match(faults.join(), fault ?? /^$/)
  })
}
