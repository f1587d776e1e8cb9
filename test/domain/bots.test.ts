import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { Audit } from '../../src/domain/audit/audit.ts'
import { alwaysOurs } from '../../src/domain/background-work.ts'
import { createBots } from '../../src/domain/bots/bots.ts'
import * as limits from '../../src/domain/limits/limits.ts'
import { Secrets } from '../../src/domain/secret.ts'
import { botId, flowId, noEvents, snowflake, userId } from '../contract/bot-stores.ts'
import { openBotStores } from '../support/adapters/open-bot-stores.ts'
import { ManualClock } from '../support/world.ts'

/** Opens the domain's bots. `ada-1` and `ada-2` belong to Ada, `bob-1` to Bob. Hosting is on except for `ada-2`. */
async function openBots(t: TestContext) {
  const clock = new ManualClock(1_000_000)
  const secrets = new Secrets('test-secret-key-test-secret-key-0001')
  const faults: unknown[] = []
  const stores = await openBotStores(t)
  const { flows } = stores
  const meanwhile = { beforePut: async (): Promise<unknown> => undefined }
  const audit = new Audit({ store: stores.audit, secrets, clock })
  const bots = createBots({
    ...stores,
    flows: {
      ...flows,
      async putFlow(...put) {
        await meanwhile.beforePut()
        return flows.putFlow(...put)
      },
    },
    queue: noEvents,
    ownersManageFlows: false,
    audit,
    secrets,
    clock,
    duty: alwaysOurs,
    onFault: (error) => faults.push(error),
  })
  const put = (id: string, ownerId: string, end: number, hostingEnabled: boolean) =>
    bots.records.put(botId(id), { ownerId: userId(ownerId), name: id, chatPlatformId: snowflake(end), hostingEnabled })
  await put('ada-1', 'ada', 1, true)
  await put('ada-2', 'ada', 2, false)
  await put('bob-1', 'bob', 3, true)
  return { bots, put, faults, meanwhile }
}

const origin = { address: '192.0.2.1', userAgent: undefined }

describe('Flows', () => {
  test('a change of webhook settings doesn’t bring back a flow that is removed meanwhile', async (t) => {
    const { bots, meanwhile } = await openBots(t)
    const [bot, flow] = [botId('ada-1'), flowId('f')]
    await bots.flows.put(bot, flow, { kind: 'event', name: 'F', webhook: { path: 'f', requiresKey: false } })
    meanwhile.beforePut = () => bots.flows.remove(bot, flow)
    const by = { userId: userId('ada'), origin }
    await assert.rejects(bots.flows.changeWebhook(bot, flow, { by, ordered: true }), { reason: 'flow-unknown' })
    assert.equal(await bots.flows.find(bot, flow), undefined)
  })
})

describe('Change listeners', () => {
  test('change listeners are notified when bots change or are removed, when flows change, and when runtime keys change', async (t) => {
    const { bots, put } = await openBots(t)
    const notified: string[] = []
    const stops = [
      bots.changes.onBot((id) => notified.push(id)),
      bots.changes.onRuntime((id, access) => notified.push(`${id} ${access?.keys.length ?? 0}`)),
    ]
    await put('ada-2', 'ada', 2, true)
    await bots.flows.put(botId('ada-1'), flowId('f'), { kind: 'event', name: 'F' })
    await bots.flows.remove(botId('ada-1'), flowId('f'))
    await bots.flows.remove(botId('ada-1'), flowId('f'))
    await bots.records.remove(botId('bob-1'))
    await bots.records.remove(botId('bob-1'))
    const { runtime } = await bots.runtimes.make({ name: 'Rack', botIds: null }, 'operator')
    await bots.runtimes.makeKey(runtime.id, { by: 'operator', keyBefore: 'ends-in-24-hours' })
    await bots.runtimes.remove(runtime.id, 'operator')
    assert.deepEqual(notified, ['ada-2', 'ada-1', 'ada-1', 'bob-1', `${runtime.id} 2`, `${runtime.id} 0`])
    for (const stop of stops) stop()
    await put('ada-2', 'ada', 2, false)
    assert.equal(notified.length, 6)
  })
})

describe('Runtime logs', () => {
  test('a message that is too long is truncated at a character boundary', async (t) => {
    const { bots } = await openBots(t)
    const long = `${'x'.repeat(limits.logMessageMaxCharacters - 1)}🙂 and more`
    await bots.logs.append([{ botId: botId('ada-1'), level: 'info', message: long, atMs: 1 }])
    const [entry] = await bots.logs.latest(botId('ada-1'))
    assert.equal(entry?.message, 'x'.repeat(limits.logMessageMaxCharacters - 1))
  })
})
