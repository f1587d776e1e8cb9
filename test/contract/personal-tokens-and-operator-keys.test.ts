import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OperatorKeyId } from '../../src/domain/ids-and-secrets.ts'
import { onEachDatabase } from '../support/adapters/identity-engines.ts'
import { atOnce, pluck, tally } from '../support/together.ts'
import { ada, aKey, aPersonalToken, nowMs, withAda } from './scene.ts'

const { expiresAtMs } = aPersonalToken(1)

onEachDatabase('PersonalTokenStore and OperatorKeyStore', withAda, (open) => {
  test('of concurrent additions of personal access tokens, only as many succeed as the limit allows; expired tokens make room', async (t) => {
    const { personalTokens } = await open(t)
    assert.equal(tally(await atOnce(5, (n) => personalTokens.addToken(aPersonalToken(n), 3))).added, 3)
    assert.equal(await personalTokens.addToken(aPersonalToken(6, expiresAtMs), 3), 'added')
    assert.deepEqual(pluck(await personalTokens.listTokens(ada), 'id'), ['token-6'])
  })

  test('of concurrent additions of operator keys, only as many succeed as the limit allows', async (t) => {
    const { operatorKeys } = await open(t)
    const outcomes = await atOnce(8, (n) => {
      const named = { id: `key-${n}` as OperatorKeyId, name: `Key ${n}`, access: 'full' } as const
      return operatorKeys.add({ ...named, ...aKey(`key ${n}`) }, 3, nowMs)
    })
    assert.equal(tally(outcomes).added, 3)
    assert.equal((await operatorKeys.list()).length, 3)
  })
})
