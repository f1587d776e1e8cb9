import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OperatorKeyId, SecretDigest } from '../../src/domain/ids-and-secrets.ts'
import type { NewOperatorKey } from '../../src/domain/operators/operator-keys.ts'
import { empty, onEachDatabase } from '../support/adapters/identity-engines.ts'

const nowMs = 1_767_614_400_000

function key(n: number, access: NewOperatorKey['access'] = 'full'): NewOperatorKey {
  const digest = new Uint8Array(32).fill(n) as SecretDigest
  return { id: `key-${n}` as OperatorKeyId, name: `Key ${n}`, access, digest, lastFour: `000${n}` }
}

onEachDatabase('OperatorKeyStore', empty, (open) => {
  test('of concurrent additions of operator keys, only as many succeed as the limit allows', async (t) => {
    const { operatorKeys } = await open(t)
    const outcomes = await Promise.all(Array.from({ length: 8 }, (_, n) => operatorKeys.add(key(n), 3, nowMs)))
    assert.equal(outcomes.filter((outcome) => outcome === 'added').length, 3)
    assert.equal((await operatorKeys.list()).length, 3)
  })
})
