import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type ListeningBot, provisionListeningBot } from '../support/bot-runtime.ts'
import { RawConnection } from '../support/raw-http.ts'
import { discardEvents } from '../support/webhook-senders.ts'
import { hideTable } from '../support/world-database.ts'
import {
  ask,
  eventsTable,
  openSetting,
  pick,
  post,
  type Received,
  requestHead,
  type Setting,
} from './webhook-gateway-scene.ts'

const mib = 1_048_576
const keyed = (key: string) => post('', { 'svc-key': key })

describe('POST {api_url}/{botId}/{path}', () => {
  test('success is 202 with body {"ok": true}; when the flow requires a key, the request carries header svc-key; a query string is ignored', async (t) => {
    const { world, open, keyed: bot } = await openSetting(t)
    for (const [address, init] of [
      [`/${open.botId}/${open.path}`, post('{"order": 7}')],
      [`/${open.botId}/${open.path}?a=%20&b=/../`, post()],
      [`/${bot.botId}/${bot.path}`, keyed(bot.key)],
    ] as const) {
      const answer = await ask(world, address, init)
      assert.deepEqual(answer, { status: 202, type: 'application/json', body: '{"ok": true}' }, address)
    }
  })

  const longPath = 'Az09-_.~/'.padEnd(100, 'x')
  const accepted: [title: string, init: RequestInit, bot?: Parameters<typeof provisionListeningBot>[1]][] = [
    ['when the flow requires no key the header is omitted, and a header that is sent is ignored', keyed('any')],
    ['a raw body of exactly 1 MiB is accepted', post(new Uint8Array(mib))],
    ['an empty body is accepted', post(new Uint8Array())],
    ['a binary body is accepted', post(Uint8Array.of(0, 255, 128))],
    ['all allowed characters work in a webhook path of 100 characters', post(), { path: longPath }],
    ['webhooks for a bot with hosting off are accepted', post(), { hostingEnabled: false }],
  ]
  for (const [title, init, wanted] of accepted) {
    test(title, async (t) => {
      const { world } = await openSetting(t)
      const { botId, path } = await provisionListeningBot(world.service, wanted)
      assert.equal((await ask(world, `/${botId}/${path}`, init)).status, 202)
    })
  }
})

const bodies: Readonly<Record<number, string>> = {
  401: '{"error": "Unauthorized."}',
  404: '{"error": "Not found."}',
  405: '{"error": "Method not allowed."}',
  413: '{"error": "Payload too large."}',
  500: '{"error": "Internal error."}',
  503: '{"error": "Webhook gateway unavailable."}',
}
const to = ({ botId, path }: ListeningBot) => `/${botId}/${path}`
const rows: [status: number, condition: string, send: (setting: Setting) => Promise<Received>][] = [
  [401, 'key required and missing', ({ world, keyed }) => ask(world, to(keyed), post())],
  [401, 'key required and wrong', ({ world, keyed: bot }) => ask(world, to(bot), keyed(`${bot.key}x`))],
  [404, 'no matching bot', ({ world, open }) => ask(world, `/nobody/${open.path}`, post())],
  [404, 'no matching path', ({ world, open }) => ask(world, `/${open.botId}/hooks/other`, post())],
  [405, 'method is not POST', ({ world, open }) => ask(world, to(open))],
  [413, 'body larger than 1 MiB', ({ world, open }) => ask(world, to(open), post(new Uint8Array(mib + 1)))],
  [
    500,
    'internal failure',
    async ({ world, open }) => {
      await hideTable(world, 'identity', 'flows')
      return ask(world, to(open), post())
    },
  ],
  [
    503,
    'gateway unavailable',
    async ({ world, open }) => {
      await hideTable(world, 'queue', eventsTable())
      return ask(world, to(open), post())
    },
  ],
]
for (const [status, condition, send] of rows) {
  test(`a webhook gets ${status} because of: ${condition}`, async (t) => {
    const received = await send(await openSetting(t))
    assert.deepEqual(received, { status, type: 'application/json', body: bodies[status] })
  })
}

describe('Webhook gateway: checks where the specification is silent', () => {
  test('every method but POST, standard or not, gets 405 with Allow: POST', async (t) => {
    const { world, open } = await openSetting(t)
    for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'BREW', 'post']) {
      const connection = await RawConnection.to(t, world.apiUrl)
      connection.write(`${method} /${open.botId}/${open.path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`)
      const { status, headers, body } = await connection.answer({ bodiless: method === 'HEAD' })
      assert.deepEqual([method, status, headers.allow], [method, 405, 'POST'])
      assert.equal(body, method === 'HEAD' ? '' : '{"error": "Method not allowed."}')
      assert.equal(headers['content-type'], 'application/json')
    }
  })

  test('the gateway checks the method before the size, the size before bot and path, these before the key, and the key before the queue', async (t) => {
    const { world, keyed } = await openSetting(t, { QUEUE_MAX_EVENTS_PER_BOT: '1' })
    const large = new Uint8Array(mib + 1)
    const statusOf = async (address: string, init: RequestInit) => (await ask(world, address, init)).status
    assert.equal(await statusOf('/nobody/x', { method: 'PUT', body: large }), 405)
    assert.equal(await statusOf('/nobody/x', post(large)), 413)
    assert.equal(await statusOf(`/${keyed.botId}/x`, post('', { 'svc-key': 'wrong' })), 404)
    assert.equal(await statusOf(`/${keyed.botId}/${keyed.path}`, { method: 'PUT', body: large }), 405)
    assert.equal(await statusOf(`/${keyed.botId}/${keyed.path}`, post(large)), 413)
    assert.equal(await statusOf('/nobody/no%20path', { method: 'DELETE' }), 405)

    // A sender without the key can’t see that the queue is full.
    const statuses = []
    for (const key of [keyed.key, keyed.key, 'no'])
      statuses.push(await statusOf(`/${keyed.botId}/${keyed.path}`, post('x', { 'svc-key': key })))
    assert.deepEqual(statuses, [202, 503, 401])
  })

  test('a chunked body is refused as soon as it is too large, and its sender can read the response', async (t) => {
    const { world, open } = await openSetting(t)
    for (const { botId, path } of [open, { botId: 'nobody', path: 'x' }]) {
      const connection = await RawConnection.to(t, world.apiUrl)
      connection.write(requestHead({ botId, path }, ['Transfer-Encoding: chunked']))
      // Sends twenty times the limit, without a final chunk.
      for (let sent = 0; sent < 20; sent += 1) await connection.flushed(chunkOf(mib))
      assert.deepEqual(pick(await connection.answer()), [413, '{"error": "Payload too large."}'])
      connection.reset()
    }
  })

  test('a sender that writes a large body to the end before reading still gets the response', async (t) => {
    const { world, open } = await openSetting(t)
    const connection = await RawConnection.to(t, world.apiUrl)
    await connection.flushed(requestHead(open, [`Content-Length: ${16 * mib}`]))
    await connection.flushed(new Uint8Array(16 * mib))
    assert.deepEqual(pick(await connection.answer()), [413, '{"error": "Payload too large."}'])
    await connection.ended()
  })
})

function chunkOf(bytes: number): Buffer {
  return Buffer.concat([Buffer.from(`${bytes.toString(16)}\r\n`), Buffer.alloc(bytes), Buffer.from('\r\n')])
}

const full = [503, '30', '{"error": "Webhook gateway unavailable."}']
const gatewayFull = /^gatehouse_webhooks_refused_total\{cause="queue-full"\} 2$/m
for (const [whose, env, room] of [
  ['a bot’s limit of events', { QUEUE_MAX_EVENTS_PER_BOT: '2' }, [1, 1]],
  ['a bot’s limit of bytes', { QUEUE_MAX_BYTES_PER_BOT: '100' }, [60, 40]],
  ['our choice: the gateway’s limit of events', { QUEUE_MAX_EVENTS: '2' }, [100, 100]],
  ['our choice: the gateway’s limit of bytes', { QUEUE_MAX_BYTES: '100' }, [60, 40]],
] as const) {
  test(`${whose}: webhooks beyond it get 503 with Retry-After until an event is finished`, async (t) => {
    const { world, open, keyed } = await openSetting(t, env)
    const ofOneBot = whose.startsWith('a bot')
    const send = async ({ botId, path, key }: ListeningBot, bytes: number) => {
      const init = post(new Uint8Array(bytes), { 'svc-key': key })
      const answer = await fetch(`${world.apiUrl}/${botId}/${path}`, init)
      return [answer.status, answer.headers.get('retry-after'), await answer.text()]
    }
    const accepted = [202, null, '{"ok": true}']
    assert.deepEqual(await send(open, room[0]), accepted)
    if (whose.endsWith('bytes')) assert.deepEqual(await send(open, room[1] + 1), full)
    assert.deepEqual(await send(ofOneBot ? open : keyed, room[1]), accepted)
    for (const bot of [open, keyed]) assert.deepEqual(await send(bot, 1), ofOneBot && bot === keyed ? accepted : full)
    if (whose === 'our choice: the gateway’s limit of events')
      assert.match(await (await fetch(`${world.controlUrl}/metrics`)).text(), gatewayFull)
    await discardEvents(world, open.botId)
    assert.deepEqual(await send(keyed, 1), accepted)
  })
}
