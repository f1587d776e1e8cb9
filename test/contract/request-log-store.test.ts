import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DayOfRequests, FailedRequest } from '../../src/domain/applications/request-log.ts'
import { parseApplicationId } from '../../src/domain/ids-and-secrets.ts'
import { onEachDatabase } from '../support/adapters/identity-engines.ts'
import { pluck } from '../support/together.ts'
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
  test('a day’s request counts add up separately for each application', async (t) => {
    const { requests: store } = await open(t)
    const day = { day: 10, grants: 1, refreshes: 2, errors: 0 }
    const add = (applicationId: typeof acme, ...days: DayOfRequests[]) =>
      store.add([{ applicationId, days, failures: [] }], 3)
    await add(acme, day)
    await add(acme, { ...day, errors: 1 }, { ...day, day: 9 })
    await add(other, day)
    const added = { day: 10, grants: 2, refreshes: 4, errors: 1 }
    const listed = async (since: number) => (await store.listDays(acme, since)).map((each) => ({ ...each }))
    assert.deepEqual(await listed(0), [{ ...day, day: 9 }, added])
    assert.deepEqual(await listed(10), [added])
  })

  test('each application’s newest failed requests are kept, and listed newest first', async (t) => {
    const { requests: store } = await open(t)
    const add = (applicationId: typeof acme, ...times: number[]) =>
      store.add([{ applicationId, days: [], failures: times.map(failure) }], 3)
    await add(acme, 1, 2, 3)
    await add(other, 4)
    await add(acme, 5, 6)
    const listed = await store.listFailures(acme)
    assert.deepEqual(
      listed.map((each) => ({ ...each })),
      [6, 5, 3].map(failure),
    )
    assert.equal((await store.listFailures(other)).length, 1)
  })

  test('old request counts and failed requests are pruned in batches', async (t) => {
    const { requests: store } = await open(t)
    const days = [8, 9, 10].map((day) => ({ day, grants: 1, refreshes: 0, errors: 0 }))
    await store.add([{ applicationId: acme, days, failures: [1, 2, 3].map(failure) }], 3)
    assert.equal(await store.prune({ day: 10, atMs: 3 }, 1), 2)
    assert.equal(await store.prune({ day: 10, atMs: 3 }, 10), 2)
    assert.equal(await store.prune({ day: 10, atMs: 3 }, 10), 0)
    assert.deepEqual(pluck(await store.listDays(acme, 0), 'day'), [10])
    assert.deepEqual(pluck(await store.listFailures(acme), 'atMs'), [3])
  })
})
