import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { pkce } from '../support/people.ts'
import { RawConnection } from '../support/raw-http.ts'
import { openClientScene } from './registration.ts'

/** Values for the placeholders of a recorded request, which are written in braces. */
type Values = Record<string, string>

const folder = join(import.meta.dirname, 'recorded')

/**
 * Opens a scene in which requests of a library in another language, read from `recorded/<library>.http`, are replayed
 * byte for byte. Only values that differ between runs are filled in.
 */
async function openRecording(t: TestContext, library: string) {
  const scene = await openClientScene(t)
  const connection = await RawConnection.to(t, scene.gatehouse)
  const [, ...sections] = readFileSync(join(folder, `${library}.http`), 'utf8').split(/^### /m)
  const requests = new Map(
    sections.map((section) => [section.split('\n', 1)[0], section.replace(/.*\n/, '').trimEnd()]),
  )
  const { verifier, challenge } = pkce()
  const values: Values = {
    host: new URL(scene.gatehouse).host,
    client_id: scene.clientId,
    client_secret: scene.clientSecret,
    basic: btoa(`${scene.clientId}:${scene.clientSecret}`),
    redirect_uri: encodeURIComponent(scene.redirectUri),
    state: 'c3b1a2f4d5e6978800112233445566778899aabbccddeeff',
    verifier,
    challenge,
    length: '{length}',
  }

  function filled(name: string, instead: Values = {}): string {
    const request = requests.get(name)
    assert.ok(request, `no request ${name} is recorded; there are ${[...requests.keys()].join(', ')}`)
    return request.replaceAll(/\{([a-z_]+)\}/g, (_all, value: string) => {
      const text = instead[value] ?? values[value]
      assert.ok(text !== undefined, `the request ${name} needs {${value}}, which no response has set yet`)
      return text
    })
  }

  /** Opens the recorded URL in the browser, goes through consent and stores the code. */
  async function consent(): Promise<void> {
    const { searchParams } = await scene.consent(scene.gatehouse + filled('consent').slice('GET '.length))
    const { code = '', ...rest } = Object.fromEntries(searchParams)
    assert.deepEqual(rest, { state: values.state }, 'omniauth-oauth2 requires the state')
    values.code = code
  }

  /** Sends a recorded request. `instead` overrides placeholder values. */
  async function send(name: string, instead: Values = {}) {
    const [head = '', body = ''] = filled(name, instead).split('\n\n')
    const length = String(Buffer.byteLength(body))
    connection.write(`${head.replace('{length}', length).replaceAll('\n', '\r\n')}\r\n\r\n${body}`)
    return connection.answer()
  }

  /** Sends a recorded request to the token endpoint and stores the tokens. */
  async function tokens(name: string): Promise<{ access_token: string; refresh_token: string }> {
    const { status, headers, body } = await send(name)
    assert.equal(status, 200, body)
    assert.equal(headers['content-type'], 'application/json; charset=utf-8')
    const { access_token, refresh_token, scope, ...rest } = JSON.parse(body)
    // At least one of the libraries fails if a member is missing or has another type, or if there is an `error`.
    assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 900 })
    // oauthlib compares scopes as sets, and raises an error if they differ.
    assert.deepEqual(scope.split(' ').sort(), ['offline_access', 'user.identify'])
    Object.assign(values, { access_token, refresh_token })
    return { access_token, refresh_token }
  }

  return { scene, consent, send, tokens }
}

for (const file of readdirSync(folder)) {
  const library = file.replace(/\.http$/, '')
  test(`${library} completes consent, code exchange, userinfo, refresh and revocation`, async (t) => {
    const { scene, consent, send, tokens } = await openRecording(t, library)
    await consent()
    const first = await tokens('token')
    const userinfo = await send('userinfo')
    assert.equal(userinfo.status, 200)
    assert.deepEqual(JSON.parse(userinfo.body), { sub: 'ada', serviceId: 'ada', name: 'Ada', botCount: 0 })

    const second = await tokens('refresh')
    assert.notEqual(second.refresh_token, first.refresh_token)
    assert.equal(await scene.isAlive(second.access_token), true)

    const revoked = await send('revoke')
    assert.deepEqual([revoked.status, revoked.body], [200, ''])
    assert.equal(revoked.headers['content-type'], 'application/json')
    assert.equal(await scene.isAlive(second.access_token), false)
    assert.equal(await scene.isAlive(first.access_token), false)
  })
}

test('a failed attempt of golang.org/x/oauth2 with Basic does not spend the code, so its second attempt with body credentials succeeds', async (t) => {
  const { scene, consent, send, tokens } = await openRecording(t, 'x-oauth2')
  await consent()
  const first = await send('token', { basic: Buffer.from('svc_ci_other:svc_cs_other').toString('base64') })
  assert.equal(first.status, 401)
  assert.match(first.headers['www-authenticate'] ?? '', /^Basic /)
  const { access_token } = await tokens('token, second attempt')
  assert.equal(await scene.isAlive(access_token), true)
})

test('a refresh of requests-oauthlib without credentials gets a 401 that says what to send, and spends nothing', async (t) => {
  const { consent, send, tokens } = await openRecording(t, 'requests-oauthlib')
  await consent()
  await tokens('token')
  const answer = await send('refresh without credentials')
  assert.equal(answer.status, 401)
  assert.equal(answer.headers['www-authenticate'], undefined)
  const advice = 'The client did not authenticate. Send client_id and client_secret in the body, or as HTTP Basic.'
  assert.deepEqual(JSON.parse(answer.body), { error: 'invalid_client', error_description: advice })
  await tokens('refresh')
})

test('a refresh of league/oauth2-client may still contain the code_verifier from the sign-in', async (t) => {
  const { consent, tokens } = await openRecording(t, 'league-oauth2-client')
  await consent()
  await tokens('token')
  await tokens('refresh by the object that signed in with PKCE')
})
