import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type LogLevel, logLevels, type RuntimeLogEntry } from '../../src/domain/bots/runtimes/runtime-logs.ts'
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

  test('log entries are listed newest first; among entries with the same time, the last appended comes first', async (t) => {
    const { runtimeLogs, messages } = await openLogs(t)
    await runtimeLogs.appendLogs([entry('one', 20, 'b'), entry('one', 10, 'a'), entry('one', 20, 'c')], 10)
    assert.deepEqual(await messages('one', 10), ['c', 'b', 'a'])
    assert.deepEqual(await messages('one', 2), ['c', 'b'])
    assert.deepEqual(await runtimeLogs.listLogs(botId('one'), 1), [entry('one', 20, 'c')])
  })

  test('each bot keeps its newest log entries', async (t) => {
    const { runtimeLogs, messages } = await openLogs(t)
    await runtimeLogs.appendLogs([entry('one', 30, 'd'), entry('two', 1, 'x'), entry('one', 10, 'a')], 3)
    await runtimeLogs.appendLogs([entry('one', 20, 'b'), entry('one', 20, 'c')], 3)
    assert.deepEqual(await messages('one', 10), ['d', 'c', 'b'])
    assert.deepEqual(await messages('two', 10), ['x'])
  })

  test('a page of log entries has the requested levels and starts after the given entry', async (t) => {
    const { runtimeLogs } = await openLogs(t)
    const levels = ['info', 'warn', 'error', 'info'] as const
    await runtimeLogs.appendLogs(
      levels.map((level, index) => ({ botId: botId('one'), atMs: 10, level, message: String(index) })),
      10,
    )
    await runtimeLogs.appendLogs([entry('one', 5, 'earlier')], 10)
    const page = async (levels: readonly LogLevel[], most: number, after?: { atMs: number; number: number }) =>
      runtimeLogs.pageLogs(botId('one'), { levels, most, after })
    const messages = (entries: readonly RuntimeLogEntry[]) => entries.map(({ message }) => message)
    assert.deepEqual(messages(await page(['warn', 'error'], 10)), ['2', '1'])
    assert.deepEqual(messages(await page([], 10)), [])
    const first = await page(logLevels, 2)
    assert.deepEqual(messages(first), ['3', '2'])
    assert.deepEqual(messages(await page(logLevels, 10, first.at(-1))), ['1', '0', 'earlier'])
    assert.deepEqual(messages(await page(['info'], 10, first.at(-1))), ['0', 'earlier'])
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
