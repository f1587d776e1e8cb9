import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { connect } from '../../clients/typescript/src/runtime.ts'
import { openHostedBot, provisionListeningBot } from '../support/bot-runtime.ts'
import { eventually } from '../support/eventually.ts'

describe('The TypeScript client with the service', () => {
  test('a refused bot that is added later is no longer reported as refused; a removed key ends the client for good', async (t) => {
    const { world, bot, id, key } = await openHostedBot(t)
    const bots = [bot.botId, 'late']
    const runtime = connect({ url: world.apiUrl, key, instance: 'one', bots, onWebhook: () => {} })
    t.after(() => runtime.leave({ withinMs: 0 }))
    assert.deepEqual(await runtime.hosting(), [bot.botId])
    await provisionListeningBot(world.service, { botId: 'late' })
    await eventually(async () => (await runtime.hosting()).length === 2 || undefined)
    assert.deepEqual(runtime.state, { kind: 'hosting', bots, refused: [] })
    await world.service.bots.runtimes.remove(id, 'operator')
    const reason = 'the runtime was removed'
    const message = `the service rejected the runtime key (4001, ${reason}); check the key, or create a new one`
    const refused = { name: 'RuntimeRefused', code: 4001, reason, message }
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
