import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { RuntimeLogEntry } from '../../src/domain/bots/runtimes/runtime-logs.ts'
import { onEachDatabase } from '../support/adapters/identity-engines.ts'
import { aBot, botId, nowMs, withPeople } from './bot-stores.ts'

onEachDatabase('RuntimeLogStore', withPeople, (open) => {
  async function openLogs(t: TestContext) {
    const { bots, runtimeLogs } = await open(t)
    for (const [index, id] of ['one', 'two'].entries()) await bots.putBot(botId(id), aBot(index), nowMs)
    const messages = async (id: string, most: number) =>
      (await runtimeLogs.listLogs(botId(id), most)).map(({ message }) => message)
    return { runtimeLogs, messages }
  }

  test('each bot keeps its newest log entries', async (t) => {
    const { runtimeLogs, messages } = await openLogs(t)
    await runtimeLogs.appendLogs([entry('one', 30, 'd'), entry('two', 1, 'x'), entry('one', 10, 'a')], 3)
    await runtimeLogs.appendLogs([entry('one', 20, 'b'), entry('one', 20, 'c')], 3)
    assert.deepEqual(await messages('one', 10), ['d', 'c', 'b'])
    assert.deepEqual(await messages('two', 10), ['x'])
  })

  test('log entries for unknown bots are dropped', async (t) => {
    const { runtimeLogs, messages } = await openLogs(t)
    await runtimeLogs.appendLogs([entry('nobody', 1, 'lost'), entry('one', 1, 'kept')], 10)
    assert.deepEqual(await messages('nobody', 10), [])
    assert.deepEqual(await messages('one', 10), ['kept'])
  })
})

function entry(id: string, atMs: number, message: string): RuntimeLogEntry {
  return { botId: botId(id), atMs, level: 'info', message }
}
