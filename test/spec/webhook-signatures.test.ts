import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, test } from 'node:test'
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

describe('Webhook signatures', () => {
  test('our choice: a signed webhook is accepted; a missing or wrong signature gets the same response as a wrong key', async (t) => {
    const { send, events } = await openSetting(t, { signature: github })
    assert.deepEqual(await send(githubBody, githubHeaders), accepted)
    assert.deepEqual(await send(`${githubBody} `, githubHeaders), refused)
    assert.deepEqual(await send(githubBody), refused)
    assert.deepEqual(await send(githubBody, { 'X-Hub-Signature-256': 'sha256=00' }), refused)
    assert.deepEqual(await send('', githubHeaders), refused)
    assert.equal(await events(), 1)
  })

  test('our choice: a webhook with a stale timestamp is refused even if signed correctly', async (t) => {
    const { world, send } = await openSetting(t, { signature: { preset: 'stripe', secret: 'whsec_test' } })
    const seconds = world.clock.nowMs() / 1_000
    const v1 = createHmac('sha256', 'whsec_test').update(`${seconds}.{}`).digest('hex')
    const headers = { 'Stripe-Signature': `t=${seconds},v1=${v1}` }
    assert.deepEqual(await send('{}', headers), accepted)
    await world.clock.advance(300_000)
    assert.deepEqual(await send('{}', headers), accepted)
    await world.clock.advance(1_000)
    assert.deepEqual(await send('{}', headers), refused)
  })

  test('our choice: any bytes up to 1 MiB can be signed; a larger body gets 413 before the signature is checked', async (t) => {
    const { send } = await openSetting(t, { signature: github })
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

  test('our choice: changing or removing a signing secret applies from the next webhook on', async (t) => {
    const { put, send } = await openSetting(t, { signature: github })
    assert.deepEqual(await send('{}', signedForGithub('{}', 'new')), refused)
    await put({ signature: { preset: 'github', secret: 'new' } })
    assert.deepEqual(await send('{}', signedForGithub('{}', 'new')), accepted)
    assert.deepEqual(await send('{}', signedForGithub('{}', github.secret)), refused)
    await put({})
    assert.deepEqual(await send('{}'), refused)
    await put({ signature: null })
    assert.deepEqual(await send('{}'), accepted)
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
})
