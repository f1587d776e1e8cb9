import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../support/adapters/identity-engines.ts'
import { ada, bob, withPeople } from './scene.ts'

const result = (id: string, userId = ada, expiresAtMs = 2_000) => ({
  id,
  userId,
  sealed: new TextEncoder().encode(`sealed ${id}`),
  expiresAtMs,
})

onEachDatabase('TryOutResultStore', withPeople, (open) => {
  test('each user keeps their latest results, also of the same millisecond; those of other users are not affected', async (t) => {
    const { tryOutResults: results } = await open(t)
    await results.keep(result('of bob', bob, 1), 2)
    for (const [id, expiresAtMs] of Object.entries({ c: 10, a: 11, d: 11, b: 11 })) {
      await results.keep(result(id, ada, expiresAtMs), 2)
      assert.ok(await results.find(id, ada, 0), id)
    }
    assert.equal(await results.find('c', ada, 0), undefined)
    assert.ok(await results.find('of bob', bob, 0))
  })

  test('expired results are deleted', async (t) => {
    const { tryOutResults: results, pruneExpired } = await open(t)
    await results.keep(result('a', ada, 2), 8)
    await results.keep(result('b', ada, 3), 8)
    assert.equal(await pruneExpired('try_out_results', 2, 10), 1)
    assert.ok(await results.find('b', ada, 0))
  })
})
