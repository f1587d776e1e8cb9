import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BotStore } from '../../src/domain/bots/bot.ts'
import type { FlowStore, StoredWebhookChange } from '../../src/domain/bots/flows/flow.ts'
import type { BotId, FlowId, UserId } from '../../src/domain/ids.ts'
import type { SecretDigest } from '../../src/domain/secret.ts'
import type { Listener, ListenerStore } from '../../src/domain/webhooks/listener.ts'
import { onEachDatabase } from '../support/adapters/identity-engines.ts'
import { withAdaAndAcme } from '../support/adapters/open-identity.ts'

/** Stores on a single database. Listeners are derived from the stored bots and flows. */
interface ListenerStores {
  listeners: ListenerStore
  bots: BotStore
  flows: FlowStore
}

const botId = 'greeter' as BotId
const flowId = 'orders' as FlowId
const digest = new Uint8Array(32).fill(7) as unknown as SecretDigest
const spareKey = { digest: new Uint8Array(32).fill(9) as unknown as SecretDigest, lastFour: 'pare' }

onEachDatabase('ListenerStore', withAdaAndAcme, (open) => {
  test('a listener includes all of its flow’s keys, the current one first, and each key’s last use is stored', async (t) => {
    const webhook = { path: 'p', requiresKey: true, key: { digest, lastFour: 'last' }, spareKey }
    const { listeners, flows } = await withBot(await open(t), webhook)
    await flows.replaceKey(botId, flowId, spareKey, { endsAtMs: 50 }, 10)
    const keys = (await findListener(listeners))?.keys ?? []
    assert.deepEqual(
      keys.map(({ digest: [byte], endsAtMs }) => [byte, endsAtMs]),
      [
        [9, null],
        [7, 50],
      ],
    )
    const numbers = keys.map(({ number }) => number)
    await listeners.recordKeyUse(new Map([...numbers, 99].map((number) => [number, 20 + number])))
    const kept = (await flows.findFlow(botId, flowId))?.webhook?.keys
    assert.deepEqual(
      kept?.map(({ number, lastUsedAtMs }) => [number, lastUsedAtMs]),
      numbers.map((number) => [number, 20 + number]),
    )
  })

  test('a listener includes the strict-order setting', async (t) => {
    const { listeners } = await withBot(await open(t), { path: 'p', requiresKey: false, ordered: true, spareKey })
    assert.equal((await findListener(listeners))?.ordered, true)
  })

  test('a path without a flow and a bot that doesn’t exist are told apart', async (t) => {
    const { listeners, bots } = await withBot(await open(t), { path: 'p', requiresKey: false, spareKey })
    assert.equal(await listeners.findListener(botId, 'q'), 'path-unknown')
    assert.equal(await listeners.findListener('guard' as BotId, 'p'), 'bot-unknown')
    await bots.removeBot(botId, 0)
    assert.equal(await listeners.findListener(botId, 'p'), 'bot-unknown')
  })
})

async function findListener(listeners: ListenerStore): Promise<Listener | undefined> {
  const found = await listeners.findListener(botId, 'p')
  return typeof found === 'string' ? undefined : found
}

async function withBot(stores: ListenerStores, webhook: StoredWebhookChange): Promise<ListenerStores> {
  const bot = { ownerId: 'ada' as UserId, name: 'Greeter', chatPlatformId: '123456789012345678', hostingEnabled: false }
  await stores.bots.putBot(botId, bot as Parameters<BotStore['putBot']>[1], 0)
  await stores.flows.putFlow(botId, flowId, { kind: 'event', name: 'Orders', webhook }, 0)
  return stores
}
