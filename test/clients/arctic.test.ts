import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as arctic from 'arctic'
import { afterRefusal, begin, finish, refresh, setUp, signOut } from '../../examples/libraries/arctic.ts'
import { aSpentRefreshToken, openClientScene } from './registration.ts'
import { assertReturns } from './returning-user.ts'

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
