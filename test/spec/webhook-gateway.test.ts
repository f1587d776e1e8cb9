import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type ListeningBot, provisionListeningBot } from '../support/bot-runtime.ts'
import { figuresOf } from '../support/figures.ts'
import { RawConnection } from '../support/raw-http.ts'
import {
  discardEvents,
  eventsTable,
  type Gateway,
  gatewayBodies,
  openGateway,
  type Target,
} from '../support/webhook-senders.ts'
import { hideTable, inDatabase, type Part } from '../support/world-database.ts'

const tooLarge = new Uint8Array(1_048_577)
const withKey = (key: string) => ({ headers: { 'svc-key': key } })

describe('POST {api_url}/{botId}/{path}', () => {
  type Send = (gateway: Gateway) => ReturnType<Gateway['ask']>
  const toBot =
    (wanted: Parameters<typeof provisionListeningBot>[1]): Send =>
    async ({ world, ask }) =>
      ask(await provisionListeningBot(world.service, wanted))
  const withoutTable =
    (part: Part, table: string): Send =>
    async ({ world, open, ask }) => {
      await hideTable(world, part, table)
      return ask(open)
    }
  const longest = 'Az09-_.~/'.padEnd(100, 'x')
  const rows: [status: number, title: string, send: Send][] = [
    [202, 'success is 202 with body {"ok": true}', ({ open, ask }) => ask(open, { body: '{"order": 7}' })],
    [202, 'a query string is ignored', ({ open, ask }) => ask({ ...open, path: `${open.path}?a=%20&b=/../` })],
    [
      202,
      'when the flow requires a key, the request carries header svc-key',
      ({ keyed, ask }) => ask(keyed, withKey(keyed.key)),
    ],
    [
      202,
      'when the flow requires no key the header is omitted, and a header that is sent is ignored',
      ({ open, ask }) => ask(open, withKey('any')),
    ],
    [202, 'a raw body of exactly 1 MiB is accepted', ({ open, ask }) => ask(open, { body: tooLarge.subarray(1) })],
    [202, 'an empty body is accepted', ({ open, ask }) => ask(open, { body: new Uint8Array() })],
    [202, 'a binary body is accepted', ({ open, ask }) => ask(open, { body: Uint8Array.of(0, 255, 128) })],
    [202, 'all allowed characters work in a webhook path of 100 characters', toBot({ path: longest })],
    [202, 'webhooks for a bot with hosting off are accepted', toBot({ hostingEnabled: false })],
    [401, 'key required and missing', ({ keyed, ask }) => ask(keyed)],
    [401, 'key required and wrong', ({ keyed, ask }) => ask(keyed, withKey(`${keyed.key}x`))],
    [404, 'no matching bot', ({ open, ask }) => ask({ ...open, botId: 'nobody' })],
    [404, 'no matching path', ({ open, ask }) => ask({ ...open, path: 'hooks/other' })],
    [405, 'method is not POST', ({ open, ask }) => ask(open, { method: 'GET' })],
    [413, 'body larger than 1 MiB', ({ open, ask }) => ask(open, { body: tooLarge })],
    [500, 'internal failure', withoutTable('identity', 'flows')],
    [503, 'gateway unavailable', withoutTable('queue', eventsTable)],
  ]
  for (const [status, title, send] of rows) {
    test(status === 202 ? title : `a webhook gets ${status} because of: ${title}`, async (t) => {
      const received = await send(await openGateway(t))
      assert.deepEqual(received, { status, type: 'application/json', body: gatewayBodies[status] })
    })
  }
})

describe('Webhook gateway: checks where the specification is silent', () => {
  test('every method but POST, standard or not, gets 405 with Allow: POST', async (t) => {
    const { world, open } = await openGateway(t)
    for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'BREW', 'post']) {
      const connection = await RawConnection.to(t, world.apiUrl)
      connection.write(`${method} /${open.botId}/${open.path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`)
      const { status, headers, body } = await connection.answer({ bodiless: method === 'HEAD' })
      assert.deepEqual([method, status, headers.allow], [method, 405, 'POST'])
      assert.equal(body, method === 'HEAD' ? '' : gatewayBodies[405])
      assert.equal(headers['content-type'], 'application/json')
    }
  })

  test('the gateway checks the method before the size, the size before bot and path, these before the key, and the key before the queue', async (t) => {
    const { keyed, ask } = await openGateway(t, { QUEUE_MAX_EVENTS_PER_BOT: '1' })
    const nobody = { botId: 'nobody', path: 'x' }
    // A sender without the key can’t see that the queue is full.
    for (const [status, target, init] of [
      [405, nobody, { method: 'PUT', body: tooLarge }],
      [413, nobody, { body: tooLarge }],
      [404, { ...keyed, path: 'x' }, withKey('wrong')],
      [405, keyed, { method: 'PUT', body: tooLarge }],
      [413, keyed, { body: tooLarge }],
      [405, { botId: 'nobody', path: 'no%20path' }, { method: 'DELETE' }],
      [202, keyed, withKey(keyed.key)],
      [503, keyed, withKey(keyed.key)],
      [401, keyed, withKey('no')],
    ] as const) {
      assert.deepEqual([target, init, (await ask(target, init)).status], [target, init, status])
    }
  })

  test('the gateway’s 404 response is byte for byte the same for every cause, except for the date; a path that differs in case or slashes, has disallowed characters or over 100, or is percent-encoded returns it too', async (t) => {
    const { world, open, keyed } = await openGateway(t)
    const { bots } = world.service
    const deleted = await provisionListeningBot(world.service, { botId: 'gone' })
    await bots.records.remove(deleted.botId)
    const deaf = await provisionListeningBot(world.service, { botId: 'deaf' })
    await bots.flows.put(deaf.botId, deaf.flowId, { kind: 'event', name: 'Orders', webhook: null })
    const bot = (botId: string) => ({ botId, path: open.path })
    const targets: [string, Target][] = [
      ['unknown path where a key is required', { botId: keyed.botId, path: 'nothing' }],
      ['soft-deleted bot', deleted],
      ['flow without webhook', deaf],
      ...['nobody', open.botId.toUpperCase(), 'x'.repeat(65), '215215215215215215', 'gree%74er'].map(
        (botId): [string, Target] => [`bot ${botId}`, bot(botId)],
      ),
      ...[
        ...['nothing', 'Hooks/orders', 'hooks/orders/', 'hooks//orders', '/hooks/orders', 'hooks', 'hooks/./orders'],
        ...['hooks%2Forders', 'hooks/%6Frders', 'hooks/orders%00', 'hooks/orders%2F..%2Fmore'],
        ...['hooks/orders!', 'hooks/ördérs', 'hooks/a:b', 'hooks/orders;v=1', 'x'.repeat(101), ''],
      ].map((path): [string, Target] => [`path ${path}`, { botId: open.botId, path }]),
    ]
    const expected =
      'HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nContent-Length: 23\r\nConnection: close\r\n\r\n{"error": "Not found."}'
    for (const [what, { botId, path }] of targets) {
      for (const key of ['', 'svc-key: some\r\n']) {
        const connection = await RawConnection.to(t, world.apiUrl)
        const head = `Host: h\r\n${key}Content-Length: 2\r\nConnection: close\r\n\r\nhi`
        connection.write(Buffer.from(`POST /${botId}/${path} HTTP/1.1\r\n${head}`, 'latin1'))
        const text = (await connection.ended()).replace(/\r\nDate: [^\r]*/, '')
        assert.deepEqual([what, text], [what, expected])
      }
    }
  })

  test('any other gateway URL returns 404 with the gateway’s error body', async (t) => {
    const { world } = await openGateway(t)
    // Only GET opens a WebSocket (RFC 6455 section 4.1).
    for (const request of [
      ...['GET /', 'POST /', 'GET /nothing', 'POST /nothing', 'POST /health', 'GET /Health', 'GET /runtime'],
      ...['OPTIONS *', 'POST http://hooks.example', 'POST /runtime'],
    ]) {
      const connection = await RawConnection.to(t, world.apiUrl)
      const upgrade = request === 'POST /runtime' ? 'Upgrade\r\nUpgrade: websocket' : 'close'
      connection.write(`${request} HTTP/1.1\r\nHost: a\r\nConnection: ${upgrade}\r\n\r\n`)
      const { status, headers, body } = await connection.answer()
      assert.deepEqual([status, headers['content-type'], body], [404, 'application/json', gatewayBodies[404]], request)
      connection.reset()
    }
  })
})

for (const [whose, env, room] of [
  ['a bot’s limit of events', { QUEUE_MAX_EVENTS_PER_BOT: '2' }, [1, 1]],
  ['a bot’s limit of bytes', { QUEUE_MAX_BYTES_PER_BOT: '100' }, [60, 40]],
  ['our choice: the gateway’s limit of events', { QUEUE_MAX_EVENTS: '2' }, [100, 100]],
  ['our choice: the gateway’s limit of bytes', { QUEUE_MAX_BYTES: '100' }, [60, 40]],
] as const) {
  test(`${whose}: webhooks beyond it get 503 with Retry-After until an event is finished`, async (t) => {
    const { world, open, keyed } = await openGateway(t, env)
    const ofOneBot = whose.startsWith('a bot')
    const send = async ({ botId, path, key }: ListeningBot, bytes: number) => {
      const init = { method: 'POST', body: new Uint8Array(bytes), ...withKey(key) }
      const answer = await fetch(`${world.apiUrl}/${botId}/${path}`, init)
      return [answer.status, answer.headers.get('retry-after'), await answer.text()]
    }
    const accepted = [202, null, gatewayBodies[202]]
    const full = [503, '30', gatewayBodies[503]]
    assert.deepEqual(await send(open, room[0]), accepted)
    if (whose.endsWith('bytes')) assert.deepEqual(await send(open, room[1] + 1), full)
    assert.deepEqual(await send(ofOneBot ? open : keyed, room[1]), accepted)
    for (const bot of [open, keyed]) assert.deepEqual(await send(bot, 1), ofOneBot && bot === keyed ? accepted : full)
    if (whose === 'our choice: the gateway’s limit of events')
      assert.equal((await figuresOf(world))['webhooks_refused_total{cause="queue-full"}'], 2)
    await discardEvents(world, open.botId)
    assert.deepEqual(await send(keyed, 1), accepted)
  })
}

test('a webhook path or key that another process added works on the next request', async (t) => {
  const { world, open, keyed, ask } = await openGateway(t)
  const statusOf = async (target: Target, key = keyed.key) => (await ask(target, withKey(key))).status
  assert.deepEqual([await statusOf(open), await statusOf(keyed)], [202, 202])
  const digest = Buffer.from(world.service.secrets.digest('another')).toString('hex')
  const change = `UPDATE flows SET webhook_path = 'hooks/elsewhere' WHERE bot_id = '${open.botId}'`
  await inDatabase(world, 'identity', change)
  await inDatabase(world, 'identity', {
    sqlite: `UPDATE flow_keys SET digest = x'${digest}' WHERE bot_id = '${keyed.botId}'`,
    postgres: `UPDATE flow_keys SET digest = '\\x${digest}' WHERE bot_id = '${keyed.botId}'`,
  })
  assert.equal(await statusOf({ ...open, path: 'hooks/elsewhere' }), 202)
  assert.equal(await statusOf(keyed, 'another'), 202)
})

for (const [what, change, status] of [
  ['a path', `UPDATE flows SET webhook_path = 'hooks/elsewhere' WHERE bot_id = 'guard'`, 404],
  ['a webhook', `UPDATE flows SET webhook_path = NULL WHERE bot_id = 'guard'`, 404],
  ['a flow', `DELETE FROM flows WHERE bot_id = 'guard'`, 404],
  ['a bot', `UPDATE bots SET deleted_at_ms = 1 WHERE id = 'guard'`, 404],
  ['a key', `UPDATE flow_keys SET ends_at_ms = 1 WHERE bot_id = 'guard'`, 401],
] as const) {
  test(`${what} that another process removed is refused within 5 s, even if used constantly`, async (t) => {
    const { world, keyed, ask } = await openGateway(t)
    const use = async () => (await ask(keyed, withKey(keyed.key))).status
    assert.equal(await use(), 202)
    await inDatabase(world, 'identity', change)
    for (let second = 1; second < 5; second += 1) {
      await world.clock.advance(1_000)
      await use()
    }
    await world.clock.advance(1_000)
    assert.equal(await use(), status)
  })
}
