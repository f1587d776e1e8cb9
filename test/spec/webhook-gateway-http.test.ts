import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ListeningBot } from '../support/bot-runtime.ts'
import { RawConnection } from '../support/raw-http.ts'
import type { World } from '../support/world.ts'
import { inDatabase } from '../support/world-database.ts'
import { ask, eventsTable, openSetting, pick, post, requestHead } from './webhook-gateway-scene.ts'

const mib = 1_048_576

describe('Webhook gateway: HTTP', () => {
  test('our choice: 100 Continue is sent only if the gateway would accept the body', async (t) => {
    const { world, open, keyed } = await openSetting(t)
    const asking = async (bot: { botId: string; path: string }, length: number) => {
      const connection = await RawConnection.to(t, world.apiUrl)
      connection.write(requestHead(bot, [`Content-Length: ${length}`, 'Expect: 100-continue']))
      return { connection, first: await connection.answer() }
    }
    const refused = async (bot: { botId: string; path: string }, length: number) => {
      const { connection, first } = await asking(bot, length)
      connection.reset()
      return first.status
    }
    const wanted = await asking(open, 5)
    assert.equal(wanted.first.status, 100)
    wanted.connection.write('hello')
    assert.deepEqual(pick(await wanted.connection.answer()), [202, '{"ok": true}'])

    assert.equal(await refused(open, mib + 1), 413)
    assert.equal(await refused({ botId: 'nobody', path: 'x' }, 5), 404)

    // A sender that is refused may still send its body.
    const { connection, first } = await asking(keyed, 5)
    assert.deepEqual([first.status, first.headers.connection], [401, 'close'])
    connection.write('hello')
    assert.equal(await connection.ended(), '')
  })

  test('our choice: a connection stays open after each kind of response, except 413', async (t) => {
    const { world, open, keyed } = await openSetting(t, { QUEUE_MAX_EVENTS_PER_BOT: '1' })
    const to = ({ botId, path }: { botId: string; path: string }, method = 'POST', more: string[] = []) =>
      `${requestHead({ botId, path }, ['Content-Length: 5', ...more]).replace('POST', method)}hello`
    const chunked = requestHead({ botId: 'nobody', path: 'x' }, ['Transfer-Encoding: chunked'])
    const rows: [number, string][] = [
      [202, to(open)],
      [503, to(open)],
      [404, to({ botId: 'nobody', path: 'x' })],
      [401, to(keyed)],
      [405, to(open, 'PUT')],
      [405, to(open, 'OPTIONS')],
      [404, `${chunked}5\r\nhello\r\n0\r\n\r\n`],
      [202, to(keyed, 'POST', [`svc-key: ${keyed.key}`])],
      [405, `HEAD /${open.botId}/${open.path} HTTP/1.1\r\nHost: h\r\n\r\n`],
      [413, requestHead(open, [`Content-Length: ${mib + 1}`])],
    ]
    const connection = await RawConnection.to(t, world.apiUrl)
    for (const [status, request] of rows) {
      connection.write(request)
      const answer = await connection.answer({ bodiless: request.startsWith('HEAD') })
      assert.deepEqual([request, answer.status], [request, status])
      assert.equal(answer.headers.connection, status === 413 ? 'close' : 'keep-alive')
    }
    connection.finish()
    assert.equal(await connection.ended(), '')
  })

  test('our choice: Connection: close is honoured, and HTTP/1.0 closes unless keep-alive is requested', async (t) => {
    const { world, open } = await openSetting(t)
    const rows: [string, string][] = [
      ['HTTP/1.1\r\nHost: h\r\nConnection: close', 'close'],
      ['HTTP/1.0', 'close'],
      ['HTTP/1.0\r\nConnection: keep-alive', 'keep-alive'],
    ]
    for (const [version, stays] of rows) {
      for (const [path, status] of [
        [open.path, 202],
        ['nothing', 404],
      ] as const) {
        const connection = await RawConnection.to(t, world.apiUrl)
        connection.write(`POST /${open.botId}/${path} ${version}\r\nContent-Length: 5\r\n\r\nhello`)
        const answer = await connection.answer()
        assert.deepEqual([version, answer.status, answer.headers.connection], [version, status, stays])
        if (stays === 'close') assert.equal(await connection.ended(), '')
        else connection.reset()
      }
    }
    assert.deepEqual(await storedBodies(world), ['hello', 'hello', 'hello'])
  })

  const accepted = [202, '{"ok": true}']
  const bad = [400, '{"error": "Bad request."}']
  const upgrade = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA']
  const two =
    (headers: string[], body = 'hello') =>
    (open: ListeningBot) =>
      `${requestHead(open, headers)}${body}`
  const rows: [title: string, request: (open: ListeningBot) => string, answer: unknown[], stored: string[]][] = [
    [
      'an unknown value of the header Expect is ignored',
      two(['Content-Length: 5', 'Expect: 200-maybe']),
      accepted,
      ['hello'],
    ],
    ['a request without a length has no body', two([], ''), accepted, ['']],
    ['an offer to upgrade to another protocol is ignored', two([...upgrade, 'Content-Length: 5']), accepted, ['hello']],
    [
      'a URL in absolute form is accepted (RFC 9112 section 3.2.2)',
      ({ botId, path }) =>
        `POST http://hooks.example/${botId}/${path} HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n`,
      accepted,
      [''],
    ],
    ['malformed HTTP returns 400', () => 'POST /a/b HTTP/1.1 or so\r\n\r\n', bad, []],
    ['malformed chunks return 400', two(['Transfer-Encoding: chunked'], '2\r\nhi\r\nno length\r\n'), bad, []],
    ['a sender that ends before its declared length gets 400', two(['Content-Length: 10'], 'half'), bad, []],
    [
      'headers above 16 KiB return 431',
      two([`X-Long: ${'x'.repeat(20_000)}`], ''),
      [431, '{"error": "Request header fields too large."}'],
      [],
    ],
  ]
  for (const [title, request, answer, stored] of rows) {
    test(`our choice: ${title}`, async (t) => {
      const { world, open } = await openSetting(t)
      const connection = await RawConnection.to(t, world.apiUrl)
      connection.write(request(open))
      if (title.includes('ends before')) connection.finish()
      const received = await connection.answer()
      assert.deepEqual(pick(received), answer)
      assert.deepEqual(await storedBodies(world), stored)
      if (stored.length > 0) return
      assert.equal(received.headers.connection, 'close')
      assert.equal(await connection.ended(), '')
    })
  }

  test('our choice: OPTIONS * and a POST to an absolute URL without a path return 404; TRACE returns 405', async (t) => {
    const { world } = await openSetting(t)
    for (const [line, status] of [
      ['OPTIONS * HTTP/1.1', 404],
      ['TRACE /greeter/hooks/orders HTTP/1.1', 405],
      ['POST http://hooks.example HTTP/1.1', 404],
    ] as const) {
      const connection = await RawConnection.to(t, world.apiUrl)
      connection.write(`${line}\r\nHost: h\r\nConnection: close\r\n\r\n`)
      assert.deepEqual([line, (await connection.answer()).status], [line, status])
      await connection.ended()
    }
  })

  test('our choice: bytes beyond the declared length are not part of the body; they are answered as a separate request', async (t) => {
    const { world, open } = await openSetting(t, { QUEUE_MAX_EVENTS_PER_BOT: '1' })
    const connection = await RawConnection.to(t, world.apiUrl)
    connection.write(`${requestHead(open, ['Content-Length: 2'])}hi, and more`)
    assert.deepEqual(pick(await connection.answer()), [202, '{"ok": true}'])
    const { status, headers, body } = await connection.answer()
    assert.deepEqual([status, body, headers.connection], [405, '{"error": "Method not allowed."}', 'close'])
    assert.equal(await connection.ended(), '')
    assert.deepEqual(await storedBodies(world), ['hi'])
  })

  test('our choice: the response to malformed bytes comes last, after those to all earlier requests', async (t) => {
    const { world, open } = await openSetting(t)
    const connection = await RawConnection.to(t, world.apiUrl)
    const good = `${requestHead(open, ['Content-Length: 2'])}hi`
    connection.write(`${good}${good}POST /no HTTP/9.9 at all\r\n\r\n`)
    await connection.flushed(Buffer.alloc(mib, 'x'))
    const answers = [await connection.answer(), await connection.answer(), await connection.answer()]
    assert.deepEqual(answers.map(pick), [
      [202, '{"ok": true}'],
      [202, '{"ok": true}'],
      [400, '{"error": "Bad request."}'],
    ])
    assert.equal(await connection.ended(), '')
  })

  test('our choice: a sender that half-closes the connection after its requests still gets the responses', async (t) => {
    const { world, open } = await openSetting(t)
    const connection = await RawConnection.to(t, world.apiUrl)
    connection.write(`${requestHead(open, ['Content-Length: 2'])}hi`.repeat(2))
    connection.finish()
    assert.deepEqual(pick(await connection.answer()), [202, '{"ok": true}'])
    assert.deepEqual(pick(await connection.answer()), [202, '{"ok": true}'])
    assert.equal(await connection.ended(), '')
  })

  test('our choice: a connection reset in the middle of a body creates no event', async (t) => {
    const { world, open } = await openSetting(t, { QUEUE_MAX_EVENTS_PER_BOT: '1' })
    const connection = await RawConnection.to(t, world.apiUrl)
    await connection.flushed(`${requestHead(open, ['Content-Length: 10'])}half`)
    connection.reset()
    assert.equal((await ask(world, `/${open.botId}/${open.path}`, post('whole'))).status, 202)
  })
})

/** Returns the bodies of all accepted events, in the order accepted. */
async function storedBodies(world: World): Promise<string[]> {
  const rows = await inDatabase(world, 'queue', `SELECT body FROM ${eventsTable()} ORDER BY number`)
  return rows.map(({ body }) => Buffer.from(body as Uint8Array).toString())
}
