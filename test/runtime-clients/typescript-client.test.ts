import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { connect, type Runtime, type RuntimeOptions, type WebhookEvent } from '../../clients/typescript/src/runtime.ts'
import { openHostedBot, post } from '../support/bot-runtime.ts'
import { eventually } from '../support/eventually.ts'
import type { World } from '../support/world.ts'

function open(t: TestContext, world: World, key: string, options: Partial<RuntimeOptions> = {}): Runtime {
  const runtime = connect({ url: world.apiUrl, key, instance: 'one', onWebhook: () => {}, ...options })
  t.after(() => runtime.leave({ withinMs: 0 }))
  return runtime
}

describe('The TypeScript client with the service', () => {
  test('a webhook reaches the handler unchanged', async (t) => {
    const { world, bot, key } = await openHostedBot(t)
    const seen: WebhookEvent[] = []
    const runtime = open(t, world, key, { onWebhook: (event) => seen.push(event) })
    assert.deepEqual(await runtime.hosting(), [bot.botId])
    await post(world, bot, '{"order":7}', { 'content-type': 'application/json' })
    const event = await eventually(() => seen[0])
    assert.deepEqual(event.json(), { order: 7 })
    assert.deepEqual([event.botId, event.flowId, event.path, event.attempt], [bot.botId, bot.flowId, bot.path, 1])
    assert.equal(event.headers['content-type'], 'application/json')
    assert.equal(event.acceptedAt.getTime(), world.clock.nowMs())
  })

  test('a removed key ends the client for good', async (t) => {
    const { world, id, key } = await openHostedBot(t)
    const runtime = open(t, world, key)
    await runtime.hosting()
    await world.service.bots.runtimes.remove(id, 'operator')
    const refused = {
      name: 'RuntimeRefused',
      code: 4001,
      reason: 'the runtime was removed',
      message:
        'the service rejected the runtime key (4001, the runtime was removed); check the key, or create a new one',
    }
    await assert.rejects(runtime.ended, refused)
    await assert.rejects(runtime.hosting(), refused)
    await runtime.leave()
  })

  test('connect() rejects invalid options', () => {
    const options = { url: 'http://localhost:1', key: 'k', instance: 'i', onWebhook: () => {} }
    assert.throws(() => connect({ ...options, url: 'hooks' }), /is not a URL/)
    assert.throws(() => connect({ ...options, url: 'ftp://hooks' }), /https:\/\/ or wss:\/\//)
    assert.throws(() => connect({ ...options, key: '' }), /runtime key/)
    assert.throws(() => connect({ ...options, instance: '' }), /"instance"/)
    assert.throws(() => connect({ ...options, credit: 0 }), /"credit"/)
  })
})
