import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RuntimeConnections } from '../../src/domain/bots/runtimes/runtime-connections.ts'
import { Secrets } from '../../src/domain/secret.ts'
import { nowMs, runtimeId } from '../contract/bot-stores.ts'
import { openBotStores } from '../support/adapters/open-bot-stores.ts'
import { worldStartMs } from '../support/postgres/test-database.ts'
import { ManualClock } from '../support/world.ts'

test('a connection whose end is flushed while the store is read is listed as ended', async (t) => {
  const stores = await openBotStores(t)
  const store = stores.runtimeConnections
  const id = runtimeId('r1')
  const { clearText: _, ...key } = new Secrets('test-secret-key-test-secret-key-0001').make('runtimeKey')
  await stores.runtimes.addRuntime({ id, name: 'Attic', ownerId: null, botIds: null }, key, 9, nowMs)
  const [read, flushed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const slowReads: typeof store = {
    ...store,
    listConnections: async (...of) => {
      const found = await store.listConnections(...of)
      read.resolve()
      await flushed.promise
      return found
    },
  }
  const clock = new ManualClock(worldStartMs)
  const connections = new RuntimeConnections({
    store: slowReads,
    clock,
    flushEveryMs: 1_000,
    onFault: (error) => assert.fail(String(error)),
  })
  const connection = connections.open(id, { instance: 'one', agent: 'test/1' })
  await connections.flush()
  connection.ended()
  const early = connections.list([id])
  await read.promise
  await connections.flush()
  flushed.resolve()
  const ended = (await early).get(id)
  assert.deepEqual(
    ended?.map(({ endedAtMs }) => endedAtMs),
    [worldStartMs],
  )
  assert.deepEqual(ended, (await connections.list([id])).get(id))
})
