import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as client from 'openid-client'
import { afterRefusal, begin, discover, finish, refresh, signOut } from '../../examples/libraries/openid-client.ts'
import { openClientScene } from './registration.ts'
import { assertReturns } from './returning-user.ts'

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
    await assertReturns(scene, { begin: () => begin(config, scene.redirectUri, { consent: 'skip' }), signIn })
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
