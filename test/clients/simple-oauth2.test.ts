import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
// recipe: set up
import { type AccessToken, AuthorizationCode, type ModuleOptions } from 'simple-oauth2'

/** Runs once, when the application starts. The library's default paths differ from Gatehouse's. */
function setUp({ gatehouse, clientId, clientSecret }: Registration, options: ModuleOptions['options'] = {}) {
  return new AuthorizationCode({
    client: { id: clientId, secret: clientSecret },
    auth: {
      tokenHost: gatehouse,
      tokenPath: '/api/oauth/token',
      revokePath: '/api/oauth/revoke',
      authorizePath: '/auth/consent',
    },
    options,
  })
}

// end of recipe
import { pkce } from '../support/people.ts'
import { aSpentRefreshToken, openClientScene, type Registration } from './registration.ts'
import { assertReturns } from './returning-user.ts'

// recipe: sign in
/** Starts a sign-in. Keep `state` in the browser's session, then redirect to `url`. */
function begin(client: AuthorizationCode, redirectUri: string, more: { consent?: 'skip' } = {}) {
  const state = randomBytes(16).toString('base64url')
  const url = client.authorizeURL({
    redirect_uri: redirectUri,
    scope: ['user.identify', 'offline_access'],
    state,
    ...more,
  })
  return { url, state }
}

/** Finishes the sign-in. `callback` is the full URL to which the browser was redirected, including its query. */
async function finish(client: AuthorizationCode, callback: URL, begun: { state: string }, registration: Registration) {
  // The library does not check the state.
  if (callback.searchParams.get('state') !== begun.state) throw new Error('this sign-in was not begun here')
  const refusal = callback.searchParams.get('error')
  if (refusal !== null) throw new Error('not signed in', { cause: refusal })
  const token = await client.getToken({
    code: callback.searchParams.get('code') ?? '',
    redirect_uri: registration.redirectUri,
  })
  const response = await fetch(`${registration.gatehouse}/api/oauth/userinfo`, {
    headers: { authorization: `Bearer ${token.token.access_token}` },
  })
  if (!response.ok) throw new Error(`userinfo answered ${response.status}: ${await response.text()}`)
  return { token, person: await response.json() }
}
// end of recipe

/**
 * Handles an error from `finish`. Returns a new sign-in, with the consent page, if `consent=skip` was not enough.
 * Returns `undefined` if the user chose Deny.
 */
function afterRefusal(error: Error, client: AuthorizationCode, redirectUri: string) {
  if (error.cause === 'consent_required') return begin(client, redirectUri)
  if (error.cause === 'access_denied') return undefined
  throw error
}

// recipe: refresh and revoke
/**
 * Returns a valid token. Store it immediately if it is new: the old refresh token is spent, and using it again revokes
 * all tokens of the authorization.
 */
async function fresh(token: AccessToken): Promise<AccessToken> {
  return token.expired(60) ? token.refresh() : token
}

/** Revokes the entire authorization. `revokeAll()` does the same in two requests. */
async function signOut(token: AccessToken): Promise<void> {
  await token.revoke('refresh_token')
}
// end of recipe

describe('simple-oauth2 from npm', () => {
  const ways: [string, ModuleOptions['options']][] = [
    ['Basic and a form, its defaults', {}],
    ['Basic without percent-encoding', { credentialsEncodingMode: 'loose' }],
    ['credentials in a form', { authorizationMethod: 'body' }],
    ['credentials in a JSON body', { authorizationMethod: 'body', bodyFormat: 'json' }],
    ['Basic and a JSON body', { bodyFormat: 'json' }],
  ]
  for (const [title, options] of ways) {
    test(`simple-oauth2 completes consent, code exchange, userinfo, refresh and revocation with ${title}`, async (t) => {
      const scene = await openClientScene(t)
      const client = setUp(scene, options)
      const begun = begin(client, scene.redirectUri)
      const { token, person } = await finish(client, await scene.consent(begun.url), begun, scene)
      assert.deepEqual(person, { sub: 'ada', serviceId: 'ada', name: 'Ada', botCount: 0 })
      assert.equal(await fresh(token), token, 'a valid access token is kept')

      const next = await token.refresh()
      assert.notEqual(next.token.refresh_token, token.token.refresh_token)
      assert.equal(await scene.isAlive(next.token.access_token as string), true)
      await signOut(next)
      assert.equal(await scene.isAlive(next.token.access_token as string), false)
    })
  }

  test('with consent=skip, a new user gets the consent page and a returning user does not; a denial signs nobody in', async (t) => {
    const scene = await openClientScene(t)
    const client = setUp(scene)
    await assertReturns(scene, {
      begin: async () => begin(client, scene.redirectUri, { consent: 'skip' }),
      signIn: (begun, callback) =>
        finish(client, callback, begun, scene).catch((error) => afterRefusal(error, client, scene.redirectUri)),
    })
  })

  test('PKCE parameters are passed through, although the library does not support PKCE', async (t) => {
    const scene = await openClientScene(t)
    const client = setUp(scene)
    const { verifier, challenge } = pkce()
    const asked = { redirect_uri: scene.redirectUri, scope: 'user.identify' }
    const url = client.authorizeURL({
      ...asked,
      code_challenge: challenge,
      code_challenge_method: 'S256',
    } as typeof asked)
    const code = (await scene.consent(url)).searchParams.get('code') ?? ''
    const answer = { code, redirect_uri: scene.redirectUri }
    await assert.rejects(client.getToken(answer), 'the code is bound to the challenge')
    const token = await client.getToken({ ...answer, code_verifier: verifier } as typeof answer)
    assert.equal(await scene.isAlive(token.token.access_token as string), true)
  })

  test('a spent refresh token gets an error with a code and description', async (t) => {
    const scene = await openClientScene(t)
    const { spent } = await aSpentRefreshToken(scene)
    const token = setUp(scene).createToken({ access_token: 'svc_at_old', refresh_token: spent })
    await assert.rejects(token.refresh(), (error: { output?: object; data?: { payload?: object } }) => {
      assert.deepEqual(error.data?.payload, {
        error: 'invalid_grant',
        error_description:
          'The refresh token was already used, so its whole token family is revoked. Keep only the newest one.',
      })
      return true
    })
  })
})
