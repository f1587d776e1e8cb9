import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { NodeMessage } from '../../src/domain/bots/runtimes/assignment-changes.ts'
import { parseBotId } from '../../src/domain/ids.ts'
import { NodeConnection } from '../../src/storage/postgres/nodes/node-connection.ts'
import { eventually } from '../support/eventually.ts'
import { cutNodes, openIdentityDatabase } from '../support/postgres/identity.ts'

const botId = parseBotId('bot-1')!

test('postgres: one of two nodes is the leader; when it closes, the other takes over', async (t) => {
  const { one, other, kill } = await twoNodes(t)
  assert.deepEqual([one.duty.isOurs, other.duty.isOurs], [true, false])
  await kill(one)
  await eventually(() => other.duty.isOurs || undefined)
  await other.close()
  assert.equal(other.duty.isOurs, false)
})

test('postgres: a node receives the other node’s broadcasts, but not its own', async (t) => {
  const { one, other } = await twoNodes(t)
  const heard: Record<string, (NodeMessage | 'missed')[]> = { one: [], other: [] }
  one.onMessage((news) => heard.one?.push(news))
  other.onMessage((news) => heard.other?.push(news))
  one.broadcast({ kind: 'bot', botId })
  await eventually(() => heard.other?.[0])
  assert.deepEqual(heard, { one: [], other: [{ kind: 'bot', botId }] })
})

test('postgres: a node that lost its connection is notified that it may have missed broadcasts', async (t) => {
  const { one, other, cut } = await twoNodes(t)
  const heard: (NodeMessage | 'missed')[] = []
  other.onMessage((news) => heard.push(news))
  await cut()
  assert.equal(await eventually(() => heard[0]), 'missed')
  one.broadcast({ kind: 'bot', botId })
  assert.deepEqual(await eventually(() => heard[1]), { kind: 'bot', botId })
})

async function twoNodes(t: TestContext) {
  const database = await openIdentityDatabase(t)
  const open = async () => {
    const node = await NodeConnection.open({ database, primary: database.primary, onFault: () => {} })
    t.after(() => node.close())
    return node
  }
  const [one, other] = [await open(), await open()]
  const cut = () => cutNodes(database)
  return { one, other, cut, kill: (node: NodeConnection) => node.close() }
}
