import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Flow, StoredFlowChange, StoredWebhookChange } from '../../src/domain/bots/flows/flow.ts'
import type { StoredKey } from '../../src/domain/bots/overlapping-key.ts'
import { onEachDatabase } from '../support/adapters/identity-engines.ts'
import { atOnce, tally } from '../support/together.ts'
import { aBot, aKey, botId, flowId, nowMs, withPeople } from './scene.ts'

const [spareKey, ownKey] = [aKey('spare'), aKey('own-key')]

onEachDatabase('FlowStore', withPeople, (open) => {
  const one = botId('one')
  const hook = flowId('hook')

  async function openFlows(t: TestContext) {
    const stores = await open(t)
    await stores.bots.putBot(one, aBot(1), nowMs)
    return stores.flows
  }

  test('putting the current flow key again leaves all keys unchanged; putting a different key makes it the only one', async (t) => {
    const flows = await openFlows(t)
    const put = async (key?: StoredKey) => {
      const webhook = aWebhook({ requiresKey: true, ...(key && { key }) })
      const outcome = await flows.putFlow(one, hook, aFlow({ webhook }), nowMs + 5)
      assert.ok('flow' in outcome)
      return keysOf(outcome.flow).map(([lastFour, createdAtMs]) => [lastFour, createdAtMs])
    }
    await flows.putFlow(one, hook, aFlow({ webhook: aWebhook({ requiresKey: true, key: spareKey }) }), nowMs)
    await flows.replaceKey(one, hook, ownKey, { endsAtMs: nowMs + 10 }, nowMs)
    const both = [
      ['-key', nowMs],
      ['pare', nowMs],
    ]
    assert.deepEqual(await put(), both)
    assert.deepEqual(await put(ownKey), both)
    assert.deepEqual(await put(spareKey), [['pare', nowMs + 5]])
  })

  test('after fifty flow keys are created simultaneously, one is current and one previous key works until it expires', async (t) => {
    const flows = await openFlows(t)
    await flows.putFlow(one, hook, aFlow({ webhook: aWebhook({ requiresKey: true }) }), nowMs)
    await atOnce(50, (index) =>
      flows.replaceKey(one, hook, aKey(`key ${1_000 + index}`), { endsAtMs: nowMs + 10 }, nowMs),
    )
    const flow = await flows.findFlow(one, hook)
    assert.ok(flow)
    const left = keysOf(flow)
    const [[current] = [], [previous] = []] = left
    assert.notEqual(current, previous)
    assert.deepEqual(left, [
      [current, nowMs, null],
      [previous, nowMs, nowMs + 10],
    ])
  })

  test('of fifty simultaneous putFlow calls with the same webhook path, exactly one creates its flow', async (t) => {
    const flows = await openFlows(t)
    const outcomes = await atOnce(50, (index) =>
      flows.putFlow(one, flowId(`flow-${index}`), aFlow({ webhook: aWebhook() }), nowMs),
    )
    assert.deepEqual(tally(outcomes), { created: 1, 'webhook-path-taken': 49 })
  })
})

/** Returns the last four characters, the creation time and the end time of each key. */
function keysOf({ webhook }: Flow): [string, number, number | null][] {
  return (webhook?.keys ?? []).map(({ lastFour, createdAtMs, endsAtMs }) => [lastFour, createdAtMs, endsAtMs])
}

function aFlow(change: Partial<StoredFlowChange> = {}): StoredFlowChange {
  return { kind: 'event', name: 'Hook', ...change }
}

function aWebhook(change: Partial<StoredWebhookChange> = {}): StoredWebhookChange {
  return { path: 'in', requiresKey: false, spareKey, ...change }
}
