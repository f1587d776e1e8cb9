import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { provisionListeningBot } from '../support/bot-runtime.ts'
import { RawConnection } from '../support/raw-http.ts'
import { pluck } from '../support/together.ts'
import { openWorld } from '../support/world.ts'
import { exchange } from './raw-exchange.ts'

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
    'Content-Length: -1',
    'Content-Length: five',
    'Content-Length:',
  ].map((doubtful) => current(`Host: a\r\n${doubtful}`, chunks)),
  old('Transfer-Encoding: chunked', chunks),
  old('Host: a\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked', chunks),
]

const valid = [
  current('Host: a\r\nContent-Length: 5', 'hello'),
  current('Host: a\r\nTransfer-Encoding: chunked', chunks),
  current('hOsT: a\r\nTransfer-Encoding: CHUNKED', chunks),
  current('Host:\r\nContent-Length: 5', 'hello'),
  old('Connection: keep-alive\r\nContent-Length: 5', 'hello'),
  old('Host: a\r\nConnection: keep-alive\r\nContent-Length: 5', 'hello'),
]

/** A generous timeout, because a busy machine may be slow to close the connection. */
const endWithinMs = 10_000
const listeners = ['baseUrl', 'apiUrl', 'portalUrl', 'controlUrl'] as const

describe('Only HTTP/1.0 and HTTP/1.1 are accepted', () => {
  for (const listener of listeners) {
    test(`${listener.slice(0, -3)} rejects every other version and protocol, closes the connection and executes nothing that follows`, async (t) => {
      const world = await openWorld(t)
      await provisionListeningBot(world.service)
      for (const request of [...otherVersions, ...badHeaders]) {
        for (const sent of [request, request + valid[0]]) {
          const { answers, left, ended } = await exchange(world[listener], Buffer.from(sent, 'latin1'), endWithinMs)
          const statuses = answers.map(({ status }) => status)
          assert.ok(
            statuses.length === 1 && [400, 505].includes(statuses[0] as number),
            `${JSON.stringify(sent)}: ${statuses}`,
          )
          assert.deepEqual([left, ended], ['', true], JSON.stringify(sent))
        }
      }
      assert.equal((await world.service.queue.figures()).accepted, 0)
    })
  }

  test('each listener rejects them in its own format', async (t) => {
    const world = await openWorld(t)
    const request = (accept: string) => `GET /sign-in HTTP/2.0\r\nHost: a\r\nAccept: ${accept}\r\n\r\n`
    const rejection = async (listener: (typeof listeners)[number], accept: string) => {
      const { answers } = await exchange(world[listener], Buffer.from(request(accept)), endWithinMs)
      return answers[0]?.body ?? ''
    }
    assert.equal(await rejection('apiUrl', '*/*'), '{"error": "Bad request."}')
    for (const listener of ['baseUrl', 'portalUrl'] as const)
      assert.equal(JSON.parse(await rejection(listener, '*/*')).error, 'invalid_request')
    assert.equal(JSON.parse(await rejection('controlUrl', '*/*')).status, 400)
    for (const listener of ['baseUrl', 'portalUrl'] as const)
      assert.match(await rejection(listener, 'text/html'), /^<!doctype html>/i)
  })

  test('valid requests are accepted, one after another and pipelined, also with HTTP/1.0 without Host', async (t) => {
    const world = await openWorld(t)
    await provisionListeningBot(world.service)
    const connection = await RawConnection.to(t, world.apiUrl)
    connection.write(valid.join(''))
    for (const request of valid) assert.equal((await connection.answer()).status, 202, request)
    for (const request of valid) {
      connection.write(request)
      const { status, headers } = await connection.answer()
      assert.deepEqual([status, headers.connection], [202, 'keep-alive'], request)
    }
    assert.equal((await world.service.queue.figures()).accepted, 2 * valid.length)
  })

  test('a webhook before a rejected request gets its response, and is stored', async (t) => {
    const world = await openWorld(t)
    await provisionListeningBot(world.service)
    for (const bad of [
      otherVersions[0],
      badHeaders[0],
      current('Host: a\r\nTransfer-Encoding: gzip, chunked', chunks),
    ]) {
      const { answers, ended } = await exchange(world.apiUrl, Buffer.from(`${valid[0]}${bad}${valid[0]}`), endWithinMs)
      assert.equal(answers[0]?.status, 202)
      assert.ok([400, 505].includes(answers[1]?.status as number))
      assert.deepEqual([answers.length, ended], [2, true])
    }
    assert.equal((await world.service.queue.figures()).accepted, 3)
  })

  test('our choice: a request after a rejected body is not executed', async (t) => {
    const world = await openWorld(t)
    await provisionListeningBot(world.service)
    const { answers } = await exchange(
      world.apiUrl,
      Buffer.from(current('Host: a\r\nContent-Length: 2000000', valid[0])),
    )
    assert.deepEqual(pluck(answers, 'status'), [413])
    assert.equal((await world.service.queue.figures()).accepted, 0)
  })

  test('a request in another protocol that arrives together with a webhook is not stored', async (t) => {
    const world = await openWorld(t)
    await provisionListeningBot(world.service)
    const { answers, ended } = await exchange(
      world.apiUrl,
      Buffer.from(`${valid[0]}${post} RTSP/1.0\r\nHost: a\r\n${hello}`),
      endWithinMs,
    )
    assert.deepEqual([answers.at(-1)?.status, ended], [400, true])
    assert.ok((await world.service.queue.figures()).accepted <= 1)
  })

  test('a runtime can’t connect with another version or without exactly one Host', async (t) => {
    const world = await openWorld(t)
    const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n'
    const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n'
    for (const line of [
      'HTTP/1.1\r\n',
      'HTTP/1.1\r\nHost: a\r\nHost: b\r\n',
      'HTTP/2.0\r\nHost: a\r\n',
      'HTTP/1.0\r\nHost: a\r\nHost: b\r\n',
    ]) {
      const request = Buffer.from(`GET /runtime ${line}${upgrade}${key}`)
      const { answers, ended } = await exchange(world.apiUrl, request, endWithinMs)
      assert.ok([400, 505].includes(answers[0]?.status as number), line)
      assert.deepEqual([answers.length, ended], [1, true], line)
    }
  })
})
