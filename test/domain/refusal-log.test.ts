import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BotAccess } from '../../src/domain/bots/bot-access.ts'
import type { BotId, FlowId, UserId } from '../../src/domain/ids-and-secrets.ts'
import * as limits from '../../src/domain/limits/limits.ts'
import { RefusalLog, type RefusedWebhookStore, type RefusedWebhooks } from '../../src/domain/webhooks/refusal-log.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { pluck } from '../support/together.ts'

const greeter = 'greeter' as BotId
const orders = 'orders' as FlowId
const ada = 'ada' as UserId

function openLog() {
  const stored: (RefusedWebhooks & { botId: BotId })[] = []
  let fault: Error | undefined
  let committed: Promise<void> | undefined
  const store: RefusedWebhookStore = {
    async add(refused) {
      if (fault !== undefined) throw fault
      stored.push(...refused)
      await committed
    },
    list: async (botId) => stored.filter((each) => each.botId === botId),
    count: async (botId) => stored.filter((each) => each.botId === botId).reduce((sum, { count }) => sum + count, 0),
  }
  const access = { demand: async () => ({}) } as unknown as BotAccess
  const clock = new ManualClock(Date.UTC(2026, 0, 5, 12))
  const log = new RefusalLog({ store, access, clock })
  const list = () => log.list(ada, greeter, undefined, 1_000)
  const failWith = (error: Error | undefined) => {
    fault = error
  }
  /** Delays the responses to writes that the store has committed. */
  const holdResponses = () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    committed = promise
    return resolve
  }
  return { log, list, stored, clock, failWith, holdResponses }
}

const wrongKey = { botId: greeter, flowId: orders, cause: 'key-wrong', address: '192.0.2.1' } as const

test('similar refused webhooks are counted in one entry, and a secret in a path is masked', async () => {
  const { log, list, clock } = openLog()
  for (let n = 0; n < 3; n += 1) {
    log.record(wrongKey)
    await clock.advance(1_000)
  }
  const path = 'hooks/svc_fk_abcDEF123'
  log.record({ ...wrongKey, flowId: undefined, cause: 'path-unknown', path })
  const [unknown, similar] = await list()
  assert.equal(unknown?.path, 'hooks/svc_••••')
  assert.deepEqual([similar?.count, (similar?.lastAtMs ?? 0) - (similar?.firstAtMs ?? 0)], [3, 2_000])
})

test('a flood of refused webhooks uses bounded memory and doesn’t displace a flow’s refusals', async () => {
  const { log, list, stored } = openLog()
  log.record(wrongKey)
  for (let n = 0; n < limits.refusalLogLimits.entries + 5_000; n += 1) {
    const [address, path] = [`198.51.100.${n}`, `guess-${n}`]
    log.record({ botId: greeter, flowId: undefined, cause: 'path-unknown', address, path })
    log.record({ botId: `bot-${n}` as BotId, flowId: undefined, cause: 'path-unknown', address, path })
  }
  const listed = await list()
  assert.ok(listed.some(({ cause }) => cause === 'key-wrong'))
  log.record({ ...wrongKey, address: 'x'.repeat(1_000) })
  await log.flush()
  assert.equal(stored.length, 2 + limits.refusalLogLimits.entries)
  assert.ok(stored.every(({ address }) => address.length <= limits.refusalLogLimits.addressCharacters))
})

test('when memory for refused webhooks is full, each bot keeps at least an equal share, and its newest refusals', async () => {
  const { log, stored } = openLog()
  const flows = 2 * (limits.refusalLogLimits.entries / limits.refusedWebhooksKept)
  const refuse = (botId: string, flow: number, n: number) =>
    log.record({ ...wrongKey, botId: botId as BotId, flowId: `flow-${flow}` as FlowId, address: `198.51.100.${n}` })
  log.record(wrongKey)
  for (const botId of ['loud', 'louder']) {
    for (let n = 0; n < limits.refusedWebhooksKept; n += 1) {
      for (let flow = 0; flow < flows; flow += 1) refuse(botId, flow, n)
    }
  }
  for (let n = 0; n < limits.refusedWebhooksKept; n += 1) refuse('guard', 0, n)
  await log.flush()
  const kept = Map.groupBy(stored, ({ botId }) => botId)
  const count = (botId: string) => kept.get(botId as BotId)?.length ?? 0
  assert.equal(stored.length, limits.refusalLogLimits.entries)
  assert.deepEqual([count(greeter), count('guard')], [1, limits.refusedWebhooksKept])
  assert.ok(Math.min(count('loud'), count('louder')) >= limits.refusalLogLimits.entries / 4)
  assert.ok(
    kept.get('louder' as BotId)?.some(({ address }) => address === `198.51.100.${limits.refusedWebhooksKept - 1}`),
  )
})

test('refused webhooks that can’t be stored are kept for the next flush, with their counts', async () => {
  const { log, list, stored, failWith } = openLog()
  log.record(wrongKey)
  failWith(new Error('disk full'))
  await assert.rejects(log.flush(), /disk full/)
  log.record(wrongKey)
  assert.equal((await list())[0]?.count, 2)
  failWith(undefined)
  await log.flush('another' as BotId)
  assert.equal(stored.length, 0)
  await log.flush(greeter)
  assert.deepEqual(pluck(stored, 'count'), [2])
  assert.deepEqual(pluck(await list(), 'count'), [2])
})

test('refusals are seen once while they are being stored', async () => {
  const { log, list, holdResponses } = openLog()
  log.record(wrongKey)
  const respond = holdResponses()
  const flushed = log.flush()
  log.record({ ...wrongKey, cause: 'key-missing' })
  const seen = Promise.all([list(), log.count(greeter)])
  await new Promise((resolve) => setImmediate(resolve))
  respond()
  await flushed
  const [listed, count] = await seen
  assert.deepEqual(listed.map(({ cause }) => cause).toSorted(), ['key-missing', 'key-wrong'])
  assert.equal(count, 2)
})

test('refusals that wait to be stored stay visible', async () => {
  const { log, list, holdResponses } = openLog()
  const others = Array.from({ length: limits.refusalLogLimits.groupsPerBatch }, (_, n) => `bot-${n}` as BotId)
  for (const botId of others) log.record({ ...wrongKey, botId })
  log.record(wrongKey)
  const respond = holdResponses()
  const flushed = log.flush()
  const seen = Promise.all([list(), log.count(greeter)])
  respond()
  const [listed, count] = await seen
  assert.deepEqual([listed.length, count], [1, 1])
  await flushed
  assert.deepEqual([(await list()).length, await log.count(greeter)], [1, 1])
})
