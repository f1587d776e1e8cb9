import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
// recipe: set up
import * as oauth from 'oauth4webapi'

/** Runs once, when the application starts. */
async function discover({ gatehouse, clientId, clientSecret }: Registration) {
  const issuer = new URL(gatehouse)
  // Plain http is for development only.
  const options = { [oauth.allowInsecureRequests]: issuer.protocol === 'http:' }
  const response = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...options })
  const server = await oauth.processDiscoveryResponse(issuer, response)
  const client: oauth.Client = { client_id: clientId }
  // Gatehouse also accepts credentials in the body: oauth.ClientSecretPost(clientSecret).
  return { server, client, secret: oauth.ClientSecretBasic(clientSecret), options }
}
type Gatehouse = Awaited<ReturnType<typeof discover>>

// end of recipe
import { openClientScene, type Registration } from './registration.ts'
import { assertReturns } from './returning-user.ts'

// recipe: sign in
/** Starts a sign-in. Keep `state` and `verifier` in the browser's session, then redirect to `url`. */
async function begin({ server, client }: Gatehouse, redirectUri: string, more: { consent?: 'skip' } = {}) {
  const state = oauth.generateRandomState()
  const verifier = oauth.generateRandomCodeVerifier()
  const url = new URL(server.authorization_endpoint ?? '')
  url.search = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'user.identify offline_access',
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...more,
  }).toString()
  return { url, state, verifier, redirectUri }
}

/** Finishes the sign-in. `callback` is the full URL to which the browser was redirected, including its query. */
async function finish(gatehouse: Gatehouse, callback: URL, begun: Awaited<ReturnType<typeof begin>>) {
  const { server, client, secret, options } = gatehouse
  const answer = oauth.validateAuthResponse(server, client, callback, begun.state)
  const { redirectUri, verifier } = begun
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    secret,
    answer,
    redirectUri,
    verifier,
    options,
  )
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response)
  const userinfo = await oauth.userInfoRequest(server, client, tokens.access_token, options)
  // Gatehouse issues no ID token to compare the subject with.
  const person = await oauth.processUserInfoResponse(server, client, oauth.skipSubjectCheck, userinfo)
  return { tokens, person }
}
// end of recipe

/**
 * Handles an error from `finish`. Returns a new sign-in, with the consent page, if `consent=skip` was not enough.
 * Returns `undefined` if the user chose Deny.
 */
async function afterRefusal(error: unknown, gatehouse: Gatehouse, redirectUri: string) {
  if (!(error instanceof oauth.AuthorizationResponseError)) throw error
  if (error.error === 'consent_required') return begin(gatehouse, redirectUri)
  if (error.error === 'access_denied') return undefined
  throw error
}

// recipe: refresh and revoke
/**
 * Refreshes the tokens. Store the new refresh token immediately: the old one is spent, and using it again revokes all
 * tokens of the authorization.
 */
async function refresh({ server, client, secret, options }: Gatehouse, refreshToken: string) {
  const response = await oauth.refreshTokenGrantRequest(server, client, secret, refreshToken, options)
  return oauth.processRefreshTokenResponse(server, client, response)
}

/** Revokes the entire authorization, including all its tokens. */
async function signOut({ server, client, secret, options }: Gatehouse, refreshToken: string): Promise<void> {
  await oauth.processRevocationResponse(await oauth.revocationRequest(server, client, secret, refreshToken, options))
}
// end of recipe

describe('oauth4webapi from npm', () => {
  for (const [method, credentials] of [
    ['Basic', oauth.ClientSecretBasic],
    ['credentials in the body', oauth.ClientSecretPost],
  ] as const) {
    test(`oauth4webapi completes consent, code exchange, userinfo, refresh and revocation with ${method}`, async (t) => {
      const scene = await openClientScene(t)
      const gatehouse = { ...(await discover(scene)), secret: credentials(scene.clientSecret) }
      const begun = await begin(gatehouse, scene.redirectUri)
      const { tokens, person } = await finish(gatehouse, await scene.consent(begun.url), begun)
      assert.deepEqual({ ...person }, { sub: 'ada', serviceId: 'ada', name: 'Ada', botCount: 0 })
      assert.equal(tokens.token_type, 'bearer')
      assert.equal(tokens.expires_in, 900)

      const next = await refresh(gatehouse, tokens.refresh_token ?? '')
      assert.equal(await scene.isAlive(next.access_token), true)
      await signOut(gatehouse, next.refresh_token ?? '')
      assert.equal(await scene.isAlive(next.access_token), false)
    })
  }

  test('with consent=skip, a new user gets the consent page and a returning user does not; a denial signs nobody in', async (t) => {
    const scene = await openClientScene(t)
    const gatehouse = await discover(scene)
    await assertReturns(scene, {
      begin: () => begin(gatehouse, scene.redirectUri, { consent: 'skip' }),
      signIn: (begun, callback) =>
        finish(gatehouse, callback, begun).catch((error) => afterRefusal(error, gatehouse, scene.redirectUri)),
    })
  })

  test('the redirect has a state only if the request had one, and the library rejects a different state', async (t) => {
    const scene = await openClientScene(t)
    const gatehouse = await discover(scene)
    const begun = await begin(gatehouse, scene.redirectUri)
    begun.url.searchParams.delete('state')
    const callback = await scene.consent(begun.url)
    oauth.validateAuthResponse(gatehouse.server, gatehouse.client, callback, oauth.expectNoState)

    const second = await begin(gatehouse, scene.redirectUri)
    await assert.rejects(finish(gatehouse, await scene.deny(second.url), second), {
      name: 'AuthorizationResponseError',
      error: 'access_denied',
    })
    const third = await begin(gatehouse, scene.redirectUri)
    await assert.rejects(finish(gatehouse, await scene.consent(third.url), second), /unexpected "state"/)
  })

  test('a wrong secret sent as Basic gets a challenge (RFC 6749 section 5.2)', async (t) => {
    const scene = await openClientScene(t)
    const gatehouse = await discover({ ...scene, clientSecret: 'svc_cs_wrong' })
    const begun = await begin(gatehouse, scene.redirectUri)
    const callback = await scene.consent(begun.url)
    await assert.rejects(finish(gatehouse, callback, begun), (error) => {
      assert.ok(error instanceof oauth.WWWAuthenticateChallengeError)
      assert.equal(error.status, 401)
      assert.equal(error.cause[0]?.scheme, 'basic')
      return true
    })
  })

  test('an expired access token gets a challenge that says to refresh, and refreshing works', async (t) => {
    const scene = await openClientScene(t)
    const gatehouse = await discover(scene)
    const begun = await begin(gatehouse, scene.redirectUri)
    const { tokens } = await finish(gatehouse, await scene.consent(begun.url), begun)
    await scene.world.clock.advance(900_000)
    const { server, client, options } = gatehouse
    const response = await oauth.userInfoRequest(server, client, tokens.access_token, options)
    await assert.rejects(oauth.processUserInfoResponse(server, client, oauth.skipSubjectCheck, response), (error) => {
      assert.ok(error instanceof oauth.WWWAuthenticateChallengeError)
      const { parameters } = error.cause[0] ?? {}
      assert.equal(parameters?.error, 'invalid_token')
      assert.match(parameters?.error_description ?? '', /Refresh it/)
      return true
    })
    assert.equal(await scene.isAlive((await refresh(gatehouse, tokens.refresh_token ?? '')).access_token), true)
  })
})
