import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { provisionListeningBot } from '../support/bot-runtime.ts'
import { RawConnection } from '../support/raw-http.ts'
import { pluck } from '../support/together.ts'
import { openWorld } from '../support/world.ts'

const post = 'POST /greeter/hooks/orders'
const hello = 'Content-Length: 5\r\n\r\nhello'

/** Requests in other protocols and versions, some of which Node's parser reports as HTTP/1.0 or 1.1. */
const otherVersions = [
  `${post}\nHost: a\r\n${hello}`,
  `${post}\r\nHost: a\r\n${hello}`,
  `${post} \r\nHost: a\r\n${hello}`,
  ...['HTTP/0.9', 'HTTP/1.2', 'HTTP/2.0', 'HTTP/1.10', 'http/1.1', 'RTSP/1.0', 'ICE/1.0', 'SIP/2.0'].map(
    (version) => `${post} ${version}\r\nHost: a\r\n${hello}`,
  ),
  `\r\n\r\n${post} RTSP/1.0\r\nHost: a\r\n${hello}`,
  'POST  /greeter/hooks/orders   RTSP/1.0\r\nHost: a\r\n\r\n',
  `SOURCE /greeter/hooks/orders ICE/1.0\r\nHost: a\r\n${hello}`,
  `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n`,
]

const current = (headers: string, body = '') => `${post} HTTP/1.1\r\n${headers}\r\n\r\n${body}`
const old = (headers: string, body = '') => `${post} HTTP/1.0\r\n${headers}\r\n\r\n${body}`
const chunks = '5\r\nhello\r\n0\r\n\r\n'

const badHeaders = [
  current('Content-Length: 5', 'hello'),
  current('Host: a\r\nHost: a\r\nContent-Length: 5', 'hello'),
  current('Host: a\r\nHost: a\r\nExpect: 200-ok\r\nContent-Length: 5', 'hello'),
  current('Host: a\r\nContent-Length: 5\r\nhOST: b', 'hello'),
  old('Host: a\r\nHost: b\r\nContent-Length: 5', 'hello'),
  ...['gzip, chunked', 'chunked, chunked', 'identity', 'chunked;q=1', ', chunked', ''].map((coding) =>
    current(`Host: a\r\nTransfer-Encoding: ${coding}`, chunks),
  ),
  current('Host: a\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked', chunks),
  current('Host: a\r\nContent-Length: 5\r\nTransfer-Encoding: gzip, chunked', chunks),
  ...[
    'Transfer-Encoding: chunked\r\nContent-Length: 13',
    'Content-Length: 13\r\nContent-Length: 0',
    'Content-Length: 13\r\nTransfer-Encoding : chunked',
    'Content-Length: 13\r\n Transfer-Encoding: chunked',
    'Content-Length: 13\r\nTransfer-Encoding: xchunked',
    'Content-Length: 13\r\nTransfer-Encoding:\vchunked',
    'Content-Length: 13\r\nX: a\rTransfer-Encoding: chunked',
    'Content-Length: 13\r\nX: a\nTransfer-Encoding: chunked',
    'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity',
    'Transfer-Encoding: chunked, identity',
    ...['-1', '+13', '13, 13', '13\r\nContent-Length: 13', '99999999999999999999', 'five', ''].map(
      (length) => `Content-Length: ${length}`,
    ),
  ].map((doubtful) => current(`Host: a\r\n${doubtful}`, chunks)),
  old('Transfer-Encoding: chunked', chunks),
  old('Host: a\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked', chunks),
]

const badChunks = [
  ...['-1', '+5', '0x5', 'g', '', ' 5', 'ffffffffffffffffff', `5;${'x'.repeat(20_000)}`].map(
    (size) => `${size}\r\nhello\r\n0\r\n\r\n`,
  ),
  '5\r\nhello, and more\r\n0\r\n\r\n',
  '5\r\nhello\r\n0\r\nodd\r\n\r\n',
  '5\r\nhello\r\n0\n\n',
  '5\nhello\n0\n\n',
  '5\r\nhello0\r\n\r\n',
  '5\r\nhello\r\n0\r\nContent-Length: 5\r\n\r\n',
].map((chunks) => current('Host: a\r\nTransfer-Encoding: chunked', chunks))

const valid = [
  current('Host: a\r\nContent-Length: 5', 'hello'),
  current('Host: a\r\nTransfer-Encoding: chunked', chunks),
  current('hOsT: a\r\nTransfer-Encoding: CHUNKED', chunks),
  current('Host:\r\nContent-Length: 5', 'hello'),
  old('Connection: keep-alive\r\nContent-Length: 5', 'hello'),
  old('Host: a\r\nConnection: keep-alive\r\nContent-Length: 5', 'hello'),
]

const listeners = ['baseUrl', 'apiUrl', 'portalUrl', 'controlUrl'] as const

async function openExchange(t: TestContext) {
  const world = await openWorld(t)
  await provisionListeningBot(world.service)
  return {
    world,
    /** Sends the text on a new connection. A busy machine may be slow to close it. */
    exchange: async (text: string, listener: (typeof listeners)[number] = 'apiUrl') =>
      (await RawConnection.to(t, world[listener])).exchange(Buffer.from(text, 'latin1'), 10_000),
    accepted: async () => (await world.service.queue.figures()).accepted,
  }
}

function assertRejected({ answers, left, ended }: Awaited<ReturnType<RawConnection['exchange']>>, said: string): void {
  assert.ok([400, 505].includes(answers[0]?.status ?? 0), said)
  assert.deepEqual([answers.length, left, ended], [1, '', true], said)
}

describe('Only HTTP/1.0 and HTTP/1.1 are accepted', () => {
  for (const listener of listeners) {
    test(`${listener.slice(0, -3)} rejects every other version and protocol, closes the connection and executes nothing that follows`, async (t) => {
      const { exchange, accepted } = await openExchange(t)
      for (const request of [...otherVersions, ...badHeaders]) {
        for (const sent of [request, request + valid[0]])
          assertRejected(await exchange(sent, listener), JSON.stringify(sent))
      }
      for (const request of badChunks) {
        const { answers, left, ended } = await exchange(request + valid[0], listener)
        assert.deepEqual([left, ended], ['', true], request)
        const statuses = pluck(answers, 'status').join()
        // The other listeners may respond to the headers before they read the body, but not to the request after it.
        const allowed = listener === 'apiUrl' ? ['400'] : ['400', '404', '404,400', '421', '421,400']
        assert.ok(allowed.includes(statuses), `${statuses} ${request}`)
      }
      assert.equal(await accepted(), 0)
    })
  }

  test('valid requests are accepted, one after another and pipelined, also with HTTP/1.0 without Host', async (t) => {
    const { world, accepted } = await openExchange(t)
    const connection = await RawConnection.to(t, world.apiUrl)
    connection.write(valid.join(''))
    for (const request of valid) assert.equal((await connection.answer()).status, 202, request)
    for (const request of valid) {
      connection.write(request)
      const { status, headers } = await connection.answer()
      assert.deepEqual([status, headers.connection], [202, 'keep-alive'], request)
    }
    assert.equal(await accepted(), 2 * valid.length)
  })

  test('a webhook before a rejected request gets its response, and is stored', async (t) => {
    const { exchange, accepted } = await openExchange(t)
    const compressed = current('Host: a\r\nTransfer-Encoding: gzip, chunked', chunks)
    for (const bad of [otherVersions[0], badHeaders[0], compressed]) {
      const { answers, ...rest } = await exchange(`${valid[0]}${bad}${valid[0]}`)
      assert.equal(answers[0]?.status, 202)
      assertRejected({ answers: answers.slice(1), ...rest }, bad ?? '')
    }
    assert.equal(await accepted(), 3)
  })

  test('our choice: a request after a rejected body is not executed', async (t) => {
    const { world, accepted } = await openExchange(t)
    const connection = await RawConnection.to(t, world.apiUrl)
    const { answers } = await connection.exchange(current('Host: a\r\nContent-Length: 2000000', valid[0]))
    assert.deepEqual(pluck(answers, 'status'), [413])
    assert.equal(await accepted(), 0)
  })

  test('a request in another protocol that arrives together with a webhook is not stored', async (t) => {
    const { exchange, accepted } = await openExchange(t)
    const { answers, ended } = await exchange(`${valid[0]}${post} RTSP/1.0\r\nHost: a\r\n${hello}`)
    assert.deepEqual([answers.at(-1)?.status, ended], [400, true])
    assert.ok((await accepted()) <= 1)
  })

  test('a runtime can’t connect with another version or without exactly one Host', async (t) => {
    const { exchange } = await openExchange(t)
    const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n'
    const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n'
    for (const line of [
      'HTTP/1.1\r\n',
      'HTTP/1.1\r\nHost: a\r\nHost: b\r\n',
      'HTTP/2.0\r\nHost: a\r\n',
      'HTTP/1.0\r\nHost: a\r\nHost: b\r\n',
    ]) {
      assertRejected(await exchange(`GET /runtime ${line}${upgrade}${key}`), line)
    }
  })
})
