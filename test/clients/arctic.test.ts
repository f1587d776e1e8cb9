import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
// recipe: set up
import * as arctic from 'arctic'

/** Runs once, when the application starts. */
function setUp({ clientId, clientSecret, redirectUri }: Registration): arctic.OAuth2Client {
  return new arctic.OAuth2Client(clientId, clientSecret, redirectUri)
}

// end of recipe
import { aSpentRefreshToken, openClientScene, type Registration } from './registration.ts'
import { assertReturns } from './returning-user.ts'

// recipe: sign in
/** Starts a sign-in. Keep `state` and `verifier` in the browser's session, then redirect to `url`. */
function begin(client: arctic.OAuth2Client, gatehouse: string, more: { consent?: 'skip' } = {}) {
  const state = arctic.generateState()
  const verifier = arctic.generateCodeVerifier()
  const url = client.createAuthorizationURLWithPKCE(
    `${gatehouse}/auth/consent`,
    state,
    arctic.CodeChallengeMethod.S256,
    verifier,
    ['user.identify', 'offline_access'],
  )
  for (const [name, value] of Object.entries(more)) url.searchParams.set(name, value)
  return { url, state, verifier }
}

/** Finishes the sign-in. `callback` is the full URL to which the browser was redirected, including its query. */
async function finish(
  client: arctic.OAuth2Client,
  callback: URL,
  begun: { state: string; verifier: string },
  gatehouse: string,
) {
  // The library does not check the state.
  if (callback.searchParams.get('state') !== begun.state) throw new Error('this sign-in was not begun here')
  const refusal = callback.searchParams.get('error')
  if (refusal !== null) throw new Error('not signed in', { cause: refusal })
  const code = callback.searchParams.get('code') ?? ''
  const tokens = await client.validateAuthorizationCode(`${gatehouse}/api/oauth/token`, code, begun.verifier)
  const response = await fetch(`${gatehouse}/api/oauth/userinfo`, {
    headers: { authorization: `Bearer ${tokens.accessToken()}` },
  })
  if (!response.ok) throw new Error(`userinfo answered ${response.status}: ${await response.text()}`)
  return { tokens, person: await response.json() }
}
// end of recipe

/**
 * Handles an error from `finish`. Returns a new sign-in, with the consent page, if `consent=skip` was not enough.
 * Returns `undefined` if the user chose Deny.
 */
function afterRefusal(error: Error, client: arctic.OAuth2Client, gatehouse: string) {
  if (error.cause === 'consent_required') return begin(client, gatehouse)
  if (error.cause === 'access_denied') return undefined
  throw error
}

// recipe: refresh and revoke
/**
 * Refreshes the tokens. No scopes are listed, so all granted scopes are kept. Store the new refresh token immediately:
 * the old one is spent, and using it again revokes all tokens of the authorization.
 */
function refresh(client: arctic.OAuth2Client, refreshToken: string, gatehouse: string): Promise<arctic.OAuth2Tokens> {
  return client.refreshAccessToken(`${gatehouse}/api/oauth/token`, refreshToken, [])
}

/** Revokes the entire authorization, including all its tokens. */
function signOut(client: arctic.OAuth2Client, refreshToken: string, gatehouse: string): Promise<void> {
  return client.revokeToken(`${gatehouse}/api/oauth/revoke`, refreshToken)
}
// end of recipe

describe('arctic from npm', () => {
  test('arctic completes consent, code exchange, userinfo, refresh and revocation', async (t) => {
    const scene = await openClientScene(t)
    const client = setUp(scene)
    const begun = begin(client, scene.gatehouse)
    const { tokens, person } = await finish(client, await scene.consent(begun.url), begun, scene.gatehouse)
    assert.deepEqual(person, { sub: 'ada', serviceId: 'ada', name: 'Ada', botCount: 0 })
    assert.equal(tokens.tokenType(), 'Bearer')
    assert.equal(tokens.accessTokenExpiresInSeconds(), 900)
    assert.deepEqual(tokens.scopes(), ['user.identify', 'offline_access'])

    const next = await refresh(client, tokens.refreshToken(), scene.gatehouse)
    assert.notEqual(next.refreshToken(), tokens.refreshToken())
    assert.equal(await scene.isAlive(next.accessToken()), true)
    await signOut(client, next.refreshToken(), scene.gatehouse)
    assert.equal(await scene.isAlive(next.accessToken()), false)
  })

  test('with consent=skip, a new user gets the consent page and a returning user does not; a denial signs nobody in', async (t) => {
    const scene = await openClientScene(t)
    const client = setUp(scene)
    await assertReturns(scene, {
      begin: async () => begin(client, scene.gatehouse, { consent: 'skip' }),
      signIn: (begun, callback) =>
        finish(client, callback, begun, scene.gatehouse).catch((error) => afterRefusal(error, client, scene.gatehouse)),
    })
  })

  test('arctic’s errors include the code and description', async (t) => {
    const scene = await openClientScene(t)
    const { spent } = await aSpentRefreshToken(scene)
    await assert.rejects(refresh(setUp(scene), spent, scene.gatehouse), (error) => {
      assert.ok(error instanceof arctic.OAuth2RequestError)
      assert.equal(error.code, 'invalid_grant')
      assert.match(error.description ?? '', /already used/)
      return true
    })
    const stranger = setUp({ ...scene, clientSecret: 'svc_cs_wrong' })
    await assert.rejects(signOut(stranger, spent, scene.gatehouse), { code: 'invalid_client' })
  })

  test('arctic reports a 429 as a bare status, since it handles only 200, 400 and 401', async (t) => {
    const scene = await openClientScene(t)
    const stranger = setUp({ ...scene, clientSecret: 'svc_cs_wrong' })
    for (let tries = 0; tries < 100; tries += 1) {
      await assert.rejects(refresh(stranger, 'svc_rt_any', scene.gatehouse), arctic.OAuth2RequestError)
    }
    await assert.rejects(refresh(stranger, 'svc_rt_any', scene.gatehouse), (error) => {
      assert.ok(error instanceof arctic.UnexpectedResponseError)
      assert.equal(error.status, 429)
      return true
    })
  })
})
