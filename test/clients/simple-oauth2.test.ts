import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ModuleOptions } from 'simple-oauth2'
import { afterRefusal, begin, finish, fresh, setUp, signOut } from '../../examples/libraries/simple-oauth2.ts'
import { pkce } from '../support/people.ts'
import { aSpentRefreshToken, openClientScene } from './registration.ts'
import { assertReturns } from './returning-user.ts'

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
