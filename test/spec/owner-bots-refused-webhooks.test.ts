import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { advanceUntil } from '../support/eventually.ts'
import { openBot, provision, textIn } from '../support/people.ts'
import { inDatabase } from '../support/world-database.ts'

const key = 'a-flow-key-of-some-length-0123456789'
const secret = 'hush-hush'

test('our choice: each cause of refusal is shown with time, address, response and count, on the bot’s page and the flow’s page; the responses stay as specified', async (t) => {
  const { world, ada, as, at, putFlow } = await openBot(t)
  await putFlow({ requiresKey: true, key }, 'keyed', 'keyed')
  await putFlow({ signature: { preset: 'slack', secret } }, 'signed', 'signed')
  const post = async (path: string, headers: Record<string, string> = {}, body = 'x') => {
    const response = await fetch(`${world.apiUrl}/bot-1/${path}`, { method: 'POST', body, headers })
    return [response.status, await response.text()]
  }
  const signed = (seconds: number, by = secret) => ({
    'x-slack-request-timestamp': String(seconds),
    'x-slack-signature': `v0=${createHmac('sha256', by).update(`v0:${seconds}:x`).digest('hex')}`,
  })
  const seconds = Math.floor(world.clock.nowMs() / 1_000)
  const unauthorized = [401, '{"error": "Unauthorized."}']
  assert.deepEqual(await post('keyed', { 'svc-key': key }), [202, '{"ok": true}'])
  assert.deepEqual(await post('keyed'), unauthorized)
  for (const wrong of ['svc_fk_wrong-one', 'svc_fk_wrong-two']) {
    assert.deepEqual(await post('keyed', { 'svc-key': wrong }), unauthorized)
  }
  assert.deepEqual(await post('signed'), unauthorized)
  assert.deepEqual(await post('signed', signed(seconds, 'another')), unauthorized)
  assert.deepEqual(await post('signed', signed(seconds - 301)), unauthorized)
  const tooLarge = [413, '{"error": "Payload too large."}']
  assert.deepEqual(await post('keyed', { 'svc-key': key }, 'x'.repeat(1_048_577)), tooLarge)
  assert.deepEqual(await post('keyd/svc_fk_pasted'), [404, '{"error": "Not found."}'])
  assert.equal((await post('no%20such'))[0], 404)
  for (const each of ['replaced', secret])
    await putFlow({ signature: { preset: 'slack', secret: each } }, 'lost', 'lost')
  await inDatabase(world, 'identity', "UPDATE flows SET signing_secret = substr(signing_secret, 2) WHERE id = 'lost'")
  assert.deepEqual(await post('lost', signed(seconds)), [503, '{"error": "Webhook gateway unavailable."}'])
  assert.match(world.logs(), /"level":50.*cannot decrypt the secret of bot bot-1, flow lost; was SECRET_KEY changed\?/)
  assert.deepEqual(await post('lost', signed(seconds, 'replaced')), [202, '{"ok": true}'])
  const untested = await ada.submitAt(at('/bots/bot-1/flows/lost/test'), { body: 'mine' }, '/test')
  assert.match(`${untested.status} ${textIn(untested.text)}`, /^503 .*The service can’t decrypt the signing secret\./s)

  const rows = async (path: string) => {
    const { text } = await ada.get(at(path))
    return [...text.matchAll(/<tr role="row">(?:<th scope="row")(.*?)<\/tr>/gs)].map(([, row = '']) =>
      textIn(row.replace(/<br>.*?<\/span>/, '').replace(/^[^>]*>/, '')),
    )
  }
  const start = world.clock.iso().slice(0, 19).replace('T', ' ')
  const seen = await rows('/bots/bot-1/deliveries/refused')
  assert.deepEqual(seen.toSorted(), [
    `${start} No key keyed 127.0.0.1 401 1`,
    `${start} No signature signed 127.0.0.1 401 1`,
    `${start} No such path /keyd/svc_•••• None 127.0.0.1 404 1`,
    `${start} No such path None 127.0.0.1 404 1`,
    `${start} Signature mismatch signed 127.0.0.1 401 1`,
    `${start} Stale timestamp signed 127.0.0.1 401 1`,
    `${start} Too large keyed 127.0.0.1 413 1`,
    `${start} Unreadable secret lost 127.0.0.1 503 1`,
    `${start} Wrong key keyed 127.0.0.1 401 2`,
  ])
  assert.match((await ada.get(at('/bots/bot-1/deliveries'))).text, /Refused <span class="count">10</)
  assert.deepEqual((await rows('/bots/bot-1/flows/signed')).toSorted(), [
    `${start} No signature 401 127.0.0.1 1`,
    `${start} Signature mismatch 401 127.0.0.1 1`,
    `${start} Stale timestamp 401 127.0.0.1 1`,
  ])
  assert.equal((await rows('/bots/bot-1/deliveries/refused?flow=signed')).length, 3)

  await world.restart()
  assert.deepEqual((await rows('/bots/bot-1/deliveries/refused')).toSorted(), seen.toSorted(), 'after a restart')
  await world.clock.advance(8 * 24 * 3_600_000)
  // Upkeep runs once a minute.
  await advanceUntil(world.clock, async () => (await rows('/bots/bot-1/deliveries/refused')).length === 0, 60_000)
  assert.match((await ada.get(at('/bots/bot-1/deliveries/refused'))).text, /No refused webhooks/)

  assert.equal((await ada.get(at('/bots/bot-1/deliveries/refused?flow=none'))).status, 404)
  assert.doesNotMatch((await (await as('vi')).get(at('/bots/bot-1/flows/keyed'))).text, /Refused webhooks/)
  for (const hidden of ['svc_fk_wrong', 'svc_fk_pasted', key, secret]) assert.ok(!world.logs().includes(hidden), hidden)
})

test('our choice: a full queue is shown as the cause of a refusal, and refusals of a deleted bot don’t show up in a new bot with its ID', async (t) => {
  const { world, ada, at, putBot, putFlow } = await openBot(t, { QUEUE_MAX_EVENTS_PER_BOT: '1' })
  await putFlow()
  const post = async () => (await fetch(`${world.apiUrl}/bot-1/orders`, { method: 'POST', body: 'x' })).status
  assert.deepEqual([await post(), await post()], [202, 503])
  const page = async () => (await ada.get(at('/bots/bot-1/deliveries/refused'))).text
  assert.match(await page(), /Queue full/)
  await provision(world, 'DELETE', '/v1/bots/bot-1')
  await putBot()
  assert.match(await page(), /No refused webhooks/)
})
