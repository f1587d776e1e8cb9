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

  test('pageLogs returns the entries of a level and a time range, newest first, after the last one of the previous page', async (t) => {
    const { runtimeLogs } = await openLogs(t)
    const times = [10, 20, 20, 30, 40]
    const entries = times.map(
      (atMs, at): RuntimeLogEntry => ({ ...entry('one', atMs, `${at}`), level: at === 3 ? 'warn' : 'info' }),
    )
    await runtimeLogs.appendLogs([...entries, entry('two', 20, 'other')], 10)
    const messages = async (page: Omit<Parameters<typeof runtimeLogs.pageLogs>[1], 'levels' | 'most'>, most = 10) =>
      (await runtimeLogs.pageLogs(botId('one'), { levels: ['info'], ...page, most })).map(({ message }) => message)
    assert.deepEqual(await messages({}), ['4', '2', '1', '0'])
    assert.deepEqual(await messages({ sinceMs: 20 }), ['4', '2', '1'])
    assert.deepEqual(await messages({ sinceMs: 20, untilMs: 30 }), ['2', '1'])
    const [, last] = await runtimeLogs.pageLogs(botId('one'), { levels: ['info'], most: 2 })
    assert.deepEqual(await messages({ untilMs: 30, after: last }, 1), ['1'])
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
