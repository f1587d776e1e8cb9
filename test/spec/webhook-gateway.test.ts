import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { BotRuntime, makeRuntime } from '../support/bot-runtime.ts'
import { type ListeningBot, provisionListeningBot } from '../support/listening-bot.ts'
import { type RawAnswer, RawConnection } from '../support/raw-http.ts'
import { openWorld, type World } from '../support/world.ts'
import { inDatabase, loseTable } from '../support/world-database.ts'

const mib = 1_048_576

interface Setting {
  world: World
  /** Requires no key. */
  open: ListeningBot
  /** Requires a key. */
  keyed: ListeningBot
}

async function openSetting(t: TestContext, env: Record<string, string> = {}): Promise<Setting> {
  const world = await openWorld(t, env)
  const open = await provisionListeningBot(world.service)
  const keyed = await provisionListeningBot(world.service, { botId: 'guard', requiresKey: true })
  return { world, open, keyed }
}

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

  test('when the flow requires no key the header is omitted, and one that is sent does not matter', async (t) => {
    const { world, open } = await openSetting(t)
    assert.equal((await ask(world, `/${open.botId}/${open.path}`, post('', { 'svc-key': 'any' }))).status, 202)
  })

  test('a raw body of exactly 1 MiB is taken, an empty one too, and so are bytes that are no text', async (t) => {
    const { world, open } = await openSetting(t)
    for (const body of [new Uint8Array(mib), new Uint8Array(), Uint8Array.of(0, 255, 128)]) {
      assert.equal((await ask(world, `/${open.botId}/${open.path}`, post(body))).status, 202)
    }
  })

  test('all characters allowed in a path work, in a path of 100 characters', async (t) => {
    const { world } = await openSetting(t)
    const path = 'Az09-_.~/'.padEnd(100, 'x')
    const bot = await provisionListeningBot(world.service, { botId: 'wordy', path })
    assert.equal((await ask(world, `/${bot.botId}/${path}`, post())).status, 202)
  })

  test('a bot whose hosting is off still accepts', async (t) => {
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
        await loseTable(world, 'identity', 'flows')
        return ask(world, `/${open.botId}/${open.path}`, post())
      },
    },
    {
      status: 503,
      condition: 'gateway unavailable',
      body: '{"error": "Webhook gateway unavailable."}',
      async send({ world, open }) {
        await loseTable(world, 'queue', eventsTable(world))
        return ask(world, `/${open.botId}/${open.path}`, post())
      },
    },
  ]
  for (const { status, condition, body, send } of rows) {
    test(`${status}: ${condition}`, async (t) => {
      const received = await send(await openSetting(t))
      assert.deepEqual(received, { status, type: 'application/json', body })
    })
  }
})

describe('The webhook gateway where the specification is silent', () => {
  test('405 comes with Allow: POST, for every other method and for one that HTTP does not know', async (t) => {
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

  test('the method is checked before the size, the size before bot and path, these before the key', async (t) => {
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

  test('the key is checked before there is room: a full queue tells nothing to who has no key', async (t) => {
    const { world, keyed } = await openSetting(t, { QUEUE_MAX_EVENTS_PER_BOT: '1' })
    const statusOf = async (key: string) =>
      (await ask(world, `/${keyed.botId}/${keyed.path}`, post('x', { 'svc-key': key }))).status
    assert.deepEqual([await statusOf(keyed.key), await statusOf(keyed.key), await statusOf('no')], [202, 503, 401])
  })

  test('a declared length over 1 MiB is refused before the body comes', async (t) => {
    const { world, open } = await openSetting(t)
    const connection = await RawConnection.to(t, world.apiUrl)
    connection.write(requestHead(open, [`Content-Length: ${mib + 1}`]))
    const { status, headers, body } = await connection.answer()
    assert.deepEqual([status, body, headers.connection], [413, '{"error": "Payload too large."}', 'close'])
    connection.reset()
  })

  test('a chunked body is refused as soon as it is known to be too large, and its sender can read the answer', async (t) => {
    const { world, open } = await openSetting(t)
    for (const { botId, path } of [open, { botId: 'nobody', path: 'x' }]) {
      const connection = await RawConnection.to(t, world.apiUrl)
      connection.write(requestHead({ botId, path }, ['Transfer-Encoding: chunked']))
      // Twenty times the limit, and no last chunk.
      for (let sent = 0; sent < 20; sent += 1) await connection.flushed(chunkOf(mib))
      assert.deepEqual(pick(await connection.answer()), [413, '{"error": "Payload too large."}'])
      connection.reset()
    }
  })

  test('a sender that writes a large body to the end before it reads still gets the answer', async (t) => {
    const { world, open } = await openSetting(t)
    const connection = await RawConnection.to(t, world.apiUrl)
    await connection.flushed(requestHead(open, [`Content-Length: ${16 * mib}`]))
    await connection.flushed(new Uint8Array(16 * mib))
    assert.deepEqual(pick(await connection.answer()), [413, '{"error": "Payload too large."}'])
    await connection.ended()
  })

  test('a chunked body within the limit is taken', async (t) => {
    const { world, open } = await openSetting(t)
    const connection = await RawConnection.to(t, world.apiUrl)
    connection.write(requestHead(open, ['Transfer-Encoding: chunked']))
    for (let sent = 0; sent < 4; sent += 1) await connection.flushed(chunkOf(mib / 4))
    connection.write('0\r\n\r\n')
    assert.deepEqual(pick(await connection.answer()), [202, '{"ok": true}'])
  })

  test('404 is the same, byte for byte but the date, whatever it is that is not there', async (t) => {
    const { world, open, keyed } = await openSetting(t)
    const { bots } = world.service
    const deleted = await provisionListeningBot(world.service, { botId: 'gone' })
    await bots.removeBot(deleted.botId)
    const deaf = await provisionListeningBot(world.service, { botId: 'deaf' })
    await bots.flows.put(deaf.botId, deaf.flowId, { kind: 'event', name: 'Orders', webhook: null })
    const targets: [string, { botId: string; path: string }][] = [
      ['unknown bot', { botId: 'nobody', path: open.path }],
      ['unknown path', { botId: open.botId, path: 'nothing' }],
      ['unknown path where a key is required', { botId: keyed.botId, path: 'nothing' }],
      ['soft-deleted bot', deleted],
      ['flow without webhook', deaf],
      ['no bot id', { botId: 'x'.repeat(65), path: open.path }],
      ['chat-platform id', { botId: '215215215215215215', path: open.path }],
      ['percent-encoded path', { botId: open.botId, path: 'hooks/%6Frders' }],
      ['percent-encoded bot', { botId: 'gree%74er', path: open.path }],
    ]
    for (const [what, target] of targets) {
      for (const key of ['', 'svc-key: some\r\n']) {
        const connection = await RawConnection.to(t, world.apiUrl)
        connection.write(
          `POST /${target.botId}/${target.path} HTTP/1.1\r\nHost: h\r\n${key}Content-Length: 2\r\nConnection: close\r\n\r\nhi`,
        )
        const text = (await connection.ended()).replace(/\r\nDate: [^\r]*/, '')
        assert.deepEqual(
          [what, text],
          [
            what,
            'HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nContent-Length: 23\r\nConnection: close\r\n\r\n{"error": "Not found."}',
          ],
        )
      }
    }
  })

  test('a path with other characters, over 100 characters, or percent-encoded is 404', async (t) => {
    const { world, open } = await openSetting(t)
    const paths = [
      'hooks%2Forders',
      'hooks/order%73',
      'hooks/orders!',
      'hooks/ördérs',
      'x'.repeat(101),
      '',
      'hooks/a:b',
      'hooks/orders%00',
      'hooks/orders%2F..%2Fmore',
      'hooks/orders;v=1',
    ]
    for (const path of paths) {
      const connection = await RawConnection.to(t, world.apiUrl)
      connection.write(Buffer.from(requestHead({ botId: open.botId, path }, ['Content-Length: 0']), 'latin1'))
      assert.deepEqual([path, ...pick(await connection.answer())], [path, 404, '{"error": "Not found."}'])
    }
  })

  test('paths compare exactly: case and slashes', async (t) => {
    const { world, open } = await openSetting(t)
    for (const path of ['Hooks/orders', 'hooks/orders/', 'hooks//orders', '/hooks/orders', 'hooks', 'hooks/./orders']) {
      const connection = await RawConnection.to(t, world.apiUrl)
      connection.write(requestHead({ botId: open.botId, path }, ['Content-Length: 0']))
      assert.deepEqual([path, ...pick(await connection.answer())], [path, 404, '{"error": "Not found."}'])
    }
  })

  test('the query string is ignored', async (t) => {
    const { world, open } = await openSetting(t)
    assert.equal((await ask(world, `/${open.botId}/${open.path}?a=%20&b=/../`, post())).status, 202)
  })

  test('everything else on the address is 404 with the body of the gateway', async (t) => {
    const { world } = await openSetting(t)
    for (const [method, address] of [
      ['GET', '/'],
      ['POST', '/'],
      ['GET', '/nothing'],
      ['POST', '/nothing'],
      ['POST', '/health'],
      ['GET', '/Health'],
      ['GET', '/runtime'],
    ] as const) {
      const received = await ask(world, address, { method })
      assert.deepEqual(
        [address, received],
        [address, { status: 404, type: 'application/json', body: '{"error": "Not found."}' }],
      )
    }
  })

  test('a flow, key or path made a moment ago works on the next request', async (t) => {
    const { world, open, keyed } = await openSetting(t)
    const statusOf = async (path: string, headers = {}) => (await ask(world, path, post('', headers))).status
    assert.equal(await statusOf('/fresh/now'), 404)
    await provisionListeningBot(world.service, { botId: 'fresh', path: 'now' })
    assert.equal(await statusOf('/fresh/now'), 202)

    assert.equal(await statusOf(`/${open.botId}/${open.path}`), 202)
    await provisionListeningBot(world.service, { path: 'hooks/moved' })
    assert.equal(await statusOf(`/${open.botId}/hooks/moved`), 202)

    assert.equal(await statusOf(`/${keyed.botId}/${keyed.path}`, { 'svc-key': keyed.key }), 202)
    await world.service.bots.flows.put(keyed.botId, keyed.flowId, {
      kind: 'event',
      name: 'Orders',
      webhook: { path: keyed.path, requiresKey: true, clearTextKey: 'a-new-key-of-the-sender' },
    })
    assert.equal(await statusOf(`/${keyed.botId}/${keyed.path}`, { 'svc-key': 'a-new-key-of-the-sender' }), 202)
    assert.equal(await statusOf(`/${keyed.botId}/${keyed.path}`, { 'svc-key': keyed.key }), 401)
  })

  test('a change made by another process is seen too: what was made works at once', async (t) => {
    const { world, open, keyed } = await openSetting(t)
    const statusOf = async ({ botId, path, key }: Pick<ListeningBot, 'botId' | 'path' | 'key'>) =>
      (await ask(world, `/${botId}/${path}`, post('', { 'svc-key': key }))).status
    assert.deepEqual([await statusOf(open), await statusOf(keyed)], [202, 202])
    const digest = Buffer.from(world.service.secrets.digest('another')).toString('hex')
    await inDatabase(
      world,
      'identity',
      `UPDATE flows SET webhook_path = 'hooks/elsewhere' WHERE bot_id = '${open.botId}'`,
    )
    await inDatabase(world, 'identity', {
      sqlite: `UPDATE flow_keys SET digest = x'${digest}' WHERE bot_id = '${keyed.botId}'`,
      postgres: `UPDATE flow_keys SET digest = '\\x${digest}' WHERE bot_id = '${keyed.botId}'`,
    })
    assert.equal(await statusOf({ ...open, path: 'hooks/elsewhere' }), 202)
    assert.equal(await statusOf({ ...keyed, key: 'another' }), 202)
  })

  for (const [what, change, status] of [
    ['a path', `UPDATE flows SET webhook_path = 'hooks/elsewhere' WHERE bot_id = 'guard'`, 404],
    ['a webhook', `UPDATE flows SET webhook_path = NULL WHERE bot_id = 'guard'`, 404],
    ['a flow', `DELETE FROM flows WHERE bot_id = 'guard'`, 404],
    ['a bot', `UPDATE bots SET deleted_at_ms = 1 WHERE id = 'guard'`, 404],
    ['a key', `UPDATE flow_keys SET ends_at_ms = 1 WHERE bot_id = 'guard'`, 401],
  ] as const) {
    test(`${what} that another process removed is refused within 5 s, also when it was used all the time`, async (t) => {
      const { world, keyed } = await openSetting(t)
      const use = async () =>
        (await ask(world, `/${keyed.botId}/${keyed.path}`, post('', { 'svc-key': keyed.key }))).status
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

  test('a removed flow and a deleted bot are refused', async (t) => {
    const { world, open, keyed } = await openSetting(t)
    const statusOf = async ({ botId, path, key }: ListeningBot) =>
      (await ask(world, `/${botId}/${path}`, post('', { 'svc-key': key }))).status
    assert.deepEqual([await statusOf(open), await statusOf(keyed)], [202, 202])
    await world.service.bots.flows.remove(open.botId, open.flowId)
    await world.service.bots.removeBot(keyed.botId)
    assert.deepEqual([await statusOf(open), await statusOf(keyed)], [404, 404])
  })

  test('a queue that is full by events is 503 with Retry-After, for that bot only', async (t) => {
    const { world, open, keyed } = await openSetting(t, { QUEUE_MAX_EVENTS_PER_BOT: '2' })
    const send = () => fetch(`${world.apiUrl}/${open.botId}/${open.path}`, post('x'))
    assert.deepEqual([(await send()).status, (await send()).status], [202, 202])
    const refused = await send()
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '30'])
    assert.equal(await refused.text(), '{"error": "Webhook gateway unavailable."}')
    assert.equal((await ask(world, `/${keyed.botId}/${keyed.path}`, post('x', { 'svc-key': keyed.key }))).status, 202)
  })

  test('a queue that is full by bytes of bodies is 503, and smaller bodies still fit', async (t) => {
    const { world, open } = await openSetting(t, { QUEUE_MAX_BYTES_PER_BOT: '100' })
    const statusOf = async (bytes: number) =>
      (await ask(world, `/${open.botId}/${open.path}`, post(new Uint8Array(bytes)))).status
    assert.deepEqual(
      [await statusOf(90), await statusOf(11), await statusOf(10), await statusOf(0)],
      [202, 503, 202, 202],
    )
  })

  for (const [by, env, room] of [
    ['events', { QUEUE_MAX_EVENTS: '2' }, [100, 100]],
    ['bytes of bodies', { QUEUE_MAX_BYTES: '100' }, [60, 40]],
  ] as const) {
    test(`our choice: a gateway that is full by ${by} over all bots is 503 with Retry-After for each, until something ends`, async (t) => {
      const { world, open, keyed } = await openSetting(t, env)
      const send = ({ botId, path, key }: ListeningBot, bytes: number) =>
        fetch(`${world.apiUrl}/${botId}/${path}`, post(new Uint8Array(bytes), { 'svc-key': key }))
      assert.deepEqual([(await send(open, room[0])).status, (await send(keyed, room[1])).status], [202, 202])
      for (const bot of [open, keyed]) {
        const refused = await send(bot, 1)
        assert.deepEqual(
          [refused.status, refused.headers.get('retry-after'), await refused.text()],
          [503, '30', '{"error": "Webhook gateway unavailable."}'],
        )
      }
      const metrics = await (await fetch(`${world.controlUrl}/metrics`)).text()
      assert.match(metrics, /^gatehouse_webhooks_refused_total\{cause="queue-full"\} 2$/m)
      await world.service.queue.discard(open.botId)
      assert.equal((await send(keyed, 1)).status, 202)
    })
  }

  test('of requests at once, a queue takes exactly as many as it may hold', async (t) => {
    const { world, open } = await openSetting(t, { QUEUE_MAX_EVENTS_PER_BOT: '20' })
    const answers = await Promise.all(
      Array.from({ length: 50 }, async (_, n) => {
        const body = `${n}`
        return { body, status: (await ask(world, `/${open.botId}/${open.path}`, post(body))).status }
      }),
    )
    const accepted = answers.filter(({ status }) => status === 202).map(({ body }) => body)
    assert.equal(accepted.length, 20)
    assert.equal(answers.filter(({ status }) => status === 503).length, 30)
    const { runtime } = await BotRuntime.ready(t, world, (await makeRuntime(world)).key, { credit: 50 })
    const handed = (await runtime.deliveries(20)).map(({ body }) => Buffer.from(body, 'base64').toString())
    assert.deepEqual(handed.sort(), accepted.sort())
    await runtime.beat()
  })
})

describe('HTTP as the webhook gateway speaks it', () => {
  test('our choice: a sender that waits for 100 Continue is told to go on only when its body is wanted', async (t) => {
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
    assert.equal(await refused(keyed, 5), 401)
  })

  test('our choice: an expectation other than 100-continue is not waited for', async (t) => {
    const { world, open } = await openSetting(t)
    const connection = await RawConnection.to(t, world.apiUrl)
    connection.write(`${requestHead(open, ['Content-Length: 5', 'Expect: 200-maybe'])}hello`)
    assert.deepEqual(pick(await connection.answer()), [202, '{"ok": true}'])
  })

  test('our choice: a refused sender that waited for 100 Continue may send its body none the less', async (t) => {
    const { world, keyed } = await openSetting(t)
    const connection = await RawConnection.to(t, world.apiUrl)
    connection.write(requestHead(keyed, ['Content-Length: 5', 'Expect: 100-continue']))
    const { status, headers } = await connection.answer()
    assert.deepEqual([status, headers.connection], [401, 'close'])
    connection.write('hello')
    assert.equal(await connection.ended(), '')
  })

  test('our choice: a connection serves on after each kind of answer, except where a body is too large', async (t) => {
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

  test('our choice: who asks for the end of the connection gets it with the answer; HTTP/1.0 ends it unless asked not to', async (t) => {
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

  test('our choice: a request without a length has no body', async (t) => {
    const { world, open } = await openSetting(t)
    const connection = await RawConnection.to(t, world.apiUrl)
    connection.write(requestHead(open, []))
    assert.equal((await connection.answer()).status, 202)
    assert.deepEqual(await storedBodies(world), [''])
  })

  test('our choice: a length that is no number, or more than one of them, is 400 and no event', async (t) => {
    const { world, open } = await openSetting(t)
    for (const lengths of [['five'], ['-1'], ['0x5'], [''], ['5', '6'], ['5, 6']]) {
      const connection = await RawConnection.to(t, world.apiUrl)
      connection.write(
        `${requestHead(
          open,
          lengths.map((length) => `Content-Length: ${length}`),
        )}hello`,
      )
      assert.deepEqual([lengths, ...pick(await connection.answer())], [lengths, 400, '{"error": "Bad request."}'])
      await connection.ended()
    }
    assert.deepEqual(await storedBodies(world), [])
  })

  test('our choice: what only whole servers and proxies are asked is 404 and 405', async (t) => {
    const { world } = await openSetting(t)
    for (const [line, status] of [
      ['OPTIONS * HTTP/1.1', 404],
      ['CONNECT hooks.example:443 HTTP/1.1', 405],
      ['TRACE /greeter/hooks/orders HTTP/1.1', 405],
      ['POST http://hooks.example HTTP/1.1', 404],
    ] as const) {
      const connection = await RawConnection.to(t, world.apiUrl)
      connection.write(`${line}\r\nHost: h\r\nConnection: close\r\n\r\n`)
      assert.deepEqual([line, (await connection.answer()).status], [line, status])
      await connection.ended()
    }
  })

  test('our choice: requests sent one behind the other are answered in their order', async (t) => {
    const { world, open } = await openSetting(t)
    const connection = await RawConnection.to(t, world.apiUrl)
    const good = `${requestHead(open, ['Content-Length: 2'])}hi`
    connection.write(good + requestHead({ botId: 'nobody', path: 'x' }, ['Content-Length: 0']) + good)
    const statuses = [(await connection.answer()).status, (await connection.answer()).status]
    assert.deepEqual([...statuses, (await connection.answer()).status], [202, 404, 202])
  })

  test('our choice: what is no HTTP is 400, headers of more than 16 KiB are 431', async (t) => {
    const { world, open } = await openSetting(t)
    const answered = async (text: string) => {
      const connection = await RawConnection.to(t, world.apiUrl)
      connection.write(text)
      const { status, body } = await connection.answer()
      await connection.ended()
      return [status, body]
    }
    const both = requestHead(open, ['Content-Length: 5', 'Transfer-Encoding: chunked'])
    assert.deepEqual(await answered(both), [400, '{"error": "Bad request."}'])
    assert.deepEqual(await answered('POST /a/b HTTP/1.1 or so\r\n\r\n'), [400, '{"error": "Bad request."}'])
    const long = requestHead(open, [`X-Long: ${'x'.repeat(20_000)}`])
    assert.deepEqual(await answered(long), [431, '{"error": "Request header fields too large."}'])
  })

  test('our choice: a client that offers another protocol with its webhook is served in this one', async (t) => {
    const { world, open } = await openSetting(t)
    const connection = await RawConnection.to(t, world.apiUrl)
    const offer = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA']
    connection.write(`${requestHead(open, [...offer, 'Content-Length: 5'])}hello`)
    assert.deepEqual(pick(await connection.answer()), [202, '{"ok": true}'])
  })

  test('our choice: an address in absolute form is the same address (RFC 9112 section 3.2.2)', async (t) => {
    const { world, open } = await openSetting(t)
    const connection = await RawConnection.to(t, world.apiUrl)
    connection.write(
      `POST http://hooks.example/${open.botId}/${open.path} HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n`,
    )
    assert.equal((await connection.answer()).status, 202)
  })

  test('our choice: more bytes than the declared length are no part of the body; the webhook is answered, then what they are', async (t) => {
    const { world, open } = await openSetting(t, { QUEUE_MAX_EVENTS_PER_BOT: '1' })
    const connection = await RawConnection.to(t, world.apiUrl)
    connection.write(`${requestHead(open, ['Content-Length: 2'])}hi, and more`)
    assert.deepEqual(pick(await connection.answer()), [202, '{"ok": true}'])
    const { status, headers, body } = await connection.answer()
    assert.deepEqual([status, body, headers.connection], [405, '{"error": "Method not allowed."}', 'close'])
    assert.equal(await connection.ended(), '')
    assert.deepEqual(await storedBodies(world), ['hi'])
  })

  test('our choice: bytes that are no request are answered last, after all requests before them', async (t) => {
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

  test('our choice: a body of which the chunks are none is 400, and no event', async (t) => {
    const { world, open } = await openSetting(t, { QUEUE_MAX_EVENTS_PER_BOT: '1' })
    const connection = await RawConnection.to(t, world.apiUrl)
    connection.write(`${requestHead(open, ['Transfer-Encoding: chunked'])}2\r\nhi\r\nno length\r\n`)
    const { status, headers, body } = await connection.answer()
    assert.deepEqual([status, body, headers.connection], [400, '{"error": "Bad request."}', 'close'])
    assert.equal(await connection.ended(), '')
    assert.equal((await ask(world, `/${open.botId}/${open.path}`, post('whole'))).status, 202)
  })

  test('our choice: a sender that ends with fewer bytes than it declared is told 400, and that is no event', async (t) => {
    const { world, open } = await openSetting(t, { QUEUE_MAX_EVENTS_PER_BOT: '1' })
    const connection = await RawConnection.to(t, world.apiUrl)
    connection.write(`${requestHead(open, ['Content-Length: 10'])}half`)
    connection.finish()
    assert.deepEqual(pick(await connection.answer()), [400, '{"error": "Bad request."}'])
    assert.equal(await connection.ended(), '')
    assert.equal((await ask(world, `/${open.botId}/${open.path}`, post('whole'))).status, 202)
  })

  test('our choice: a sender that says with its request that no other follows still gets the answer', async (t) => {
    const { world, open } = await openSetting(t)
    const connection = await RawConnection.to(t, world.apiUrl)
    connection.write(`${requestHead(open, ['Content-Length: 2'])}hi`.repeat(2))
    connection.finish()
    assert.deepEqual(pick(await connection.answer()), [202, '{"ok": true}'])
    assert.deepEqual(pick(await connection.answer()), [202, '{"ok": true}'])
    assert.equal(await connection.ended(), '')
  })

  test('our choice: a sender that goes away in the middle of its body leaves no event behind', async (t) => {
    const { world, open } = await openSetting(t, { QUEUE_MAX_EVENTS_PER_BOT: '1' })
    const connection = await RawConnection.to(t, world.apiUrl)
    await connection.flushed(`${requestHead(open, ['Content-Length: 10'])}half`)
    connection.reset()
    assert.equal((await ask(world, `/${open.botId}/${open.path}`, post('whole'))).status, 202)
  })
})

const post = (body: string | Uint8Array<ArrayBuffer> = '', headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  body,
  headers,
})

interface Received {
  status: number
  type: string | null
  body: string
}

/** Sends a request and reads the whole answer. */
async function ask(world: World, address: string, init: RequestInit = {}): Promise<Received> {
  const answer = await fetch(`${world.apiUrl}${address}`, init)
  return { status: answer.status, type: answer.headers.get('content-type'), body: await answer.text() }
}

function requestHead({ botId, path }: { botId: string; path: string }, headers: string[]): string {
  return [`POST /${botId}/${path} HTTP/1.1`, 'Host: localhost', ...headers, '', ''].join('\r\n')
}

function chunkOf(bytes: number): Buffer {
  return Buffer.concat([Buffer.from(`${bytes.toString(16)}\r\n`), Buffer.alloc(bytes), Buffer.from('\r\n')])
}

function pick({ status, body }: RawAnswer): [number, string] {
  return [status, body]
}

/** The bodies of all events that were accepted, in that order. */
async function storedBodies(world: World): Promise<string[]> {
  const rows = await inDatabase(world, 'queue', `SELECT body FROM ${eventsTable(world)} ORDER BY number`)
  return rows.map(({ body }) => Buffer.from(body as Uint8Array).toString())
}

function eventsTable({ databaseUrl }: World): string {
  return databaseUrl === undefined ? 'events' : 'queue_events'
}
