import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { adaWithClient, allow, type Browser, consentUrl, postForm, signedIn, userinfo } from '../support/people.ts'
import { openWorld, type World } from '../support/world.ts'

// recipe: registration
/** What the portal gives an application, and where Gatehouse is. */
export interface Registration {
  /** `{base_url}`, without a slash at its end. */
  gatehouse: string
  clientId: string
  clientSecret: string
  redirectUri: string
}
// end of recipe

/** Gatehouse with Ada, an application in development whose redirect URI is on loopback, and Ada's browser. */
export interface ClientScene extends Registration {
  world: World
  browser: Browser
  /** Takes Ada through the real pages to the redirect back to the application, allowing what is asked. */
  consent(authorizationUrl: string | URL): Promise<URL>
  /** The same, but Ada presses Deny. */
  deny(authorizationUrl: string | URL): Promise<URL>
  /** Whether an access token is still good, asked without any library. */
  isAlive(accessToken: string | undefined): Promise<boolean>
}

/** Registers the redirect URI without a port: for loopback literals any port matches (RFC 8252 section 7.3). */
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
    async isAlive(accessToken) {
      assert.match(accessToken ?? '', /^svc_at_/)
      return (await userinfo(world, accessToken ?? '')).status === 200
    },
  }
}

/** A refresh token that is no longer the newest, and the tokens that came after it; for libraries to stumble on. */
export async function aSpentRefreshToken(scene: ClientScene): Promise<{ spent: string; newest: string }> {
  const location = await scene.consent(consentUrl(scene.world, scene))
  const credentials = { client_id: scene.clientId, client_secret: scene.clientSecret }
  const token = `${scene.gatehouse}/api/oauth/token`
  const first = await postForm(token, {
    ...credentials,
    grant_type: 'authorization_code',
    code: location.searchParams.get('code') ?? '',
    redirect_uri: scene.redirectUri,
  })
  const spent: string = first.json.refresh_token
  const second = await postForm(token, { ...credentials, grant_type: 'refresh_token', refresh_token: spent })
  return { spent, newest: second.json.refresh_token }
}
