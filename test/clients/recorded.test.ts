import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Recording } from './recording.ts'
import { type ClientScene, openClientScene } from './registration.ts'

/** Libraries for other languages, whose requests are replayed byte for byte. */
const libraries = readdirSync(join(import.meta.dirname, 'recorded')).map((file) => file.replace(/\.http$/, ''))

async function openRecording(t: TestContext, library: string): Promise<{ scene: ClientScene; recording: Recording }> {
  const scene = await openClientScene(t)
  return { scene, recording: await Recording.of(t, library, scene) }
}

for (const library of libraries) {
  test(`${library} completes consent, code exchange, userinfo, refresh and revocation`, async (t) => {
    const { scene, recording } = await openRecording(t, library)
    await recording.consent()
    const first = await recording.tokens('token')
    const userinfo = await recording.send('userinfo')
    assert.equal(userinfo.status, 200)
    assert.deepEqual(JSON.parse(userinfo.body), { sub: 'ada', serviceId: 'ada', name: 'Ada', botCount: 0 })

    const second = await recording.tokens('refresh')
    assert.notEqual(second.refresh_token, first.refresh_token)
    assert.equal(await scene.isAlive(second.access_token), true)

    const revoked = await recording.send('revoke')
    assert.deepEqual([revoked.status, revoked.body], [200, ''])
    assert.equal(revoked.headers['content-type'], 'application/json')
    assert.equal(await scene.isAlive(second.access_token), false)
    assert.equal(await scene.isAlive(first.access_token), false)
  })
}

test('a failed attempt of golang.org/x/oauth2 with Basic does not spend the code, so its second attempt with body credentials succeeds', async (t) => {
  const { scene, recording } = await openRecording(t, 'x-oauth2')
  await recording.consent()
  const first = await recording.send('token', { basic: Buffer.from('svc_ci_other:svc_cs_other').toString('base64') })
  assert.equal(first.status, 401)
  assert.match(first.headers['www-authenticate'] ?? '', /^Basic /)
  const tokens = await recording.tokens('token, second attempt')
  assert.equal(await scene.isAlive(tokens.access_token), true)
})

test('a refresh of requests-oauthlib without credentials gets a 401 that says what to send, and spends nothing', async (t) => {
  const { recording } = await openRecording(t, 'requests-oauthlib')
  await recording.consent()
  await recording.tokens('token')
  const answer = await recording.send('refresh without credentials')
  assert.equal(answer.status, 401)
  assert.equal(answer.headers['www-authenticate'], undefined)
  assert.deepEqual(JSON.parse(answer.body), {
    error: 'invalid_client',
    error_description:
      'The client did not authenticate. Send client_id and client_secret in the body, or as HTTP Basic.',
  })
  await recording.tokens('refresh')
})

test('a refresh of league/oauth2-client may still contain the code_verifier from the sign-in', async (t) => {
  const { recording } = await openRecording(t, 'league-oauth2-client')
  await recording.consent()
  await recording.tokens('token')
  await recording.tokens('refresh by the object that signed in with PKCE')
})
