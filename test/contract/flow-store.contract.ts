import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { StoredFlowChange, StoredWebhookChange } from '../../src/domain/bots/flow-store.ts'
import { Secrets } from '../../src/domain/secret.ts'
import { aBot, type BotStores, botId, flowId, nowMs } from './bot-stores.ts'

const secrets = new Secrets('test-secret-key-test-secret-key-0001')
const spareKey = { digest: secrets.digest('spare'), lastFour: 'pare' }
const ownKey = { digest: secrets.digest('own-key'), lastFour: '-key' }

export function flowStoreContract(name: string, open: (t: TestContext) => Promise<BotStores>): void {
  describe(`${name}: FlowStore`, () => {
    const one = botId('one')
    const hook = flowId('hook')

    async function openFlows(t: TestContext) {
      const stores = await open(t)
      await stores.bots.putBot(one, aBot(1), nowMs)
      return stores.flows
    }

    test('putting creates, then changes; an absent member keeps, null clears', async (t) => {
      const flows = await openFlows(t)
      const plain = { botId: 'one', id: 'hook', kind: 'event', name: 'Hook', publicCode: null, webhook: null }
      const created = await flows.putFlow(one, hook, { kind: 'event', name: 'Hook' }, nowMs)
      assert.deepEqual(created, { kind: 'created', flow: plain, spareKeyUsed: false })
      const whole = {
        ...plain,
        publicCode: 'abc',
        webhook: { path: 'in', requiresKey: false, keyLastFour: null, ordered: false },
      }
      const change = aFlow({ publicCode: 'abc', webhook: aWebhook() })
      assert.deepEqual(await flows.putFlow(one, hook, change, nowMs), {
        kind: 'changed',
        flow: whole,
        spareKeyUsed: false,
      })
      const kept = await flows.putFlow(one, hook, aFlow({ name: 'Renamed' }), nowMs)
      assert.deepEqual('flow' in kept && kept.flow, { ...whole, name: 'Renamed' })
      const cleared = await flows.putFlow(one, hook, aFlow({ publicCode: null, webhook: null }), nowMs)
      assert.deepEqual('flow' in cleared && cleared.flow, plain)
      assert.deepEqual(await flows.findFlow(one, hook), plain)
    })

    test('the spare key is used when a key is required and none is given or stored, and once only', async (t) => {
      const flows = await openFlows(t)
      const put = async (webhook: StoredWebhookChange | null) => {
        const outcome = await flows.putFlow(one, hook, aFlow({ webhook }), nowMs)
        assert.ok('flow' in outcome)
        return [outcome.spareKeyUsed, outcome.flow.webhook?.keyLastFour]
      }
      assert.deepEqual(await put(aWebhook({ requiresKey: true })), [true, 'pare'])
      assert.deepEqual(await put(aWebhook({ requiresKey: true })), [false, 'pare'])
      // Kept while no key is required, for when one is again.
      assert.deepEqual(await put(aWebhook({ requiresKey: false })), [false, 'pare'])
      assert.deepEqual(await put(aWebhook({ requiresKey: true, key: ownKey })), [false, '-key'])
      assert.deepEqual(await put(aWebhook({ requiresKey: true })), [false, '-key'])
      assert.deepEqual(await put(aWebhook({ requiresKey: true, key: null })), [true, 'pare'])
      assert.deepEqual(await put(aWebhook({ requiresKey: false, key: null })), [false, null])
      assert.deepEqual(await put(null), [false, undefined])
    })

    test('strict order is off at first, kept by a change that does not name it, and off again after the webhook was cleared', async (t) => {
      const flows = await openFlows(t)
      const put = async (webhook: StoredWebhookChange | null) => {
        await flows.putFlow(one, hook, aFlow({ webhook }), nowMs)
        return (await flows.findFlow(one, hook))?.webhook?.ordered
      }
      assert.equal(await put(aWebhook()), false)
      assert.equal(await put(aWebhook({ ordered: true })), true)
      assert.equal(await put(aWebhook({ path: 'other' })), true)
      assert.equal(await put(null), undefined)
      assert.equal(await put(aWebhook()), false)
    })

    test('only an event flow listens for webhooks, whether the webhook is given or stored', async (t) => {
      const flows = await openFlows(t)
      const refused = { kind: 'webhook-needs-event-flow' }
      assert.deepEqual(await flows.putFlow(one, hook, aFlow({ kind: 'timer', webhook: aWebhook() }), nowMs), refused)
      await flows.putFlow(one, hook, aFlow({ webhook: aWebhook() }), nowMs)
      assert.deepEqual(await flows.putFlow(one, hook, aFlow({ kind: 'timer' }), nowMs), refused)
      assert.equal((await flows.findFlow(one, hook))?.kind, 'event')
      assert.equal((await flows.putFlow(one, hook, aFlow({ kind: 'timer', webhook: null }), nowMs)).kind, 'changed')
    })

    test('a path is one flow’s of the bot, compared exactly; other bots have their own', async (t) => {
      const stores = await open(t)
      const { flows, bots } = stores
      await bots.putBot(one, aBot(1), nowMs)
      await bots.putBot(botId('two'), aBot(2), nowMs)
      await flows.putFlow(one, hook, aFlow({ webhook: aWebhook() }), nowMs)
      const put = (bot: string, path: string) =>
        flows.putFlow(botId(bot), flowId('other'), aFlow({ webhook: aWebhook({ path }) }), nowMs)
      assert.deepEqual(await put('one', 'in'), { kind: 'webhook-path-taken' })
      assert.equal((await put('one', 'In')).kind, 'created')
      assert.equal((await put('two', 'in')).kind, 'created')
      assert.equal((await flows.putFlow(one, hook, aFlow({ webhook: aWebhook() }), nowMs)).kind, 'changed')
    })

    test('of fifty flows put at once with one path exactly one listens on it', async (t) => {
      const flows = await openFlows(t)
      const outcomes = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          flows.putFlow(one, flowId(`flow-${index}`), aFlow({ webhook: aWebhook() }), nowMs),
        ),
      )
      assert.equal(outcomes.filter(({ kind }) => kind === 'created').length, 1)
      assert.equal(outcomes.filter(({ kind }) => kind === 'webhook-path-taken').length, 49)
    })

    test('flows are listed in order of their ids, and a removed one is gone', async (t) => {
      const flows = await openFlows(t)
      for (const id of ['b', 'a', 'c']) await flows.putFlow(one, flowId(id), aFlow(), nowMs)
      assert.equal(await flows.removeFlow(one, flowId('c')), true)
      assert.equal(await flows.removeFlow(one, flowId('c')), false)
      assert.deepEqual(
        (await flows.listFlows(one)).map(({ id }) => id),
        ['a', 'b'],
      )
      assert.equal(await flows.findFlow(one, flowId('c')), undefined)
      assert.equal(await flows.findFlow(botId('two'), flowId('a')), undefined)
    })
  })
}

function aFlow(change: Partial<StoredFlowChange> = {}): StoredFlowChange {
  return { kind: 'event', name: 'Hook', ...change }
}

function aWebhook(change: Partial<StoredWebhookChange> = {}): StoredWebhookChange {
  return { path: 'in', requiresKey: false, spareKey, ...change }
}
