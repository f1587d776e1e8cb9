import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuthorizationAttempt } from '../../src/domain/authorization/attempts.ts'
import { asAttemptId } from '../../src/domain/ids-and-secrets.ts'
import { onEachDatabase } from '../support/adapters/identity-engines.ts'
import { acme, digest, withAdaAndAcme } from './scene.ts'

const share = (holder: string, atMost = 3) => ({ holder: digest(holder), atMost })

onEachDatabase('AttemptStore', withAdaAndAcme, (open) => {
  test('the requesters with the most attempts lose the oldest of them when there are too many in total', async (t) => {
    const { attempts, trim } = await open(t)
    const ids: string[] = []
    for (const [holder, count] of Object.entries({ few: 2, some: 4, many: 9 })) {
      for (let at = 0; at < count; at += 1) {
        ids.push(`${holder} ${at}`)
        await attempts.begin(attempt(`${holder} ${at}`), share(holder, 99), 1_000 + at)
      }
    }
    const lost = async () => {
      const found = await Promise.all(ids.map((id) => attempts.find(id)))
      return ids.filter((_, at) => found[at] === undefined)
    }
    assert.equal(await trim('authorization_attempts', 15, 99), 0)
    assert.equal(await trim('authorization_attempts', 12, 99), 3)
    assert.deepEqual(await lost(), ['many 0', 'many 1', 'many 2'])
    assert.equal(await trim('authorization_attempts', 8, 99), 4)
    assert.deepEqual(await lost(), ['some 0', ...[0, 1, 2, 3, 4, 5].map((at) => `many ${at}`)])
    assert.equal(await trim('authorization_attempts', 2, 1), 1, 'at most the limit')
    assert.equal(await trim('authorization_attempts', 2, 99), 5)
  })

  test('the latest of several authorization attempts started in the same millisecond is kept', async (t) => {
    const { attempts } = await open(t)
    for (let at = 0; at < 9; at += 1) {
      await attempts.begin(attempt(`${at}`), share('a client', 1), 1_000)
      assert.notEqual(await attempts.find(`${at}`), undefined)
    }
  })

  test('a requester that starts thirty authorization attempts simultaneously keeps only as many as its limit allows', async (t) => {
    const { attempts } = await open(t)
    const ids = Array.from({ length: 30 }, (_, at) => `${at}`)
    await Promise.all(ids.map((id) => attempts.begin(attempt(id), share('a client'), 1_000)))
    const found = await Promise.all(ids.map((id) => attempts.find(id)))
    assert.equal(found.filter((stored) => stored !== undefined).length, 3)
  })
})

function attempt(id: string): AuthorizationAttempt {
  return {
    id: asAttemptId(id),
    applicationId: acme,
    redirectUri: 'https://client.example/callback',
    scopes: ['user.identify', 'bots.read'],
    encodedState: undefined,
    codeChallenge: undefined,
    skipConsent: false,
    expiresAtMs: 5_000,
  }
}
