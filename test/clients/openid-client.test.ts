import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as client from 'openid-client'
import { afterRefusal, begin, discover, finish, refresh, signOut } from '../../examples/libraries/openid-client.ts'
import { completes, returns } from './library.ts'
import { type ClientScene, openClientScene } from './registration.ts'

async function open(scene: ClientScene) {
  const config = await discover(scene)
  return {
    begin: (more?: { consent: 'skip' }) => begin(config, scene.redirectUri, more),
    async finish(begun: Awaited<ReturnType<typeof begin>>, callback: URL) {
      const { tokens, person } = await finish(config, callback, begun)
      return { person, ...tokens }
    },
    afterRefusal: (error: Error) => afterRefusal(error, config, scene.redirectUri),
    refresh: (token: string) => refresh(config, token),
    signOut: (token: string) => signOut(config, token),
  }
}

describe('openid-client from npm', () => {
  const refused = { constructor: client.ResponseBodyError, error: 'invalid_grant', error_description: /./ }
  completes('openid-client', open, refused)
  returns(open)

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
