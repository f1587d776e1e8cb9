import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { RuntimeConnection } from '../../src/domain/bots/runtimes/runtime-connections.ts'
import type { IdentityStores } from '../../src/storage/sql/identity-stores.ts'
import { onEachDatabase } from '../support/adapters/identity-engines.ts'
import { aKey, aRuntime, nowMs, runtimeId, withPeople } from './scene.ts'

const keep = 3

onEachDatabase('RuntimeConnectionStore', withPeople, (open) => {
  const openWithRuntimes = async (t: TestContext) => {
    const stores = await open(t)
    for (const id of ['r1', 'r2']) {
      await stores.runtimes.addRuntime({ ...aRuntime(id), ownerId: null }, aKey(`key of ${id}`), 9, nowMs)
    }
    return stores
  }
  const listed = async ({ runtimeConnections }: IdentityStores, most = 9) =>
    runtimeConnections.listConnections([runtimeId('r1'), runtimeId('r2'), runtimeId('none')], most)

  test('the latest connection of each runtime instance is kept; an earlier one never overwrites it, one of an unknown runtime is ignored, and a removed runtime has none', async (t) => {
    const stores = await openWithRuntimes(t)
    const put = (...connections: RuntimeConnection[]) => stores.runtimeConnections.putConnections(connections, keep)
    const [first, other] = [aConnection('r1', 'a', 1), aConnection('r2', 'a', 1)]
    await put(first, other)
    const ended = { ...first, endedAtMs: nowMs + 5 }
    await put(ended)
    assert.deepEqual(await listed(stores), [ended, other])
    const second = { ...aConnection('r1', 'a', 2), agent: 'other/2' }
    await put(second)
    await put({ ...ended, endedAtMs: nowMs + 9 }, aConnection('none', 'a', 1))
    assert.deepEqual(await listed(stores), [second, other])
    await stores.runtimes.removeRuntime(runtimeId('r1'), null)
    assert.deepEqual(await listed(stores), [other])
  })

  test('open connections are listed before ended ones, and newer before older; beyond the limit, the last in this order are deleted', async (t) => {
    const stores = await openWithRuntimes(t)
    const connections = [1, 2, 3, 4].map((at) => aConnection('r1', `i${at}`, at))
    const [one, two, three, four] = connections.map((connection, index) =>
      index < 2 ? connection : { ...connection, endedAtMs: nowMs + 9 },
    ) as [RuntimeConnection, RuntimeConnection, RuntimeConnection, RuntimeConnection]
    await stores.runtimeConnections.putConnections([one, two, three, four], keep)
    assert.deepEqual(await listed(stores), [two, one, four])
    assert.deepEqual(await listed(stores, 1), [two])
    assert.deepEqual(await stores.runtimeConnections.listConnections([], 9), [])
  })
})

function aConnection(runtime: string, instance: string, afterMs: number): RuntimeConnection {
  const connectedAtMs = nowMs + afterMs
  return {
    runtimeId: runtimeId(runtime),
    instance,
    agent: 'test/1',
    connectedAtMs,
    heardAtMs: connectedAtMs,
    endedAtMs: null,
  }
}
