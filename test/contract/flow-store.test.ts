import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Flow, StoredFlowChange, StoredWebhookChange } from '../../src/domain/bots/flows/flow.ts'
import type { StoredKey } from '../../src/domain/bots/overlapping-key.ts'
import { Secrets } from '../../src/domain/secret.ts'
import { onEachDatabase } from '../support/adapters/identity-engines.ts'
import { aBot, botId, flowId, nowMs, userId, withPeople } from './bot-stores.ts'

const secrets = new Secrets('test-secret-key-test-secret-key-0001')
const spareKey = { digest: secrets.digest('spare'), lastFour: 'pare' }
const ownKey = { digest: secrets.digest('own-key'), lastFour: '-key' }

onEachDatabase('FlowStore', withPeople, (open) => {
  const one = botId('one')
  const hook = flowId('hook')

  async function openFlows(t: TestContext) {
    const stores = await open(t)
    await stores.bots.putBot(one, aBot(1), nowMs)
    return stores.flows
  }

  test('listNamesOfUser lists the flows of the bots in which the user has any role, and of no others', async (t) => {
    const stores = await open(t)
    const owners = { one: 'ada', two: 'bob', three: 'bob', gone: 'ada' }
    for (const [at, [name, owner]] of Object.entries(owners).entries()) {
      const id = botId(name)
      await stores.bots.putBot(id, aBot(at + 1, { ownerId: userId(owner) }), nowMs)
      await stores.flows.putFlow(id, hook, aFlow({ name: `Hook of ${id}` }), nowMs)
    }
    await stores.bots.putCollaborator(botId('two'), { userId: userId('ada'), role: 'viewer', capabilities: [] })
    await stores.bots.removeBot(botId('gone'), nowMs)
    const names = (await stores.flows.listNamesOfUser(userId('ada'), 9)).map((flow) => Object.values(flow))
    assert.deepEqual(names, [
      ['one', 'hook', 'Hook of one'],
      ['two', 'hook', 'Hook of two'],
    ])
    assert.equal((await stores.flows.listNamesOfUser(userId('ada'), 1)).length, 1)
  })

  test('putFlow without a name changes a flow, and does not create one that was removed', async (t) => {
    const flows = await openFlows(t)
    const change = { webhook: { ordered: true, spareKey } }
    assert.deepEqual(await flows.putFlow(one, hook, change, nowMs), { kind: 'flow-unknown' })
    assert.equal(await flows.findFlow(one, hook), undefined)
    await flows.putFlow(one, hook, aFlow({ kind: 'command', name: 'Say' }), nowMs)
    assert.deepEqual(await flows.putFlow(one, hook, change, nowMs), { kind: 'webhook-missing' })
    await flows.putFlow(one, hook, aFlow({ webhook: aWebhook() }), nowMs)
    const changed = await flows.putFlow(one, hook, change, nowMs)
    assert.ok('flow' in changed)
    const { kind, name, webhook } = changed.flow
    assert.deepEqual(
      [kind, name, webhook?.path, webhook?.requiresKey, webhook?.ordered],
      ['event', 'Hook', 'in', false, true],
    )
  })

  test('a new flow of an unnamed kind is an event flow; a new webhook of unnamed requirement requires a key, for good', async (t) => {
    const flows = await openFlows(t)
    const put = async (change: StoredFlowChange) => {
      const outcome = await flows.putFlow(one, hook, change, nowMs)
      assert.ok('flow' in outcome)
      return [outcome.flow.kind, outcome.flow.webhook?.requiresKey]
    }
    assert.deepEqual(await put({ name: 'Hook' }), ['event', undefined])
    assert.deepEqual(await put({ kind: 'command' }), ['command', undefined])
    assert.deepEqual(await put({ name: 'Hook' }), ['command', undefined])
    assert.deepEqual(await put({ kind: 'event', webhook: { path: 'in', spareKey } }), ['event', true])
    assert.deepEqual(await put({ webhook: { requiresKey: false, spareKey } }), ['event', true])
    const byOwner = { requiresKey: false, ownerRequiresKey: false, spareKey }
    assert.deepEqual(await put({ webhook: byOwner }), ['event', false])
    assert.deepEqual(await put({ webhook: { path: 'there', spareKey } }), ['event', false])
  })

  test('putFlow stores the spare key only if the webhook requires a key and no key is given or stored', async (t) => {
    const flows = await openFlows(t)
    const put = async (webhook: StoredWebhookChange | null) => {
      const outcome = await flows.putFlow(one, hook, aFlow({ webhook }), nowMs)
      assert.ok('flow' in outcome)
      return [outcome.spareKeyUsed, outcome.flow.webhook && (outcome.flow.webhook.keys[0]?.lastFour ?? null)]
    }
    assert.deepEqual(await put(aWebhook({ requiresKey: true })), [true, 'pare'])
    assert.deepEqual(await put(aWebhook({ requiresKey: true })), [false, 'pare'])
    // The key is kept while the flow requires none, in case it requires one again later.
    assert.deepEqual(await put(aWebhook({ requiresKey: false })), [false, 'pare'])
    assert.deepEqual(await put(aWebhook({ requiresKey: true, key: ownKey })), [false, '-key'])
    assert.deepEqual(await put(aWebhook({ requiresKey: true })), [false, '-key'])
    assert.deepEqual(await put(aWebhook({ requiresKey: true, key: null })), [true, 'pare'])
    assert.deepEqual(await put(aWebhook({ requiresKey: false, key: null })), [false, null])
    assert.deepEqual(await put(null), [false, null])
  })

  test('a new flow key becomes current; the previous key expires at the given time, an older one immediately', async (t) => {
    const flows = await openFlows(t)
    await flows.putFlow(one, hook, aFlow({ webhook: aWebhook({ requiresKey: true, key: ownKey }) }), nowMs)
    const replace = async (last: string, endsAtMs: number, atMs: number) => {
      const key = { digest: secrets.digest(last), lastFour: last }
      const outcome = await flows.replaceKey(one, hook, key, { endsAtMs }, atMs)
      assert.ok(typeof outcome === 'object')
      assert.deepEqual(outcome.flow, await flows.findFlow(one, hook))
      return keysOf(outcome.flow)
    }
    assert.deepEqual(await replace('2222', nowMs + 10, nowMs + 1), [
      ['2222', nowMs + 1, null],
      ['-key', nowMs, nowMs + 10],
    ])
    assert.deepEqual(await replace('3333', nowMs + 20, nowMs + 2), [
      ['3333', nowMs + 2, null],
      ['2222', nowMs + 1, nowMs + 20],
    ])
    assert.deepEqual(await replace('4444', nowMs + 3, nowMs + 3), [['4444', nowMs + 3, null]])
  })

  test('no key is created for an unknown flow or for a flow without a webhook', async (t) => {
    const flows = await openFlows(t)
    const replace = () => flows.replaceKey(one, hook, ownKey, { endsAtMs: nowMs }, nowMs)
    assert.equal(await replace(), 'flow-unknown')
    await flows.putFlow(one, hook, aFlow(), nowMs)
    assert.equal(await replace(), 'webhook-missing')
  })

  test('a flow key can be revoked once, but not the current key of a flow that requires a key', async (t) => {
    const flows = await openFlows(t)
    assert.equal(await flows.endKey(one, hook, 1, nowMs), 'flow-unknown')
    await flows.putFlow(one, hook, aFlow({ webhook: aWebhook({ requiresKey: true, key: ownKey }) }), nowMs)
    await flows.replaceKey(one, hook, spareKey, { endsAtMs: nowMs + 10 }, nowMs)
    const [current, before] = (await flows.findFlow(one, hook))?.webhook?.keys ?? []
    assert.ok(current && before)
    const end = async (number: number, atMs: number) => {
      const outcome = await flows.endKey(one, hook, number, atMs)
      return typeof outcome === 'string' ? outcome : keysOf(outcome.flow).map(([lastFour]) => lastFour)
    }
    assert.equal(await end(current.number, nowMs), 'key-needed')
    assert.equal(await end(current.number + 100, nowMs), 'key-unknown')
    assert.equal(await end(before.number, nowMs + 10), 'key-unknown')
    assert.deepEqual(await end(before.number, nowMs + 9), ['pare'])
    assert.equal(await end(before.number, nowMs + 9), 'key-unknown')
    await flows.putFlow(one, hook, aFlow({ webhook: aWebhook({ requiresKey: false }) }), nowMs)
    assert.equal(await end(current.number, nowMs), 'key-needed', 'its owner made it, so it stays required')
    const off = aWebhook({ requiresKey: false, ownerRequiresKey: false })
    await flows.putFlow(one, hook, aFlow({ webhook: off }), nowMs)
    assert.deepEqual(await end(current.number, nowMs), [])
  })

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
    await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        flows.replaceKey(
          one,
          hook,
          { digest: secrets.digest(`key ${index}`), lastFour: `${1_000 + index}` },
          { endsAtMs: nowMs + 10 },
          nowMs,
        ),
      ),
    )
    const flow = await flows.findFlow(one, hook)
    assert.ok(flow)
    const left = keysOf(flow)
    assert.deepEqual(
      left.map(([, createdAtMs, endsAtMs]) => [createdAtMs, endsAtMs]),
      [
        [nowMs, null],
        [nowMs, nowMs + 10],
      ],
    )
    assert.equal(new Set(left.map(([lastFour]) => lastFour)).size, 2)
  })

  test('within a bot, a webhook path belongs to one flow and is compared exactly; other bots have their own paths', async (t) => {
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
    assert.equal((await flows.putFlow(one, hook, aFlow({ webhook: aWebhook() }), nowMs)).kind, 'unchanged')
  })

  test('of fifty simultaneous putFlow calls with the same webhook path, exactly one creates its flow', async (t) => {
    const flows = await openFlows(t)
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        flows.putFlow(one, flowId(`flow-${index}`), aFlow({ webhook: aWebhook() }), nowMs),
      ),
    )
    assert.equal(outcomes.filter(({ kind }) => kind === 'created').length, 1)
    assert.equal(outcomes.filter(({ kind }) => kind === 'webhook-path-taken').length, 49)
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
