import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..')
const document = readFileSync(join(root, 'docs/security.md'), 'utf8')
const proofs = [...document.matchAll(/^\[([a-z0-9-]+)\]: \.\.\/(test\/\S+)#(\S+)$/gm)].map(
  ([, name = '', file = '', anchor = '']) => ({ name, file, anchor }),
)
const lettersOf = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

test('each test that docs/security.md names exists', () => {
  assert.ok(proofs.length > 50)
  const missing = proofs.filter(
    ({ file, anchor }) => !lettersOf(readFileSync(join(root, file), 'utf8')).includes(lettersOf(anchor)),
  )
  assert.deepEqual(missing, [], 'a test was renamed: update its anchor in docs/security.md')
})

test('each proof cited in docs/security.md is listed there, and each listed proof is cited', () => {
  const cited = new Set([...document.matchAll(/\[([a-z0-9-]+)\](?![(:])/g)].map(([, name]) => name))
  assert.deepEqual([...cited].sort(), proofs.map(({ name }) => name).sort())
})
