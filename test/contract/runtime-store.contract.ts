import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { RuntimeRecord } from '../../src/domain/bots/runtime.ts'
import { Secrets } from '../../src/domain/secret.ts'
import { aBot, type BotStores, botId, nowMs, runtimeId, userId } from './bot-stores.ts'

const secrets = new Secrets('test-secret-key-test-secret-key-0001')

export function runtimeStoreContract(name: string, open: (t: TestContext) => Promise<BotStores>): void {
  describe(`${name}: RuntimeStore`, () => {
    test('a runtime is found by its key and its id, until it is removed', async (t) => {
      const { runtimes, bots } = await open(t)
      await bots.putBot(botId('one'), aBot(1), nowMs)
      const runtime = aRuntime('r1', { botIds: [botId('one')] })
      assert.equal(await runtimes.addRuntime(runtime, secrets.digest('key-1')), 'added')
      const { keyLastFour: _, createdAtMs: __, ...bare } = runtime
      assert.partialDeepStrictEqual(await runtimes.findByKey(secrets.digest('key-1')), bare)
      assert.deepEqual(await runtimes.findRuntime(runtime.id), runtime)
      assert.equal(await runtimes.findByKey(secrets.digest('key-2')), undefined)
      assert.equal(await runtimes.removeRuntime(runtime.id), true)
      assert.equal(await runtimes.removeRuntime(runtime.id), false)
      assert.equal(await runtimes.findByKey(secrets.digest('key-1')), undefined)
      assert.equal(await runtimes.findRuntime(runtime.id), undefined)
    })

    test('bots that are unknown are named, for an owner’s also those of others, and nothing is stored', async (t) => {
      const { runtimes, bots } = await open(t)
      await bots.putBot(botId('one'), aBot(1), nowMs)
      await bots.putBot(botId('two'), aBot(2, { ownerId: userId('bob') }), nowMs)
      const botIds = [botId('one'), botId('two'), botId('three')]
      const ofOperator = await runtimes.addRuntime(aRuntime('r1', { botIds }), secrets.digest('key'))
      assert.deepEqual(ofOperator, { unknown: ['three'] })
      const ofAda = await runtimes.addRuntime(aRuntime('r1', { botIds, ownerId: userId('ada') }), secrets.digest('key'))
      assert.deepEqual(ofAda, { unknown: ['two', 'three'] })
      assert.equal(await runtimes.findRuntime(runtimeId('r1')), undefined)
    })

    test('runtimes are listed newest first, as many as asked for', async (t) => {
      const { runtimes } = await open(t)
      for (const [index, id] of ['r1', 'r2', 'r3'].entries()) {
        await runtimes.addRuntime(aRuntime(id, { createdAtMs: nowMs + index }), secrets.digest(id))
      }
      assert.deepEqual(
        (await runtimes.listRuntimes(2)).map(({ id }) => id),
        ['r3', 'r2'],
      )
    })
  })
}

function aRuntime(id: string, runtime: Partial<RuntimeRecord> = {}): RuntimeRecord {
  return {
    id: runtimeId(id),
    name: `Runtime ${id}`,
    ownerId: null,
    botIds: null,
    keyLastFour: 'abcd',
    createdAtMs: nowMs,
    ...runtime,
  }
}
