import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { provisionListeningBot } from '../support/listening-bot.ts'
import { RawConnection } from '../support/raw-http.ts'
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

describe('POST {api_url}/{botId}/{path}', () => {
  test('success is 202 with body {"ok": true}', async (t) => {
    const { world, open } = await openSetting(t)
    const answer = await ask(world, `/${open.botId}/${open.path}`, post('{"order": 7}'))
    assert.deepEqual(answer, { status: 202, type: 'application/json', body: '{"ok": true}' })
  })

  test('when the flow requires a key, the request carries header svc-key', async (t) => {
    const { world, keyed } = await openSetting(t)
    const answer = await ask(world, `/${keyed.botId}/${keyed.path}`, post('', { 'svc-key': keyed.key }))
    assert.equal(answer.status, 202)
  })

  test('when the flow requires no key the header is omitted, and a header that is sent is ignored', async (t) => {
    const { world, open } = await openSetting(t)
    assert.equal((await ask(world, `/${open.botId}/${open.path}`, post('', { 'svc-key': 'any' }))).status, 202)
  })

  test('a raw body of exactly 1 MiB, an empty body and a binary body are accepted', async (t) => {
    const { world, open } = await openSetting(t)
    for (const body of [new Uint8Array(mib), new Uint8Array(), Uint8Array.of(0, 255, 128)]) {
      assert.equal((await ask(world, `/${open.botId}/${open.path}`, post(body))).status, 202)
    }
  })

  test('all allowed characters work in a webhook path of 100 characters', async (t) => {
    const { world } = await openSetting(t)
    const path = 'Az09-_.~/'.padEnd(100, 'x')
    const bot = await provisionListeningBot(world.service, { botId: 'wordy', path })
    assert.equal((await ask(world, `/${bot.botId}/${path}`, post())).status, 202)
  })

  test('webhooks for a bot with hosting off are accepted', async (t) => {
    const { world } = await openSetting(t)
    const bot = await provisionListeningBot(world.service, { botId: 'sleeper', hostingEnabled: false })
    assert.equal((await ask(world, `/${bot.botId}/${bot.path}`, post())).status, 202)
  })
})

describe('Errors of the webhook gateway', () => {
  interface Row {
    status: number
    condition: string
    body: string
    send(setting: Setting): Promise<Received>
  }
  const rows: Row[] = [
    {
      status: 401,
      condition: 'key required and missing',
      body: '{"error": "Unauthorized."}',
      send: ({ world, keyed }) => ask(world, `/${keyed.botId}/${keyed.path}`, post()),
    },
    {
      status: 401,
      condition: 'key required and wrong',
      body: '{"error": "Unauthorized."}',
      send: ({ world, keyed }) => ask(world, `/${keyed.botId}/${keyed.path}`, post('', { 'svc-key': `${keyed.key}x` })),
    },
    {
      status: 404,
      condition: 'no matching bot',
      body: '{"error": "Not found."}',
      send: ({ world, open }) => ask(world, `/nobody/${open.path}`, post()),
    },
    {
      status: 404,
      condition: 'no matching path',
      body: '{"error": "Not found."}',
      send: ({ world, open }) => ask(world, `/${open.botId}/hooks/other`, post()),
    },
    {
      status: 405,
      condition: 'method is not POST',
      body: '{"error": "Method not allowed."}',
      send: ({ world, open }) => ask(world, `/${open.botId}/${open.path}`),
    },
    {
      status: 413,
      condition: 'body larger than 1 MiB',
      body: '{"error": "Payload too large."}',
      send: ({ world, open }) => ask(world, `/${open.botId}/${open.path}`, post(new Uint8Array(mib + 1))),
    },
    {
      status: 500,
      condition: 'internal failure',
      body: '{"error": "Internal error."}',
      async send({ world, open }) {
        await hideTable(world, 'identity', 'flows')
        return ask(world, `/${open.botId}/${open.path}`, post())
      },
    },
    {
      status: 503,
      condition: 'gateway unavailable',
      body: '{"error": "Webhook gateway unavailable."}',
      async send({ world, open }) {
        await hideTable(world, 'queue', eventsTable())
        return ask(world, `/${open.botId}/${open.path}`, post())
      },
    },
  ]
  for (const { status, condition, body, send } of rows) {
    test(`a webhook gets ${status} because of: ${condition}`, async (t) => {
      const received = await send(await openSetting(t))
      assert.deepEqual(received, { status, type: 'application/json', body })
    })
  }
})

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

  test('the gateway checks the method before the size, the size before bot and path, and these before the key', async (t) => {
    const { world, keyed } = await openSetting(t)
    const large = new Uint8Array(mib + 1)
    const statusOf = async (address: string, init: RequestInit) => (await ask(world, address, init)).status
    assert.equal(await statusOf('/nobody/x', { method: 'PUT', body: large }), 405)
    assert.equal(await statusOf('/nobody/x', post(large)), 413)
    assert.equal(await statusOf(`/${keyed.botId}/x`, post('', { 'svc-key': 'wrong' })), 404)
    assert.equal(await statusOf(`/${keyed.botId}/${keyed.path}`, { method: 'PUT', body: large }), 405)
    assert.equal(await statusOf(`/${keyed.botId}/${keyed.path}`, post(large)), 413)
    assert.equal(await statusOf('/nobody/no%20path', { method: 'DELETE' }), 405)
  })

  test('the gateway checks the key before the queue, so that a sender without the key can’t see that the queue is full', async (t) => {
    const { world, keyed } = await openSetting(t, { QUEUE_MAX_EVENTS_PER_BOT: '1' })
    const statusOf = async (key: string) =>
      (await ask(world, `/${keyed.botId}/${keyed.path}`, post('x', { 'svc-key': key }))).status
    assert.deepEqual([await statusOf(keyed.key), await statusOf(keyed.key), await statusOf('no')], [202, 503, 401])
  })

  test('a declared length over 1 MiB is refused before the body is sent', async (t) => {
    const { world, open } = await openSetting(t)
    const connection = await RawConnection.to(t, world.apiUrl)
    connection.write(requestHead(open, [`Content-Length: ${mib + 1}`]))
    const { status, headers, body } = await connection.answer()
    assert.deepEqual([status, body, headers.connection], [413, '{"error": "Payload too large."}', 'close'])
    connection.reset()
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
