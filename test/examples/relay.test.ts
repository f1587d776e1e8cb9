import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { startProgram } from '../support/gatehouse-process.ts'
import { openSetting } from '../support/webhook-senders.ts'
import { root } from './example-program.ts'

/** Starts the relay in front of a flow with these settings. */
async function openRelay(t: TestContext, webhook: object, env: Record<string, string> = {}) {
  const scene = await openSetting(t, webhook)
  const { apiUrl } = scene.world
  const { botId, path } = scene.bot
  const settings = { WEBHOOK_URL: `${apiUrl}/${botId}`, PORT: '0', META_VERIFY_TOKEN: 'mine', ...env }
  const relay = startProgram(t, ['npm', 'start', '--silent'], settings, { cwd: join(root, 'examples/relay') })
  await relay.waitForOutput('Relay at http')
  const [, url = ''] = /Relay at (\S+)/.exec(relay.stdout()) ?? []
  const ask = async (method: string, query = '', headers: Record<string, string> = {}, body?: string) => {
    const answer = await fetch(`${url}/${path}${query}`, { method, headers, ...(body !== undefined && { body }) })
    return [answer.status, await answer.text()]
  }
  const seconds = () => String(Math.floor(scene.world.clock.nowMs() / 1_000))
  return { ...scene, url, ask, seconds }
}

const hmac = (text: string) => createHmac('sha256', 'hush-hush').update(text).digest('hex')

test('our choice: the relay answers the verification of Meta, Dropbox, Microsoft Graph, Trello and CloudEvents, and stores no event', async (t) => {
  const { url, ask, events } = await openRelay(t, {})
  const meta = '?hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token='
  assert.deepEqual(await ask('GET', `${meta}mine`), [200, '1158201444'])
  assert.equal((await ask('GET', `${meta}theirs`))[0], 403)
  assert.deepEqual(await ask('GET', '?challenge=a%20b'), [200, 'a b'])
  assert.deepEqual(await ask('POST', '?validationToken=Validation%3A%20a%2Bb'), [200, 'Validation: a+b'])
  assert.deepEqual(await ask('HEAD'), [200, ''])
  const origin = { 'webhook-request-origin': 'eventgrid.azure.net', 'webhook-request-rate': '120' }
  const allowed = await fetch(`${url}/x`, { method: 'OPTIONS', headers: origin })
  const names = ['webhook-allowed-origin', 'webhook-allowed-rate', 'x-content-type-options']
  const answered = [allowed.status, ...names.map((name) => allowed.headers.get(name))]
  assert.deepEqual(answered, [200, 'eventgrid.azure.net', '*', 'nosniff'])
  assert.equal((await ask('DELETE'))[0], 405)
  assert.equal(await events(), 0)
})

test('our choice: the relay answers Slack’s url_verification, and passes on what Slack signed, and nothing else', async (t) => {
  const { ask, seconds, events } = await openRelay(t, { signature: { preset: 'slack', secret: 'hush-hush' } })
  const asked = '{"token":"x","challenge":"3eZbrw1aBm2rZgRNFdxV2595E9CY","type":"url_verification"}'
  assert.deepEqual(await ask('POST', '', {}, asked), [200, '3eZbrw1aBm2rZgRNFdxV2595E9CY'])
  const body = '{"type":"event_callback","event":{"text":"é"}}'
  const headers = {
    'x-slack-request-timestamp': seconds(),
    'x-slack-signature': `v0=${hmac(`v0:${seconds()}:${body}`)}`,
  }
  assert.deepEqual(await ask('POST', '', headers, body), [202, '{"ok": true}'])
  assert.deepEqual(await ask('POST', '', headers, `${body} `), [401, '{"error": "Unauthorized."}'])
  assert.equal((await ask('POST', '', {}, 'a'.repeat(1_048_577)))[0], 413)
  assert.equal(await events(), 1)
})

test('our choice: the relay answers Discord’s PING and interactions once their signature is checked', async (t) => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const hex = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex')
  const { ask, seconds } = await openRelay(t, { signature: { preset: 'discord', publicKey: hex } })
  const send = (body: string, signed = body) => {
    const signature = sign(null, Buffer.from(seconds() + signed), privateKey).toString('hex')
    return ask('POST', '', { 'x-signature-timestamp': seconds(), 'x-signature-ed25519': signature }, body)
  }
  assert.deepEqual(await send('{"type":1,"token":"t"}'), [200, '{"type":1}'])
  assert.deepEqual(await send('{"type":2,"token":"t"}'), [200, '{"type":5}'])
  assert.deepEqual(await send('{"version":1,"type":0}'), [204, ''])
  assert.deepEqual(await send('{"type":1,"token":"t"}', 'other'), [401, '{"error": "Unauthorized."}'])
})

test('our choice: the relay answers Zoom’s validation, sends the flow’s key, and responds 503 while Gatehouse is away', async (t) => {
  const key = 'a-key-of-some-length-0123456789'
  const env = { ZOOM_SECRET_TOKEN: 'hush-hush', GATEHOUSE_FLOW_KEY: key }
  const { ask, events, world } = await openRelay(t, { requiresKey: true, key }, env)
  const asked = '{"event":"endpoint.url_validation","payload":{"plainToken":"qgg8vlvZRS6UYooatFL8Aw"}}'
  const [status, text] = await ask('POST', '', {}, asked)
  const encryptedToken = hmac('qgg8vlvZRS6UYooatFL8Aw')
  assert.deepEqual([status, JSON.parse(String(text))], [200, { plainToken: 'qgg8vlvZRS6UYooatFL8Aw', encryptedToken }])
  // What Zoom signs with the same secret begins with `v0:`.
  const signed = asked.replace('qgg8vlvZRS6UYooatFL8Aw', 'v0:1700000000:{}')
  for (const body of ['{}', signed]) assert.deepEqual(await ask('POST', '', {}, body), [202, '{"ok": true}'])
  assert.equal(await events(), 2)
  await world.stop()
  assert.equal((await ask('POST', '', {}, '{}'))[0], 503)
})
