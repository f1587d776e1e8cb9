import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Registration } from '../../examples/libraries/registration.ts'
import { allow, openClient, userinfo } from '../support/people.ts'

export type ClientScene = Awaited<ReturnType<typeof openClientScene>>

/**
 * Opens a Gatehouse with the user Ada, her browser, and a development application. Its redirect URI is registered without
 * a port: on loopback literals, any port matches (RFC 8252 section 7.3).
 */
export async function openClientScene(
  t: TestContext,
  { redirectPath = '/callback', env = {} }: { redirectPath?: string; env?: Record<string, string> } = {},
) {
  const redirectUris = [`http://127.0.0.1${redirectPath}`]
  const { world, client, browser } = await openClient(t, env, { environment: 'development', redirectUris })
  const { clientId, clientSecret } = client
  const redirectUri = `http://127.0.0.1:8080${redirectPath}`
  const registration: Registration = { gatehouse: world.baseUrl, clientId, clientSecret, redirectUri }
  return {
    ...registration,
    world,
    browser,
    /** Goes through the real pages as Ada, allows the request, and returns the redirect to the application. */
    consent: (authorizationUrl: string | URL) => allow(world, browser, String(authorizationUrl)),
    /** Goes through the real pages as Ada, denies the request, and returns the redirect to the application. */
    async deny(authorizationUrl: string | URL): Promise<URL> {
      const page = await browser.visit(authorizationUrl, world)
      const { location, text } = await browser.submit(page, { decision: 'deny' }, '/auth/consent')
      return location ?? assert.fail(text)
    },
    /** Returns the redirect to the application that Gatehouse sends without showing a page. */
    async redirect(authorizationUrl: string | URL): Promise<URL> {
      const { location, text } = await browser.visit(authorizationUrl, world)
      return location ?? assert.fail(text)
    },
    /** Checks, without a library, whether an access token is valid. */
    async isAlive(accessToken: string | undefined): Promise<boolean> {
      assert.match(accessToken ?? '', /^svc_at_/)
      return (await userinfo(world, accessToken ?? '')).status === 200
    },
  }
}
