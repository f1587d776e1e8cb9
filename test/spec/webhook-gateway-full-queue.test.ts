import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ListeningBot } from '../support/listening-bot.ts'
import { discardEvents } from '../support/webhook-senders.ts'
import { ask, openSetting, post } from './webhook-gateway-scene.ts'

describe('Webhook gateway: full queues', () => {
  test('webhooks to a bot whose queue is at its event limit get 503 with Retry-After; other bots are not affected', async (t) => {
    const { world, open, keyed } = await openSetting(t, { QUEUE_MAX_EVENTS_PER_BOT: '2' })
    const send = () => fetch(`${world.apiUrl}/${open.botId}/${open.path}`, post('x'))
    assert.deepEqual([(await send()).status, (await send()).status], [202, 202])
    const refused = await send()
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '30'])
    assert.equal(await refused.text(), '{"error": "Webhook gateway unavailable."}')
    assert.equal((await ask(world, `/${keyed.botId}/${keyed.path}`, post('x', { 'svc-key': keyed.key }))).status, 202)
  })

  test('webhooks to a bot whose queue is at its byte limit get 503; smaller bodies still fit', async (t) => {
    const { world, open } = await openSetting(t, { QUEUE_MAX_BYTES_PER_BOT: '100' })
    const statusOf = async (bytes: number) =>
      (await ask(world, `/${open.botId}/${open.path}`, post(new Uint8Array(bytes)))).status
    assert.deepEqual(
      [await statusOf(90), await statusOf(11), await statusOf(10), await statusOf(0)],
      [202, 503, 202, 202],
    )
  })

  for (const [by, env, room] of [
    ['events', { QUEUE_MAX_EVENTS: '2' }, [100, 100]],
    ['bytes of bodies', { QUEUE_MAX_BYTES: '100' }, [60, 40]],
  ] as const) {
    test(`our choice: at the gateway’s limit of ${by}, webhooks to all bots get 503 with Retry-After until an event is finished`, async (t) => {
      const { world, open, keyed } = await openSetting(t, env)
      const send = ({ botId, path, key }: ListeningBot, bytes: number) =>
        fetch(`${world.apiUrl}/${botId}/${path}`, post(new Uint8Array(bytes), { 'svc-key': key }))
      assert.deepEqual([(await send(open, room[0])).status, (await send(keyed, room[1])).status], [202, 202])
      for (const bot of [open, keyed]) {
        const refused = await send(bot, 1)
        assert.deepEqual(
          [refused.status, refused.headers.get('retry-after'), await refused.text()],
          [503, '30', '{"error": "Webhook gateway unavailable."}'],
        )
      }
      const metrics = await (await fetch(`${world.controlUrl}/metrics`)).text()
      assert.match(metrics, /^gatehouse_webhooks_refused_total\{cause="queue-full"\} 2$/m)
      await discardEvents(world, open.botId)
      assert.equal((await send(keyed, 1)).status, 202)
    })
  }
})
