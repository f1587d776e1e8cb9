import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as oauth from 'oauth4webapi'
import { afterRefusal, begin, discover, finish, refresh, signOut } from '../../examples/libraries/oauth4webapi.ts'
import { completes, returns } from './library.ts'
import { type ClientScene, openClientScene } from './registration.ts'

async function open(scene: ClientScene, credentials = oauth.ClientSecretBasic) {
  const gatehouse = { ...(await discover(scene)), secret: credentials(scene.clientSecret) }
  return {
    begin: (more?: { consent: 'skip' }) => begin(gatehouse, scene.redirectUri, more),
    async finish(begun: Awaited<ReturnType<typeof begin>>, callback: URL) {
      const { tokens, person } = await finish(gatehouse, callback, begun)
      return { person, ...tokens }
    },
    afterRefusal: (error: Error) => afterRefusal(error, gatehouse, scene.redirectUri),
    refresh: (token: string) => refresh(gatehouse, token),
    signOut: (token: string) => signOut(gatehouse, token),
  }
}

const refused = { constructor: oauth.ResponseBodyError, error: 'invalid_grant', error_description: /./ }
completes('oauth4webapi with Basic', open, refused)
completes('oauth4webapi with credentials in the body', (scene) => open(scene, oauth.ClientSecretPost), refused)
returns(open)

test('the redirect has a state only if the request had one, and the library rejects a different state', async (t) => {
  const scene = await openClientScene(t)
  const gatehouse = await discover(scene)
  const begun = await begin(gatehouse, scene.redirectUri)
  begun.url.searchParams.delete('state')
  const callback = await scene.consent(begun.url)
  oauth.validateAuthResponse(gatehouse.server, gatehouse.client, callback, oauth.expectNoState)

  const second = await begin(gatehouse, scene.redirectUri)
  const third = await begin(gatehouse, scene.redirectUri)
  await assert.rejects(finish(gatehouse, await scene.consent(third.url), second), /unexpected "state"/)
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
