import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { provision } from '../support/people.ts'
import {
  accepted,
  github,
  githubBody,
  githubHeaders,
  openSetting,
  refused,
  senderTo,
} from '../support/webhook-senders.ts'
import { containsText, inDatabase, storedBytes } from '../support/world-database.ts'

function signedForGithub(body: string | Uint8Array, secret: string) {
  return { 'X-Hub-Signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}` }
}

test('our choice: a signed webhook of any bytes up to 1 MiB is accepted; a missing or wrong signature gets the same response as a wrong key, and a larger body 413 before the signature is checked', async (t) => {
  const { send, events } = await openSetting(t, { signature: github })
  assert.deepEqual(await send(githubBody, githubHeaders), accepted)
  assert.deepEqual(await send(`${githubBody} `, githubHeaders), refused)
  assert.deepEqual(await send(githubBody), refused)
  assert.deepEqual(await send(githubBody, { 'X-Hub-Signature-256': 'sha256=00' }), refused)
  assert.deepEqual(await send('', githubHeaders), refused)
  assert.equal(await events(), 1)

  for (const body of [Uint8Array.of(0, 255, 128, 13, 10), new Uint8Array(1_048_576), new Uint8Array()]) {
    assert.deepEqual(await send(body, signedForGithub(body, github.secret)), accepted)
  }
  assert.deepEqual(await send(new Uint8Array(1_048_577)), [413, '{"error": "Payload too large."}'])
})

test('our choice: if the flow also requires a key, the webhook’s key and signature are both checked', async (t) => {
  const { send } = await openSetting(t, { signature: github, requiresKey: true, key: 'the-key' })
  assert.deepEqual(await send(githubBody, githubHeaders), refused)
  assert.deepEqual(await send(githubBody, { 'svc-key': 'the-key' }), refused)
  assert.deepEqual(await send(githubBody, { ...githubHeaders, 'svc-key': 'the-key' }), accepted)
})

test('our choice: a signature requirement that another process removes stops applying immediately; a requirement that it adds applies within 5 s', async (t) => {
  const { world, bot, send } = await openSetting(t, { signature: github })
  const set = (sql: string) => inDatabase(world, 'identity', `UPDATE flows SET ${sql} WHERE bot_id = '${bot.botId}'`)
  assert.deepEqual(await send(githubBody), refused)
  await set('webhook_ordered = 1')
  await set(`dedupe = signature, signature = NULL`)
  await set('dedupe = NULL')
  assert.deepEqual(await send(githubBody), accepted)
  await set(`signature = '{"preset":"github"}'`)
  await world.clock.advance(5_000)
  assert.deepEqual(await send(githubBody), refused)
  assert.deepEqual(await send(githubBody, githubHeaders), accepted)
})

test('our choice: a signing secret survives a restart and is neither stored in plain text nor logged', async (t) => {
  const { world, bot } = await openSetting(t, { signature: github })
  await world.restart()
  assert.deepEqual(await senderTo(world, bot)(githubBody, githubHeaders), accepted)
  assert.equal(world.logs().includes('Secret to Everybody'), false)
  for (const [place, bytes] of Object.entries(await storedBytes(world))) {
    assert.equal(containsText(bytes, 'Secret to Everybody'), false, place)
  }
})

test('our choice: a webhook signed by the Standard Webhooks library is accepted, and a duplicate starts nothing', async (t) => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const { world, send, events } = await openSetting(t, { signature: { preset: 'standard-webhooks', secret } })
  const library = new Webhook(secret)
  const signed = (id: string, body: string, with_ = library) => ({
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(world.clock.nowMs() / 1_000)),
    'webhook-signature': with_.sign(id, new Date(world.clock.nowMs()), body),
  })
  const first = signed('msg_1', '{"type":"user.created"}')
  assert.deepEqual(await send('{"type":"user.created"}', first), accepted)
  assert.deepEqual(await send('{"type":"user.created"}', first), accepted)
  assert.equal(await events(), 1)
  assert.deepEqual(await send('{"type":"user.deleted"}', first), refused)
  assert.deepEqual(await send('{}', { ...signed('msg_2', '{}'), 'webhook-id': 'msg_3' }), refused)
  const other = new Webhook('whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX')
  assert.deepEqual(await send('{}', signed('msg_2', '{}', other)), refused)
  const both = `${other.sign('msg_2', new Date(world.clock.nowMs()), '{}')} ${signed('msg_2', '{}')['webhook-signature']}`
  assert.deepEqual(await send('{}', { ...signed('msg_2', '{}'), 'webhook-signature': both }), accepted)
  const stale = signed('msg_4', '{}')
  await world.clock.advance(301_000)
  assert.deepEqual(await send('{}', stale), refused)
  assert.equal(await events(), 2)
})

test('our choice: a flow that starts to check Standard Webhooks finds duplicates by webhook-id, unless it says otherwise', async (t) => {
  const { world, bot, put } = await openSetting(t, { signature: github })
  const dedupe = async () => {
    const { json } = await provision(world, 'GET', `/v1/bots/${bot.botId}/flows/${bot.flowId}`)
    return json.webhook.dedupe
  }
  const signature = { preset: 'standard-webhooks', secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }
  assert.equal(await dedupe(), null)
  await put({ signature, dedupe: null })
  await put({ signature })
  assert.equal(await dedupe(), null)
  await put({ signature: github })
  await put({ signature })
  assert.deepEqual(await dedupe(), { header: 'webhook-id', windowSeconds: 86_400 })
  await put({ signature: github, dedupe: { header: 'x-github-delivery', windowSeconds: 60 } })
  await put({ signature })
  assert.deepEqual(await dedupe(), { header: 'x-github-delivery', windowSeconds: 60 })
})

test('our choice: a replaced secret is accepted for 24 hours, and a record says until when', async (t) => {
  const { world, bot, put, send } = await openSetting(t, { signature: github })
  const endsAt = async () => {
    const { json } = await provision(world, 'GET', `/v1/bots/${bot.botId}/flows/${bot.flowId}`)
    return json.webhook.signature.previousSecretEndsAt
  }
  const sends = async (secret: string) => (await send('{}', signedForGithub('{}', secret)))[0]
  const use = (secret: string, more: object = {}) => put({ signature: { preset: 'github', secret, ...more } })
  assert.equal(await endsAt(), null)
  await use('second')
  assert.equal(await endsAt(), new Date(world.clock.nowMs() + 86_400_000).toISOString())
  await use('second')
  assert.deepEqual([await sends('second'), await sends(github.secret), await sends('third')], [202, 202, 401])
  await world.restart()
  await use('third')
  assert.deepEqual([await sends('third'), await sends('second'), await sends(github.secret)], [202, 202, 401])
  await world.clock.advance(86_399_000)
  assert.equal(await sends('second'), 202)
  await world.clock.advance(1_000)
  assert.deepEqual([await sends('third'), await sends('second')], [202, 401])
  assert.equal(await endsAt(), null)
})

test('our choice: a replaced secret ends at once with secretBefore "ends-now", with the preset, and with the signature', async (t) => {
  const { put, send } = await openSetting(t, { signature: github })
  const sends = async (secret: string) => (await send('{}', signedForGithub('{}', secret)))[0]
  await put({ signature: { preset: 'github', secret: 'second', secretBefore: 'ends-now' } })
  assert.deepEqual([await sends('second'), await sends(github.secret)], [202, 401])
  await put({ signature: { preset: 'github', secret: 'third' } })
  assert.equal(await sends('second'), 202)
  await put({ signature: { preset: 'github', secretBefore: 'ends-now' } })
  assert.deepEqual([await sends('third'), await sends('second')], [202, 401])
  await put({ signature: { preset: 'github', secret: 'fourth' } })
  await put({ signature: { preset: 'shopify' } })
  await put({ signature: { preset: 'github' } })
  assert.deepEqual([await sends('fourth'), await sends('third')], [202, 401])
  await put({ signature: { preset: 'github', secret: 'fifth' } })
  await put({ signature: null })
  assert.deepEqual(await send('{}'), accepted)
  await put({ signature: { preset: 'github', secret: 'sixth' } })
  assert.deepEqual(await send('{}'), refused)
  assert.deepEqual([await sends('sixth'), await sends('fifth'), await sends('fourth')], [202, 401, 401])
})
