import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Registration } from '../../examples/libraries/registration.ts'
import { adaWithClient, allow, type Browser, signedIn, userinfo } from '../support/people.ts'
import { openWorld, type World } from '../support/world.ts'

/** A running Gatehouse with the user Ada, her browser, and a development application with a loopback redirect URI. */
export interface ClientScene extends Registration {
  world: World
  browser: Browser
  /** Goes through the real pages as Ada, allows the request, and returns the redirect to the application. */
  consent(authorizationUrl: string | URL): Promise<URL>
  /** Goes through the real pages as Ada, denies the request, and returns the redirect to the application. */
  deny(authorizationUrl: string | URL): Promise<URL>
  /** Returns the redirect to the application that Gatehouse sends without showing a page. */
  redirect(authorizationUrl: string | URL): Promise<URL>
  /** Checks, without a library, whether an access token is valid. */
  isAlive(accessToken: string | undefined): Promise<boolean>
}

/**
 * Opens a scene. The redirect URI is registered without a port: on loopback literals, any port matches (RFC 8252
 * section 7.3).
 */
export async function openClientScene(
  t: TestContext,
  { redirectPath = '/callback', env = {} }: { redirectPath?: string; env?: Record<string, string> } = {},
): Promise<ClientScene> {
  const world = await openWorld(t, env)
  const { clientId, clientSecret } = await adaWithClient(world, {
    environment: 'development',
    redirectUris: [`http://127.0.0.1${redirectPath}`],
  })
  const browser = await signedIn(world)
  return {
    world,
    browser,
    gatehouse: world.baseUrl,
    clientId,
    clientSecret,
    redirectUri: `http://127.0.0.1:8080${redirectPath}`,
    consent: (authorizationUrl) => allow(world, browser, String(authorizationUrl)),
    async deny(authorizationUrl) {
      const page = await browser.visit(authorizationUrl, world)
      const answer = await browser.submit(page, { decision: 'deny' }, '/auth/consent')
      assert.ok(answer.location, answer.text)
      return answer.location
    },
    async redirect(authorizationUrl) {
      const { location, text } = await browser.visit(authorizationUrl, world)
      return location ?? assert.fail(text)
    },
    async isAlive(accessToken) {
      assert.match(accessToken ?? '', /^svc_at_/)
      return (await userinfo(world, accessToken ?? '')).status === 200
    },
  }
}
