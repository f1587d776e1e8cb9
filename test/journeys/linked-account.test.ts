import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertUsable, openPage } from '../browser/chromium.ts'
import { provision } from '../people.ts'
import { freePorts, openWorld } from '../world.ts'

const grace = { id: '123456789012345678', name: 'Grace', email: 'grace@example.com', password: 'nanoseconds of wire' }

for (const scripts of [true, false]) {
  describe(`A person comes by an account elsewhere, in a browser ${scripts ? 'with' : 'without'} scripts`, () => {
    // The form that allows it over there leads through three origins: browsers hold that page to its form policy.
    test('from the developer portal through another Gatehouse and back, and unlinks nothing by mistake', async (t) => {
      // By another name than localhost: cookies do not know ports.
      const [port = 0] = await freePorts(1)
      const upstream = await openWorld(t, { BASE_URL: `http://127.0.0.1:${port}` })
      const { id, ...person } = grace
      await provision(upstream, 'PUT', `/v1/users/${id}`, person)
      const application = {
        ownerId: id,
        name: 'Gatehouse',
        websiteUrl: 'https://g.example',
        environment: 'development',
      }
      const put = (redirectUri: string) =>
        provision(upstream, 'PUT', '/v1/applications/gatehouse', { ...application, redirectUris: [redirectUri] })
      const { json } = await put('http://localhost:1/')
      const world = await openWorld(t, {
        CHAT_PLATFORM_NAME: 'Other Gate',
        CHAT_PLATFORM_CLIENT_ID: json.clientId,
        CHAT_PLATFORM_CLIENT_SECRET: json.clientSecret,
        CHAT_PLATFORM_AUTHORIZE_URL: `${upstream.baseUrl}/auth/consent`,
        CHAT_PLATFORM_TOKEN_URL: `${upstream.baseUrl}/api/oauth/token`,
        CHAT_PLATFORM_USERINFO_URL: `${upstream.baseUrl}/api/oauth/userinfo`,
        CHAT_PLATFORM_SCOPES: 'user.identify',
      })
      await put(`${world.baseUrl}/linked/chat-platform/callback`)

      const page = await openPage(t, { javaScriptEnabled: scripts })
      const look = async () => (scripts ? assertUsable(page) : undefined)
      await page.goto(`${world.portalUrl}/apps/new`)
      await page.getByRole('button', { name: 'Sign in with Other Gate' }).click()
      await page.waitForURL(`${upstream.baseUrl}/sign-in?**`)
      await page.getByLabel('E-mail address').fill(grace.email)
      await page.getByLabel('Password').fill(grace.password)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByRole('button', { name: 'Allow' }).click()
      await page.waitForURL(`${world.portalUrl}/apps/new`)

      await page.goto(`${world.baseUrl}/account`)
      await page.getByRole('link', { name: 'Link or unlink accounts' }).click()
      await page.getByText(grace.id).waitFor()
      await look()
      await page.getByRole('button', { name: 'Unlink Other Gate' }).click()
      await page.getByRole('heading', { name: 'You would lock yourself out' }).waitFor()
      await look()
      await page.getByRole('link', { name: 'Your linked accounts' }).click()
      assert.equal(page.url(), `${world.baseUrl}/account/linked`)
    })
  })
}
