import { describe, test } from 'node:test'
import { openPageUser, ways } from '../support/browser/page-user.ts'
import { freePorts } from '../support/free-ports.ts'
import { provision } from '../support/people.ts'
import { openWorld } from '../support/world.ts'

const grace = { id: '123456789012345678', name: 'Grace', email: 'grace@example.com', password: 'nanoseconds of wire' }

for (const way of ways) {
  describe(`A user signs in with a linked account, ${way}`, () => {
    // The upstream Gatehouse's consent form redirects through three origins.
    test('a user signs in to the developer portal through another Gatehouse', async (t) => {
      // Uses a host name other than localhost, because cookies are shared between ports.
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

      const hand = await openPageUser(t, way)
      await hand.open(`${world.portalUrl}/apps/new`)
      await hand.press('Sign in with Other Gate')
      await hand.page.waitForURL(`${upstream.baseUrl}/sign-in?**`)
      await hand.press('Sign in', { 'Email address': grace.email, Password: grace.password })
      await hand.press('Allow')
      await hand.page.waitForURL(`${world.portalUrl}/apps/new`)
    })
  })
}
