import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { RuntimeLogEntry } from '../../src/domain/bots/runtime-log.ts'
import { aBot, type BotStores, botId, nowMs } from './bot-stores.ts'

export function runtimeLogStoreContract(name: string, open: (t: TestContext) => Promise<BotStores>): void {
  describe(`${name}: RuntimeLogStore`, () => {
    async function openLogs(t: TestContext) {
      const { bots, runtimeLogs } = await open(t)
      for (const [index, id] of ['one', 'two'].entries()) await bots.putBot(botId(id), aBot(index), nowMs)
      const messages = async (id: string, most: number) =>
        (await runtimeLogs.listLogs(botId(id), most)).map(({ message }) => message)
      return { runtimeLogs, messages }
    }

    test('entries are listed newest first; of the same time, the last appended first', async (t) => {
      const { runtimeLogs, messages } = await openLogs(t)
      await runtimeLogs.appendLogs([entry('one', 20, 'b'), entry('one', 10, 'a'), entry('one', 20, 'c')], 10)
      assert.deepEqual(await messages('one', 10), ['c', 'b', 'a'])
      assert.deepEqual(await messages('one', 2), ['c', 'b'])
      assert.deepEqual(await runtimeLogs.listLogs(botId('one'), 1), [entry('one', 20, 'c')])
    })

    test('each bot keeps its newest entries', async (t) => {
      const { runtimeLogs, messages } = await openLogs(t)
      await runtimeLogs.appendLogs([entry('one', 30, 'd'), entry('two', 1, 'x'), entry('one', 10, 'a')], 3)
      await runtimeLogs.appendLogs([entry('one', 20, 'b'), entry('one', 20, 'c')], 3)
      assert.deepEqual(await messages('one', 10), ['d', 'c', 'b'])
      assert.deepEqual(await messages('two', 10), ['x'])
    })

    test('entries of bots that do not exist are left out', async (t) => {
      const { runtimeLogs, messages } = await openLogs(t)
      await runtimeLogs.appendLogs([entry('nobody', 1, 'lost'), entry('one', 1, 'kept')], 10)
      assert.deepEqual(await messages('nobody', 10), [])
      assert.deepEqual(await messages('one', 10), ['kept'])
    })
  })
}

function entry(id: string, atMs: number, message: string): RuntimeLogEntry {
  return { botId: botId(id), atMs, level: 'info', message }
}
