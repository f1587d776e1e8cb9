import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { arrivingBodiesMaxBytes, webhookBodyMaxBytes } from '../../src/domain/limits/limits.ts'
import { BotRuntime, makeRuntime } from '../support/bot-runtime.ts'
import { eventually } from '../support/eventually.ts'
import { provisionListeningBot } from '../support/listening-bot.ts'
import { RawConnection } from '../support/raw-http.ts'
import { openWorld } from '../support/world.ts'

describe('Webhook bodies', () => {
  test('a chunked body is dispatched whole, whether sent in one packet or several', async (t) => {
    const world = await openWorld(t)
    const { botId, path } = await provisionListeningBot(world.service, { requiresKey: false })
    const { key } = await makeRuntime(world, [botId])
    const { runtime } = await BotRuntime.ready(t, world, key)
    const sender = await RawConnection.to(t, world.apiUrl)
    const head = `POST /${botId}/${path} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`
    for (const packets of [
      [`${head}3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n`],
      [head, '3\r\nabc\r\n', '2\r\nde\r\n0\r\n\r\n'],
    ]) {
      for (const packet of packets) await sender.flushed(packet)
      const { status, body } = await sender.answer()
      assert.deepEqual([status, body], [202, '{"ok": true}'])
      assert.equal(Buffer.from((await runtime.next('dispatch')).body, 'base64').toString(), 'abcde')
    }
  })
})

describe('Incomplete webhook bodies', () => {
  test('our choice: incomplete webhook bodies from all senders share a memory limit; above the limit large webhooks get 503 and small webhooks are accepted', async (t) => {
    const world = await openWorld(t, { QUEUE_MAX_BYTES_PER_BOT: '10000000000' })
    const { botId, path } = await provisionListeningBot(world.service, { requiresKey: false })
    const large = Buffer.alloc(webhookBodyMaxBytes, 'x')
    const post = async (body: string | Buffer<ArrayBuffer>) =>
      (await fetch(`${world.apiUrl}/${botId}/${path}`, { method: 'POST', body })).status
    const begun = async () => {
      const sender = await RawConnection.to(t, world.apiUrl)
      sender.write(`POST /${botId}/${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${large.length}\r\n\r\n`)
      sender.write(large.subarray(1))
      return sender
    }
    const fitting = arrivingBodiesMaxBytes / webhookBodyMaxBytes
    const senders = await Promise.all(Array.from({ length: fitting + 1 }, begun))
    // All senders but one fit within the limit. Any of them may be the one that gets 503.
    const refusal = await Promise.race(senders.map((sender) => sender.answer()))
    assert.deepEqual([refusal.status, refusal.body], [503, '{"error": "Webhook gateway unavailable."}'])
    assert.equal(await post('small'), 202)

    for (const sender of senders) sender.reset()
    await eventually(async () => {
      const statuses = await Promise.all(Array.from({ length: fitting }, () => post(large)))
      return statuses.every((status) => status === 202) ? true : undefined
    })
    assert.equal(await post(large), 202)
  })
})
