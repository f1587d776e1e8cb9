import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
// recipe: set up
import * as client from 'openid-client'

/** Runs once, when the application starts. */
function discover({ gatehouse, clientId, clientSecret }: Registration): Promise<client.Configuration> {
  return client.discovery(new URL(gatehouse), clientId, clientSecret, undefined, {
    // Use RFC 8414 metadata; Gatehouse is not an OpenID provider.
    algorithm: 'oauth2',
    // Plain http is for development only.
    execute: gatehouse.startsWith('http:') ? [client.allowInsecureRequests] : [],
  })
}

// end of recipe
import { openClientScene, type Registration } from './registration.ts'
import { assertReturns } from './returning-user.ts'

// recipe: sign in
/** Starts a sign-in. Keep `state` and `verifier` in the browser's session, then redirect to `url`. */
async function begin(config: client.Configuration, redirectUri: string, more: { consent?: 'skip' } = {}) {
  const state = client.randomState()
  const verifier = client.randomPKCECodeVerifier()
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: 'user.identify offline_access',
    state,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...more,
  })
  return { url, state, verifier }
}

/** Finishes the sign-in. `callback` is the full URL to which the browser was redirected, including its query. */
async function finish(config: client.Configuration, callback: URL, begun: { state: string; verifier: string }) {
  const tokens = await client.authorizationCodeGrant(config, callback, {
    expectedState: begun.state,
    pkceCodeVerifier: begun.verifier,
  })
  // Gatehouse issues no ID token to compare the subject with.
  const person = await client.fetchUserInfo(config, tokens.access_token, client.skipSubjectCheck)
  return { tokens, person }
}
// end of recipe

// recipe: refusal
/**
 * Handles an error from `finish`. Returns a new sign-in, with the consent page, if `consent=skip` was not enough.
 * Returns `undefined` if the user chose Deny.
 */
async function afterRefusal(error: unknown, config: client.Configuration, redirectUri: string) {
  if (!(error instanceof client.AuthorizationResponseError)) throw error
  if (error.error === 'consent_required') return begin(config, redirectUri)
  if (error.error === 'access_denied') return undefined
  throw error
}
// end of recipe

// recipe: refresh and revoke
/**
 * Refreshes the tokens. Store the new refresh token immediately: the old one is spent, and using it again revokes all
 * tokens of the authorization.
 */
function refresh(config: client.Configuration, refreshToken: string) {
  return client.refreshTokenGrant(config, refreshToken)
}

/** Revokes the entire authorization, including all its tokens. */
async function signOut(config: client.Configuration, refreshToken: string): Promise<void> {
  await client.tokenRevocation(config, refreshToken)
}
// end of recipe

describe('openid-client from npm', () => {
  test('openid-client completes consent, code exchange, userinfo, refresh and revocation', async (t) => {
    const scene = await openClientScene(t)
    const config = await discover(scene)
    const begun = await begin(config, scene.redirectUri)
    const { tokens, person } = await finish(config, await scene.consent(begun.url), begun)
    assert.deepEqual({ ...person }, { sub: 'ada', serviceId: 'ada', name: 'Ada', botCount: 0 })
    assert.equal(tokens.scope, 'user.identify offline_access')
    assert.equal(tokens.expires_in, 900)

    const next = await refresh(config, tokens.refresh_token ?? '')
    assert.notEqual(next.refresh_token, tokens.refresh_token)
    assert.equal(await scene.isAlive(next.access_token), true)

    await signOut(config, next.refresh_token ?? '')
    assert.equal(await scene.isAlive(next.access_token), false)
    assert.equal(await scene.isAlive(tokens.access_token), false, 'the whole family is revoked')
  })

  test('a pushed authorization request works', async (t) => {
    const scene = await openClientScene(t)
    const config = await discover(scene)
    const verifier = client.randomPKCECodeVerifier()
    const url = await client.buildAuthorizationUrlWithPAR(config, {
      redirect_uri: scene.redirectUri,
      scope: 'user.identify',
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    })
    // The request has no state, so the library expects none in the redirect.
    const tokens = await client.authorizationCodeGrant(config, await scene.consent(url), { pkceCodeVerifier: verifier })
    assert.equal(tokens.refresh_token, undefined, 'there is no refresh token without offline_access')
    assert.equal(await scene.isAlive(tokens.access_token), true)
  })

  test('with consent=skip, a new user gets the consent page and a returning user does not; a denial signs nobody in', async (t) => {
    const scene = await openClientScene(t)
    const config = await discover(scene)
    const signIn = async (begun: Awaited<ReturnType<typeof begin>>, callback: URL) =>
      finish(config, callback, begun).catch((error) => afterRefusal(error, config, scene.redirectUri))
    await assertReturns(scene, {
      begin: () => begin(config, scene.redirectUri, { consent: 'skip' }),
      signIn,
    })
  })

  test('a wrong secret sent in the body gets an error with a code and description, and does not spend the authorization code', async (t) => {
    const scene = await openClientScene(t)
    const config = await discover({ ...scene, clientSecret: 'svc_cs_wrong' })
    const begun = await begin(config, scene.redirectUri)
    const callback = await scene.consent(begun.url)
    await assert.rejects(finish(config, callback, begun), {
      name: 'ResponseBodyError',
      status: 401,
      error: 'invalid_client',
      error_description:
        'The client_id is unknown or the client_secret is wrong. A rotated secret stops working at once.',
    })
    const { person } = await finish(await discover(scene), callback, begun)
    assert.equal(person.sub, 'ada')
  })

  test('sign-in works unchanged with SEND_ISS=true, and a redirect without iss is then rejected', async (t) => {
    const scene = await openClientScene(t, { env: { SEND_ISS: 'true' } })
    const config = await discover(scene)
    const begun = await begin(config, scene.redirectUri)
    const callback = await scene.consent(begun.url)
    assert.equal(callback.searchParams.get('iss'), scene.gatehouse)
    const { person } = await finish(config, callback, begun)
    assert.equal(person.sub, 'ada')

    const without = new URL(callback)
    without.searchParams.delete('iss')
    await assert.rejects(finish(config, without, begun), (error: Error) => {
      assert.match(String(error.cause), /"iss" \(issuer\) missing/, 'the metadata announces iss')
      return true
    })
  })
})
