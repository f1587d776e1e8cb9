import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BotId, FlowId } from '../../src/domain/ids-and-secrets.ts'
import type { IdentityStores } from '../../src/storage/sql/identity-stores.ts'
import { onEachDatabase } from '../support/adapters/identity-engines.ts'
import { aBot, withPeople } from './scene.ts'

const greeter = 'greeter' as BotId
const orders = 'orders' as FlowId

function refusal(lastAtMs: number, of: FlowId | null = orders, botId = greeter) {
  const flowId = of ?? undefined
  const path = flowId === undefined ? 'no-such' : undefined
  const cause = flowId === undefined ? ('path-unknown' as const) : ('key-wrong' as const)
  return { botId, flowId, cause, address: '192.0.2.1', path, count: 2, firstAtMs: lastAtMs - 1, lastAtMs }
}

onEachDatabase('RefusedWebhookStore', withGreeter, (open) => {
  test('the newest refused webhooks of each flow, and the newest without a flow, are kept and listed newest first', async (t) => {
    const { refusedWebhooks: store } = await open(t)
    const ofEarlierBot = refusal(-1, 'earlier' as FlowId)
    await store.add([ofEarlierBot, refusal(1), refusal(2), refusal(3, null)], 2)
    await store.add([refusal(4), refusal(5, null), refusal(6, null), refusal(7, orders, 'gone' as BotId)], 2)
    const times = async (flowId?: FlowId) => (await store.list(greeter, flowId, 9)).map(({ lastAtMs }) => lastAtMs)
    assert.deepEqual(await times(), [6, 5, 4, 2])
    assert.deepEqual(await times(orders), [4, 2])
    assert.deepEqual(await store.list('gone' as BotId, undefined, 9), [], 'the bot doesn’t exist')
    const { botId: _, ...newest } = refusal(6, null)
    assert.deepEqual(await store.list(greeter, undefined, 1), [newest])
    assert.equal(await store.count(greeter), 8)
  })
})

async function withGreeter<Stores extends Pick<IdentityStores, 'users' | 'bots'>>(stores: Stores): Promise<Stores> {
  await (await withPeople(stores)).bots.putBot(greeter, aBot(1), 0)
  return stores
}
