import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import * as limits from '../../src/domain/limits/limits.ts'
import { BotRuntime, type ListeningBot, makeRuntime, post, provisionListeningBot } from '../support/bot-runtime.ts'
import { eventually } from '../support/eventually.ts'
import { provision } from '../support/people.ts'
import { RawConnection } from '../support/raw-http.ts'
import { openWorld } from '../support/world.ts'

test('our choice: a compressed body is dispatched and its signature checked as sent, without content-encoding', async (t) => {
  const world = await openWorld(t)
  const bot = await provisionListeningBot(world.service, { requiresKey: false })
  const { botId, path } = bot
  const signature = { preset: 'github', secret: 'hush' }
  const webhook = { path, requiresKey: false, signature, dedupe: { pointer: '/id' } }
  const [{ id }] = (await provision(world, 'GET', `/v1/bots/${botId}/flows`)).json.items
  await provision(world, 'PUT', `/v1/bots/${botId}/flows/${id}`, { kind: 'event', name: 'Zipped', webhook })
  const { key } = await makeRuntime(world, [botId])
  const { runtime } = await BotRuntime.ready(t, world, key)
  const body = gzipSync('{"id":1}')
  const headers = {
    'content-type': 'application/json',
    'content-encoding': 'gzip',
    'x-hub-signature-256': `sha256=${createHmac('sha256', 'hush').update(body).digest('hex')}`,
  }
  for (let times = 0; times < 2; times += 1) {
    await post(world, bot, body, headers)
    const dispatch = await runtime.next('dispatch')
    assert.deepEqual(Buffer.from(dispatch.body, 'base64'), body)
    assert.equal(dispatch.headers['content-type'], 'application/json')
    assert.equal(dispatch.headers['content-encoding'], undefined)
  }
})

test('our choice: incomplete webhook bodies from all senders share a memory limit; above the limit large webhooks get 503 and small webhooks are accepted', async (t) => {
  const world = await openWorld(t, { TRUST_PROXY: '1', QUEUE_MAX_BYTES_PER_BOT: '10000000000' })
  const bots: ListeningBot[] = []
  for (let at = 0; at < 8; at += 1)
    bots.push(await provisionListeningBot(world.service, { botId: `bot-${at}`, requiresKey: false }))
  const [{ botId, path } = assert.fail()] = bots
  const large = Buffer.alloc(limits.webhookBodyMaxBytes, 'x')
  const post = async (body: string | Buffer<ArrayBuffer>) =>
    (await fetch(`${world.apiUrl}/${botId}/${path}`, { method: 'POST', body })).status
  const begun = async (_: unknown, at: number) => {
    const { botId, path } = bots[at % bots.length]!
    const head = `Host: a\r\nX-Forwarded-For: 203.0.113.${at}\r\nContent-Length: ${large.length}`
    const sender = await RawConnection.to(t, world.apiUrl)
    sender.write(`POST /${botId}/${path} HTTP/1.1\r\n${head}\r\n\r\n`)
    sender.write(large.subarray(1))
    return sender
  }
  // Each bot gets as much as is then free.
  const fitting = Math.floor(
    (limits.arrivingBodiesMaxBytes * bots.length) / (bots.length + 1) / limits.webhookBodyMaxBytes,
  )
  /** Sends two bodies more than fit, since one more may fit. Returns the number of refusals and one of them. */
  const exceed = async () => {
    const senders = await Promise.all(Array.from({ length: fitting + 2 }, begun))
    let refused = 0
    const answers = senders.map(async (sender) => {
      const answer = await sender.answer()
      refused += 1
      return answer
    })
    const refusal = await Promise.race(answers)
    assert.equal(await post('small'), 202)
    // The answers that are still awaited fail now.
    void Promise.allSettled(answers)
    for (const sender of senders) sender.reset()
    return { refused, refusal }
  }
  const { refusal } = await exceed()
  assert.deepEqual([refusal.status, refusal.body], [503, '{"error": "Webhook gateway unavailable."}'])
  // Once the service has noticed that the senders are gone, all bodies but one or two fit again.
  await eventually(async () => ((await exceed()).refused <= 2 ? true : undefined))
  await eventually(async () => ((await post(large)) === 202 ? true : undefined))
})
