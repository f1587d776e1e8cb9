import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OperatorKeyId } from '../../src/domain/ids.ts'
import type { NewOperatorKey } from '../../src/domain/operators/operator-keys.ts'
import type { SecretDigest } from '../../src/domain/secret.ts'
import { empty, onEachDatabase } from '../support/adapters/identity-engines.ts'

const nowMs = 1_767_614_400_000

function key(n: number, access: NewOperatorKey['access'] = 'full'): NewOperatorKey {
  const digest = new Uint8Array(32).fill(n) as SecretDigest
  return { id: `key-${n}` as OperatorKeyId, name: `Key ${n}`, access, digest, lastFour: `000${n}` }
}

onEachDatabase('OperatorKeyStore', empty, (open) => {
  test('an operator key is found by its digest and listed, newest first, until it is removed', async (t) => {
    const { operatorKeys } = await open(t)
    const [one, two] = [key(1), key(2, 'read')]
    assert.equal(await operatorKeys.add(one, 10, nowMs), 'added')
    assert.equal(await operatorKeys.add(two, 10, nowMs + 1), 'added')
    const record = { id: 'key-2', name: 'Key 2', access: 'read', lastFour: '0002', createdAtMs: nowMs + 1 }
    const { number, ...found } = (await operatorKeys.findByDigest(two.digest)) ?? assert.fail()
    assert.deepEqual(found, { ...record, lastUsedAtMs: null })
    assert.ok(Number.isSafeInteger(number))
    assert.equal(await operatorKeys.findByDigest(key(3).digest), undefined)
    assert.deepEqual(
      (await operatorKeys.list()).map(({ id }) => id),
      ['key-2', 'key-1'],
    )
    assert.equal(await operatorKeys.remove(two.id), true)
    assert.equal(await operatorKeys.remove(two.id), false)
    assert.equal(await operatorKeys.findByDigest(two.digest), undefined)
    assert.deepEqual(
      (await operatorKeys.list()).map(({ id }) => id),
      ['key-1'],
    )
  })

  test('the last use of an operator key is stored; the use of a deleted key is ignored', async (t) => {
    const { operatorKeys } = await open(t)
    await operatorKeys.add(key(1), 10, nowMs)
    const { number } = (await operatorKeys.findByDigest(key(1).digest)) ?? assert.fail()
    await operatorKeys.recordUse(
      new Map([
        [number, nowMs + 5],
        [number + 1, nowMs + 6],
      ]),
    )
    assert.equal((await operatorKeys.list())[0]?.lastUsedAtMs, nowMs + 5)
  })

  test('of concurrent additions of operator keys, only as many succeed as the limit allows', async (t) => {
    const { operatorKeys } = await open(t)
    const outcomes = await Promise.all(Array.from({ length: 8 }, (_, n) => operatorKeys.add(key(n), 3, nowMs)))
    assert.equal(outcomes.filter((outcome) => outcome === 'added').length, 3)
    assert.equal((await operatorKeys.list()).length, 3)
  })
})
