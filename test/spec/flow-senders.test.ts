import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { describe, type TestContext, test } from 'node:test'
import { openBot, unescapeHtml, visibleWordsIn } from '../support/people.ts'

type Relay = { default: { fetch(request: Request): Promise<Response> } }

const flowKey = 'a-flow-key-of-some-length-0123456789'

/** Sends a request to the relay with this code. */
async function askRelay(code: string, query: string, init: RequestInit): Promise<Response> {
  const { default: program } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as Relay
  return program.fetch(new Request(`https://relay.example/${query}`, init))
}

/**
 * Opens a bot with the flow `orders`. Returns the words and the relay's code from the flow's page, and functions that
 * send a webhook through the relay and count the stored webhooks.
 */
async function flowPage(t: TestContext, webhook: object) {
  const scene = await openBot(t)
  await scene.putFlow(webhook)
  const page = await scene.ada.get(scene.at('/bots/bot-1/flows/orders'))
  const [, code = ''] = /<pre [^>]*aria-label="Relay, JavaScript"><code[^>]*>([^<]*)<\/code>/.exec(page.text) ?? []
  const relay = unescapeHtml(code)
  const post = async (body: string, signed: Record<string, string>) => {
    const headers = { 'content-type': 'application/json', ...signed }
    const answer = await askRelay(relay.replace('svc_fk_…', flowKey), '', { method: 'POST', body, headers })
    return [answer.status, await answer.text()]
  }
  const bodies = async () => {
    const { events } = await scene.world.service.queue.log.page('bot-1' as never, {}, { most: 9 })
    return events.length
  }
  return { ...scene, words: visibleWordsIn(page), relay, post, bodies }
}

describe('our choice: the page of a flow explains what its sender needs', () => {
  for (const [preset, header] of [
    ['github', 'X-GitHub-Event'],
    ['shopify', 'X-Shopify-Topic'],
  ] as const) {
    test(`the page of a flow with ${preset} signatures recommends one path per event type`, async (t) => {
      const { words } = await flowPage(t, { signature: { preset, secret: 'hush-hush' } })
      assert.match(words, new RegExp(`${header} doesn’t reach the bot. Use one flow with its own`))
    })
  }

  test('the page of a flow with Slack signatures shows a relay that responds to url_verification and forwards signed events', async (t) => {
    const signature = { preset: 'slack', secret: 'hush-hush' }
    const { world, words, post, bodies } = await flowPage(t, { signature })
    assert.match(words, /Slack doesn’t accept this URL\./)
    const send = (body: string, secret = 'hush-hush') => {
      const seconds = String(Math.floor(world.clock.nowMs() / 1_000))
      const digest = createHmac('sha256', secret).update(`v0:${seconds}:${body}`).digest('hex')
      return post(body, { 'x-slack-request-timestamp': seconds, 'x-slack-signature': `v0=${digest}` })
    }
    const handshake = '{"token":"x","challenge":"3eZbrw1aBm2rZgRNFdxV2595E9CY","type":"url_verification"}'
    assert.deepEqual(await send(handshake), [200, '3eZbrw1aBm2rZgRNFdxV2595E9CY'])
    assert.equal(await bodies(), 0)
    const event = '{"type":"event_callback","event":{"text":"\\"type\\": \\"url_verification\\""}}'
    assert.deepEqual(await send(event), [202, '{"ok": true}'])
    assert.deepEqual(await send(event, 'another'), [401, '{"error": "Unauthorized."}'])
    assert.equal(await bodies(), 1)
  })

  test('the page of a flow with Discord signatures shows a relay that responds to PING and interactions, and rejects invalid signatures', async (t) => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const hex = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex')
    const signature = { preset: 'discord', publicKey: hex }
    const { world, words, post, bodies } = await flowPage(t, { requiresKey: true, key: flowKey, signature })
    assert.match(words, /Discord doesn’t accept this URL\./)
    const send = (body: string, signedBody = body) => {
      const seconds = String(Math.floor(world.clock.nowMs() / 1_000))
      return post(body, {
        'x-signature-timestamp': seconds,
        'x-signature-ed25519': sign(null, Buffer.from(seconds + signedBody), privateKey).toString('hex'),
      })
    }
    assert.deepEqual(await send('{"type":1,"token":"t"}'), [200, '{"type":1}'])
    assert.deepEqual(await send('{"type":2,"token":"t"}'), [200, '{"type":5}'])
    assert.deepEqual(await send('{"version":1,"type":0}'), [204, ''])
    assert.deepEqual(await send('{"version":1,"type":1,"event":{}}'), [204, ''])
    assert.deepEqual(await send('{"type":1,"token":"t"}', 'other'), [401, '{"error": "Unauthorized."}'])
    assert.equal(await bodies(), 4)
  })

  test('the relay in the webhook guide answers the verification of each sender, and forwards its webhooks with signature and key', async (t) => {
    for (const [header, signature] of [
      ['x-hub-signature-256', { preset: 'github', secret: 'hush-hush' }],
      ['x-dropbox-signature', { preset: 'hmac', header: 'X-Dropbox-Signature', secret: 'hush-hush' }],
      [undefined, undefined],
    ] as const) {
      const { world, ada, bodies } = await flowPage(t, { requiresKey: true, key: flowKey, signature })
      const { text: guide } = await ada.get(`${world.portalUrl}/guides/webhooks.md`)
      const [, code = ''] = /```js\n([\s\S]*?)```/.exec(guide) ?? []
      const filled = code
        .replace('{botId}/{path}', 'bot-1/orders')
        .replace('svc_fk_…', flowKey)
        .replace('the one that you enter at Meta', 'mine')
      const ask = async (method: string, query = '', headers: Record<string, string> = {}) => {
        const answer = await askRelay(filled, query, { method, headers })
        return [answer.status, await answer.text(), answer.headers.get('webhook-allowed-origin')]
      }
      const meta = '?hub.mode=subscribe&hub.challenge=12&hub.verify_token='
      assert.deepEqual(await ask('GET', `${meta}mine`), [200, '12', null])
      assert.deepEqual(await ask('GET', `${meta}theirs`), [403, '', null])
      assert.deepEqual(await ask('GET', '?challenge=a%20b'), [200, 'a b', null])
      assert.deepEqual(await ask('POST', '?validationToken=a%2Bb'), [200, 'a+b', null])
      assert.deepEqual(await ask('HEAD'), [200, '', null])
      const origin = { 'webhook-request-origin': 'eventgrid.example' }
      assert.deepEqual(await ask('OPTIONS', '', origin), [200, '', 'eventgrid.example'])

      const prefix = header === 'x-hub-signature-256' ? 'sha256=' : ''
      const send = async (secret: string) => {
        const signed = prefix + createHmac('sha256', secret).update('{"a":"é"}').digest('hex')
        const headers = { 'content-type': 'application/json', ...(header && { [header]: signed }) }
        return (await askRelay(filled, '', { method: 'POST', body: '{"a":"é"}', headers })).status
      }
      assert.equal(await send('hush-hush'), 202)
      if (header !== undefined) assert.equal(await send('wrong'), 401)
      assert.equal(await bodies(), 1)
    }
  })

  test('the page of a flow without a signature shows neither a note about the sender nor a relay', async (t) => {
    const { words, relay } = await flowPage(t, {})
    assert.equal(relay, '')
    assert.doesNotMatch(words, /Before you enter the URL/)
  })
})
