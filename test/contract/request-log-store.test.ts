import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DayOfRequests, FailedRequest } from '../../src/domain/applications/request-log.ts'
import { parseApplicationId } from '../../src/domain/ids-and-secrets.ts'
import { onEachDatabase } from '../support/adapters/identity-engines.ts'
import { acme, withAdaAndAcme } from './scene.ts'

const other = parseApplicationId('other')!

/** Returns a reason for even times. For odd times returns null, which is what earlier releases stored. */
function reasonOf(atMs: number) {
  return atMs % 2 === 0 ? { reason: 'parameter-missing', parameter: 'code' } : { reason: null, parameter: null }
}

function failure(atMs: number): FailedRequest {
  return {
    atMs,
    place: 'token',
    error: 'invalid_grant',
    description: `failure ${atMs}`,
    ...reasonOf(atMs),
    redirectUri: null,
  }
}

onEachDatabase('RequestLogStore', withAdaAndAcme, (open) => {
  test('each application’s counts add up by day, and its newest failed requests are kept and listed newest first; old ones are pruned in batches', async (t) => {
    const { requests: store } = await open(t)
    const add = (applicationId: typeof acme, days: readonly DayOfRequests[], ...times: number[]) =>
      store.add([{ applicationId, days, failures: times.map(failure) }], 3)
    const day = { day: 10, grants: 1, refreshes: 2, errors: 0 }
    await add(acme, [day], 1, 2, 3)
    await add(other, [day], 4)
    const early = [8, 9].map((at) => ({ ...day, day: at }))
    await add(acme, [...early, { ...day, errors: 1 }], 5, 6)
    const added = { day: 10, grants: 2, refreshes: 4, errors: 1 }
    assert.deepEqual(await store.listDays(acme, 0), [...early, added])
    assert.deepEqual(await store.listDays(acme, 10), [added])
    assert.deepEqual(await store.listDays(other, 0), [day])
    assert.deepEqual(await store.listFailures(acme), [6, 5, 3].map(failure))
    assert.deepEqual(await store.listFailures(other), [failure(4)])

    const prune = (limit: number) => store.prune({ day: 10, atMs: 6 }, limit)
    assert.deepEqual([await prune(1), await prune(10), await prune(10)], [2, 3, 0])
    assert.deepEqual([await store.listDays(acme, 0), await store.listDays(other, 0)], [[added], [day]])
    assert.deepEqual([await store.listFailures(acme), await store.listFailures(other)], [[failure(6)], []])
  })
})
