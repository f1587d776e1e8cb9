import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { python } from '../support/python.ts'
import { completes, returns } from './library.ts'
import type { ClientScene } from './registration.ts'

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

interface Begun {
  url: string
  /** Arguments of `finish`. */
  kept: readonly string[]
}

async function open(scene: ClientScene) {
  const begin = async (more: { consent?: 'skip' } = {}): Promise<Begun> => {
    const [url, ...kept] = await ran(scene, 'print(json.dumps(gatehouse.begin(**words[0])))', more)
    assert.equal(new URL(url).searchParams.get('code_challenge_method'), 'S256')
    return { url, kept }
  }
  const call = (name: string, refresh_token: string) =>
    ran(scene, `print(json.dumps(gatehouse.${name}(words[0])))`, { refresh_token })
  return {
    begin,
    async finish({ kept }: Begun, callback: URL) {
      const program = `try:
    print(json.dumps(gatehouse.finish(*words)))
except OAuthError as error:
    print(json.dumps([error.error, None]))`
      const [tokens, person] = await ran(scene, program, callback, ...kept)
      if (person === null) throw new Error(tokens)
      return { ...tokens, person }
    },
    async afterRefusal({ message }: Error) {
      if (message === 'access_denied') return undefined
      assert.equal(message, 'consent_required')
      return begin()
    },
    refresh: (token: string) => call('refresh', token),
    signOut: (token: string) => call('sign_out', token),
  }
}

completes('examples/libraries/with_authlib.py', open, /invalid_grant/)
returns(open)
