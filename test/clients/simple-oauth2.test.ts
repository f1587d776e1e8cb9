import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccessToken, ModuleOptions } from 'simple-oauth2'
import { afterRefusal, begin, finish, fresh, setUp, signOut } from '../../examples/libraries/simple-oauth2.ts'
import { pkce } from '../support/people.ts'
import { completes, returns } from './library.ts'
import { type ClientScene, openClientScene } from './registration.ts'

const ways: [string, ModuleOptions['options']][] = [
  ['Basic and a form, its defaults', {}],
  ['Basic without percent-encoding', { credentialsEncodingMode: 'loose' }],
  ['credentials in a form', { authorizationMethod: 'body' }],
  ['credentials in a JSON body', { authorizationMethod: 'body', bodyFormat: 'json' }],
  ['Basic and a JSON body', { bodyFormat: 'json' }],
]
const tokensOf = ({ token }: AccessToken) => token as { access_token: string; refresh_token: string }

async function open(scene: ClientScene, options: ModuleOptions['options'] = {}) {
  const client = setUp(scene, options)
  const stored = (refresh_token: string) =>
    client.createToken({ access_token: 'svc_at_old', refresh_token, expires_in: 0 })
  return {
    begin: async (more?: { consent: 'skip' }) => begin(client, scene.redirectUri, more),
    async finish(begun: ReturnType<typeof begin>, callback: URL) {
      const { token, person } = await finish(client, callback, begun, scene)
      assert.equal(await fresh(token), token, 'a valid access token is kept')
      return { person, ...tokensOf(token) }
    },
    afterRefusal: async (error: Error) => afterRefusal(error, client, scene.redirectUri),
    refresh: async (token: string) => tokensOf(await fresh(stored(token))),
    signOut: (token: string) => signOut(stored(token)),
  }
}

const refused = ({ data }: { data?: { payload?: { error?: string; error_description?: string } } }) =>
  data?.payload?.error === 'invalid_grant' && data.payload.error_description !== undefined
for (const [title, options] of ways) {
  completes(`simple-oauth2 with ${title}`, (scene) => open(scene, options), refused)
}
returns(open)

test('PKCE parameters are passed through, although the library does not support PKCE', async (t) => {
  const scene = await openClientScene(t)
  const client = setUp(scene)
  const { verifier, challenge } = pkce()
  const asked = { redirect_uri: scene.redirectUri, scope: 'user.identify' }
  const bound = { code_challenge: challenge, code_challenge_method: 'S256' }
  const url = client.authorizeURL({ ...asked, ...bound } as typeof asked)
  const code = (await scene.consent(url)).searchParams.get('code') ?? ''
  const answer = { code, redirect_uri: scene.redirectUri }
  await assert.rejects(client.getToken(answer), 'the code is bound to the challenge')
  const token = await client.getToken({ ...answer, code_verifier: verifier } as typeof answer)
  assert.equal(await scene.isAlive(token.token.access_token as string), true)
})
