import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { python } from '../support/python.ts'
import { type ClientScene, openClientScene } from './registration.ts'

const folder = join(import.meta.dirname, '../../examples/libraries')

/** Runs a program after the import of examples/libraries/with_authlib.py, and returns what it prints as JSON. */
async function ran(scene: ClientScene, program: string, ...words: readonly unknown[]) {
  const start = `import json, sys
from with_authlib import Gatehouse, OAuthError
gatehouse, words = Gatehouse(*sys.argv[1:5]), json.loads(sys.argv[5])
`
  const { gatehouse, clientId, clientSecret, redirectUri } = scene
  const given = [gatehouse, clientId, clientSecret, redirectUri, JSON.stringify(words)]
  const { PATH = '', HOME = '' } = process.env
  const env = { PATH, HOME, AUTHLIB_INSECURE_TRANSPORT: '1', PYTHONDONTWRITEBYTECODE: '1' }
  const { stdout } = await promisify(execFile)(python(), ['-c', start + program, ...given], { cwd: folder, env })
  return JSON.parse(stdout)
}

test('examples/libraries/with_authlib.py completes consent, code exchange, userinfo, refresh and revocation', async (t) => {
  const scene = await openClientScene(t)
  const [asked, ...skipping] = await ran(scene, 'print(json.dumps(gatehouse.begin(consent="skip")))')
  const finish = 'print(json.dumps(gatehouse.finish(*words)))'
  const refused = `try:\n    gatehouse.finish(*words)\nexcept OAuthError as error:\n    print(json.dumps(error.error))`
  assert.equal(await ran(scene, refused, await scene.redirect(asked), ...skipping), 'consent_required')

  const [url, ...begun] = await ran(scene, 'print(json.dumps(gatehouse.begin()))')
  assert.equal(new URL(url).searchParams.get('code_challenge_method'), 'S256')
  assert.equal(await ran(scene, refused, await scene.deny(url), ...begun), 'access_denied')

  const [tokens, person] = await ran(scene, finish, await scene.consent(url), ...begun)
  assert.deepEqual(person, { sub: 'ada', serviceId: 'ada', name: 'Ada', botCount: 0 })
  const next = await ran(scene, 'print(json.dumps(gatehouse.refresh(words[0])))', tokens)
  assert.notEqual(next.refresh_token, tokens.refresh_token)
  assert.equal(await scene.isAlive(next.access_token), true)
  await ran(scene, 'print(json.dumps(gatehouse.sign_out(words[0])))', next)
  assert.equal(await scene.isAlive(next.access_token), false)
})
