import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { provisionListeningBot } from '../support/bot-runtime.ts'
import { eventually } from '../support/eventually.ts'
import { provision } from '../support/people.ts'
import { RawConnection } from '../support/raw-http.ts'
import { gatewayBodies, openGateway, putWebhook, storedBodies, type Target } from '../support/webhook-senders.ts'
import { storageOfRun } from '../support/world.ts'
import { waitingForLocks, whileLocked } from '../support/world-database.ts'

const mib = 1_048_576
/** The bot without a key that {@link openGateway} opens. A constant, so that the tables can hold whole requests. */
const open = { botId: 'greeter', path: 'hooks/orders' }
/** A bot that doesn’t exist. */
const nobody = { botId: 'nobody', path: 'x' }
const chunked = ['Transfer-Encoding: chunked']

/** Returns the request line and headers of a webhook. */
const head = ({ botId, path }: Target, headers: string[] = [], version = 'HTTP/1.1\r\nHost: localhost') =>
  [`POST /${botId}/${path} ${version}`, ...headers, '', ''].join('\r\n')
/** Returns a webhook with the body `hello`. */
const hello = (target: Target, headers: string[] = [], version?: string) =>
  `${head(target, ['Content-Length: 5', ...headers], version)}hello`

/** Reads a response and asserts that it has the body of its status. Returns the status and the header Connection. */
async function answerOf(connection: RawConnection, bodiless = false): Promise<string> {
  const { status, headers, body } = await connection.answer({ bodiless })
  assert.equal(body, bodiless || status < 200 ? '' : gatewayBodies[status])
  return `${status} ${headers.connection ?? ''}`
}

describe('Webhook gateway: HTTP', () => {
  const upgrade = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA']
  const closing = ['Connection: close']
  const absolute = hello(open).replace('POST ', 'POST http://hooks.example')
  const rows: [title: string, request: string, answers: string[], stored: string[]][] = [
    ['an unknown value of Expect is ignored', hello(open, ['Expect: 200-maybe']), ['202 keep-alive'], ['hello']],
    ['a request without a length has no body', head(open), ['202 keep-alive'], ['']],
    ['an offer to upgrade to another protocol is ignored', hello(open, upgrade), ['202 keep-alive'], ['hello']],
    ['a URL in absolute form is accepted (RFC 9112 section 3.2.2)', absolute, ['202 keep-alive'], ['hello']],
    ['Connection: close is honoured, after success', hello(open, closing), ['202 close'], ['hello']],
    ['Connection: close is honoured, after a rejection', hello(nobody, closing), ['404 close'], []],
    ['HTTP/1.0 closes the connection after success', hello(open, [], 'HTTP/1.0'), ['202 close'], ['hello']],
    ['HTTP/1.0 closes the connection after a rejection', hello(nobody, [], 'HTTP/1.0'), ['404 close'], []],
    [
      'HTTP/1.0 keeps the connection if requested',
      hello(nobody, ['Connection: keep-alive'], 'HTTP/1.0') + hello(open),
      ['404 keep-alive', '202 keep-alive'],
      ['hello'],
    ],
    ['malformed chunks return 400', `${head(open, chunked)}2\r\nhi\r\nno length\r\n`, ['400 close'], []],
    ['a sender that ends before its declared length gets 400', hello(open).slice(0, -1), ['400 close'], []],
    ['headers above 16 KiB return 431', head(open, [`X-Long: ${'x'.repeat(20_000)}`]), ['431 close'], []],
    [
      'a sender that half-closes the connection after its requests still gets the responses',
      hello(open).repeat(2),
      ['202 keep-alive', '202 keep-alive'],
      ['hello', 'hello'],
    ],
    [
      'bytes beyond the declared length are not part of the body; they are answered as a separate request',
      `${hello(open)}, and more`,
      ['202 keep-alive', '405 close'],
      ['hello'],
    ],
    [
      'the response to malformed bytes comes last, after those to all earlier requests',
      `${hello(open).repeat(2)}POST /no HTTP/9.9 at all\r\n\r\n${'x'.repeat(mib)}`,
      ['202 keep-alive', '202 keep-alive', '400 close'],
      ['hello', 'hello'],
    ],
  ]
  for (const [title, request, answers, stored] of rows) {
    test(`our choice: ${title}`, async (t) => {
      const { world, open: bot } = await openGateway(t)
      const connection = await RawConnection.to(t, world.apiUrl)
      connection.write(request)
      if (/ends before|half-closes/.test(title)) connection.finish()
      const received: string[] = []
      while (received.length < answers.length) received.push(await answerOf(connection))
      assert.deepEqual(received, answers)
      assert.deepEqual(await storedBodies(world, bot.botId), stored)
      if (answers.at(-1)?.endsWith('close') || title.includes('half-closes')) assert.equal(await connection.ended(), '')
    })
  }

  test('our choice: 100 Continue is sent only if the gateway would accept the body, and bot, flow and key are checked again after the body', async (t) => {
    const { world, open: bot, keyed } = await openGateway(t)
    const brief = await provisionListeningBot(world.service, { botId: 'brief' })
    const remove = (path: string) => () => provision(world, 'DELETE', `/v1/bots/${path}`)
    const replaceKey = () => putWebhook(world, keyed, { requiresKey: true, key: 'another-key' })
    const rows: [target: Target, length: number, answers: string[], change?: () => Promise<unknown>][] = [
      [open, 5, ['100 ', '202 keep-alive'], () => putWebhook(world, bot, { ordered: true })],
      [open, mib + 1, ['413 close']],
      [nobody, 5, ['404 close']],
      [keyed, 5, ['100 ', '401 keep-alive'], replaceKey],
      [keyed, 5, ['401 close']],
      [brief, 5, ['100 ', '404 keep-alive'], remove('brief')],
      [open, 5, ['100 ', '404 keep-alive'], remove('greeter/flows/orders')],
    ]
    for (const [target, length, answers, change] of rows) {
      const connection = await RawConnection.to(t, world.apiUrl)
      connection.write(head(target, [`Content-Length: ${length}`, 'Expect: 100-continue', `svc-key: ${keyed.key}`]))
      const received = [await answerOf(connection)]
      await change?.()
      // A sender that is refused may still send its body.
      connection.write('hello')
      if (received[0] === '100 ') received.push(await answerOf(connection))
      else assert.equal(await connection.ended(), '')
      assert.deepEqual(received, answers)
    }
    assert.deepEqual([await storedBodies(world, bot.botId), await storedBodies(world, keyed.botId)], [['hello'], []])
  })

  test('our choice: a connection stays open after each kind of response, except 413', async (t) => {
    const { world, keyed } = await openGateway(t, { QUEUE_MAX_EVENTS_PER_BOT: '1' })
    const connection = await RawConnection.to(t, world.apiUrl)
    for (const [answer, request] of [
      ['202 keep-alive', hello(open)],
      ['503 keep-alive', hello(open)],
      ['404 keep-alive', hello(nobody)],
      ['401 keep-alive', hello(keyed)],
      ['405 keep-alive', hello(open).replace('POST', 'PUT')],
      ['405 keep-alive', hello(open).replace('POST', 'OPTIONS')],
      ['404 keep-alive', `${head(nobody, chunked)}5\r\nhello\r\n0\r\n\r\n`],
      ['202 keep-alive', hello(keyed, [`svc-key: ${keyed.key}`])],
      ['405 keep-alive', head(open).replace('POST', 'HEAD')],
      ['413 close', head(open, [`Content-Length: ${mib + 1}`])],
    ] as const) {
      connection.write(request)
      assert.deepEqual([request, await answerOf(connection, request.startsWith('HEAD'))], [request, answer])
    }
    connection.finish()
    assert.equal(await connection.ended(), '')
  })

  test('our choice: a connection reset in the middle of a body creates no event', async (t) => {
    const { world, ask } = await openGateway(t, { QUEUE_MAX_EVENTS_PER_BOT: '1' })
    const connection = await RawConnection.to(t, world.apiUrl)
    await connection.flushed(hello(open).slice(0, -1))
    connection.reset()
    assert.equal((await ask(open)).status, 202)
  })

  test('a chunked body is refused as soon as it is too large, and its sender can read the response', async (t) => {
    const { world, keyed } = await openGateway(t)
    for (const target of [open, nobody]) {
      const connection = await RawConnection.to(t, world.apiUrl)
      connection.write(head(target, chunked))
      // Sends twenty times the limit, without a final chunk.
      for (let sent = 0; sent < 20; sent += 1) await connection.flushed(`100000\r\n${'x'.repeat(mib)}\r\n`)
      assert.equal(await answerOf(connection), '413 close')
      connection.reset()
    }
    // On PostgreSQL, the body arrives completely while the flow is read.
    for (const target of [nobody, keyed]) {
      const connection = await RawConnection.to(t, world.apiUrl)
      const body = `100001\r\n${'x'.repeat(mib + 1)}\r\n0\r\n\r\n`
      const send = async () => {
        await connection.flushed(head(target, chunked) + body)
        if (storageOfRun === 'postgres') await eventually(async () => (await waitingForLocks(world)) > 0 || undefined)
      }
      await (storageOfRun === 'postgres' ? whileLocked(world, 'flows', send) : send())
      assert.equal(await answerOf(connection), '413 close')
    }
  })

  test('a sender that writes a large body to the end before reading still gets the response', async (t) => {
    const { world } = await openGateway(t)
    const connection = await RawConnection.to(t, world.apiUrl)
    await connection.flushed(head(open, [`Content-Length: ${16 * mib}`]))
    await connection.flushed(new Uint8Array(16 * mib))
    assert.equal(await answerOf(connection), '413 close')
    await connection.ended()
  })
})
