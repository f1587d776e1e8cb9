import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { Webhook } from 'standardwebhooks'
import { exported } from '../support/audit.ts'
import { accepted, github, githubBody, githubHeaders, openSetting, refused } from '../support/webhook-senders.ts'
import { inDatabase } from '../support/world-database.ts'

function signedForGithub(body: string | Uint8Array, secret: string) {
  return { 'X-Hub-Signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}` }
}

test('our choice: a signed webhook of any bytes up to 1 MiB, compressed or not, is accepted; a missing or wrong signature gets the same response as a wrong key, and a larger body 413 before the signature is checked', async (t) => {
  const { send, events } = await openSetting(t, { signature: github })
  assert.deepEqual(await send(githubBody, githubHeaders), accepted)
  for (const headers of [{}, { 'X-Hub-Signature-256': 'sha256=00' }, signedForGithub('other', github.secret)])
    assert.deepEqual(await send(githubBody, headers), refused)
  for (const body of [gzipSync('{"id":1}'), new Uint8Array(1_048_576), new Uint8Array()]) {
    const headers = { 'content-encoding': 'gzip', ...signedForGithub(body, github.secret) }
    assert.deepEqual(await send(body, headers), accepted)
  }
  assert.equal(await events(), 4)
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
  await set('signature = NULL')
  assert.deepEqual(await send(githubBody), accepted)
  await set(`signature = '{"preset":"github"}'`)
  await world.clock.advance(5_000)
  assert.deepEqual(await send(githubBody), refused)
  assert.deepEqual(await send(githubBody, githubHeaders), accepted)
})

test('our choice: a webhook signed by the Standard Webhooks library is accepted, and a duplicate starts nothing', async (t) => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const { world, send, events } = await openSetting(t, { signature: { preset: 'standard-webhooks', secret } })
  const nowMs = world.clock.nowMs()
  const signed = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(nowMs / 1_000)),
    'webhook-signature': new Webhook(secret).sign('msg_1', new Date(nowMs), '{}'),
  }
  for (let times = 0; times < 2; times += 1) assert.deepEqual(await send('{}', signed), accepted)
  assert.equal(await events(), 1)
  assert.deepEqual(await send('{}', { ...signed, 'webhook-id': 'msg_2' }), refused)
  const dotted = { ...signed, 'webhook-signature': new Webhook(secret).sign('msg_1', new Date(nowMs), 'a..b') }
  const signedId = `msg_1.${signed['webhook-timestamp']}.a`
  assert.deepEqual(await send('b', { ...dotted, 'webhook-id': signedId, 'webhook-timestamp': '' }), refused)
  await world.clock.advance(301_000)
  assert.deepEqual(await send('{}', signed), refused)
})

test('our choice: a flow that starts to check Standard Webhooks finds duplicates by webhook-id, unless it says otherwise', async (t) => {
  const { put, record } = await openSetting(t, { signature: github })
  const dedupe = async () => (await record()).dedupe
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

/** Opens a flow with GitHub's signatures, with functions that change its secret and send a webhook signed with one. */
async function openWithSecrets(t: TestContext) {
  const setting = await openSetting(t, { signature: github })
  const use = (signature: object | null) => setting.put({ signature: signature && { preset: 'github', ...signature } })
  const sends = async (...secrets: string[]) => {
    const statuses: unknown[] = []
    for (const secret of secrets) statuses.push((await setting.send('{}', signedForGithub('{}', secret)))[0])
    return statuses
  }
  return { ...setting, use, sends }
}

test('our choice: a replaced secret is accepted for 24 hours, and a record says until when', async (t) => {
  const { world, record, use, sends } = await openWithSecrets(t)
  const endsAt = async () => (await record()).signature.previousSecretEndsAt
  assert.equal(await endsAt(), null)
  await use({ secret: 'second' })
  assert.equal(await endsAt(), new Date(world.clock.nowMs() + 86_400_000).toISOString())
  const changes = (await exported(world)).length
  await use({ secret: 'second' })
  assert.equal((await exported(world)).length, changes, 'the same secret changes nothing')
  assert.deepEqual(await sends('second', github.secret, 'third'), [202, 202, 401])
  await use({ secret: 'third' })
  assert.deepEqual(await sends('third', 'second', github.secret), [202, 202, 401])
  await world.clock.advance(86_399_000)
  assert.deepEqual(await sends('second'), [202])
  await world.clock.advance(1_000)
  assert.deepEqual(await sends('third', 'second'), [202, 401])
  assert.equal(await endsAt(), null)
})

test('our choice: a replaced secret ends at once with secretBefore "ends-now", with the preset, and with the signature', async (t) => {
  const { use, send, sends } = await openWithSecrets(t)
  await use({ secret: 'second', secretBefore: 'ends-now' })
  assert.deepEqual(await sends('second', github.secret), [202, 401])
  await use({ secret: 'third' })
  assert.deepEqual(await sends('second'), [202])
  await use({ secretBefore: 'ends-now' })
  assert.deepEqual(await sends('third', 'second'), [202, 401])
  await use({ secret: 'fourth' })
  await use({ preset: 'shopify' })
  await use({})
  assert.deepEqual(await sends('fourth', 'third'), [202, 401])
  await use({ secret: 'fifth' })
  await use(null)
  assert.deepEqual(await send('{}'), accepted)
  await use({ secret: 'sixth' })
  assert.deepEqual(await send('{}'), refused)
  assert.deepEqual(await sends('sixth', 'fifth', 'fourth'), [202, 401, 401])
})
