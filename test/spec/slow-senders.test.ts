import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { senderTimeouts } from '../../src/http/listen.ts'
import { type ListeningBot, provisionListeningBot } from '../support/listening-bot.ts'
import { RawConnection } from '../support/raw-http.ts'
import { openWorld, type World } from '../support/world.ts'

/** The body with which most listeners respond when a request times out. */
const frameworkTimeout = '{"error":"Request Timeout","message":"Client Timeout","statusCode":408}'
const listeners = [
  {
    name: 'base',
    url: (world: World) => world.baseUrl,
    address: '/api/oauth/token',
    timeout: frameworkTimeout,
  },
  {
    name: 'api',
    url: (world: World) => world.apiUrl,
    address: '/greeter/hooks/orders',
    timeout: '{"error": "Request timeout."}',
  },
  {
    name: 'portal',
    url: (world: World) => world.portalUrl,
    address: '/apps/new',
    timeout: frameworkTimeout,
  },
  {
    name: 'control',
    url: (world: World) => world.controlUrl,
    address: '/v1/runtimes',
    timeout: frameworkTimeout,
  },
] as const

type Listener = (typeof listeners)[number]

const halfHead = ({ address }: Listener) => `POST ${address} HTTP/1.1\r\nHost: local`

function halfBody({ name, address }: Listener, { operatorKey }: World): string {
  const type = name === 'portal' ? 'application/x-www-form-urlencoded' : 'application/json'
  const key = name === 'control' ? `Authorization: Bearer ${operatorKey}\r\n` : ''
  return `POST ${address} HTTP/1.1\r\nHost: localhost\r\n${key}Content-Type: ${type}\r\nContent-Length: 10\r\n\r\nhalf`
}

async function openSetting(t: TestContext, timeouts = {}): Promise<{ world: World; open: ListeningBot }> {
  const world = await openWorld(t, {}, { timeouts })
  return { world, open: await provisionListeningBot(world.service) }
}

/** Returns the last response and asserts that the connection then ends. */
async function lastAnswer(connection: RawConnection): Promise<[number, string]> {
  const { status, body } = await connection.answer()
  assert.equal(await connection.ended(), '')
  return [status, body]
}

async function webhookStatus({ apiUrl }: World, { botId, path }: ListeningBot): Promise<number> {
  return (await fetch(`${apiUrl}/${botId}/${path}`, { method: 'POST', body: 'whole' })).status
}

describe('Slow and stuck senders are timed out without affecting others', () => {
  test('our choice: headers must arrive within 15 s and bodies within 30 s, checked every 5 s; a connection without progress is closed after a minute', () => {
    assert.deepEqual(senderTimeouts, {
      headersTimeout: 15_000,
      requestTimeout: 30_000,
      bodyCheckInterval: 10_000,
      connectionsCheckingInterval: 5_000,
      stuckTimeout: 60_000,
    })
  })

  for (const [env, seconds] of [
    [{}, 130],
    [{ KEEP_ALIVE_SECONDS: '620' }, 620],
  ] as const) {
    test(`an idle connection stays open for ${seconds} s with ${JSON.stringify(env)}`, async (t) => {
      const world = await openWorld(t, env)
      for (const { url } of listeners) {
        const { headers } = await fetch(`${url(world)}/`, { redirect: 'manual' })
        assert.equal(headers.get('keep-alive'), `timeout=${seconds}`, url(world))
      }
    })
  }

  const short = { headersTimeout: 1_000, requestTimeout: 1_500, connectionsCheckingInterval: 50 }
  for (const listener of listeners) {
    test(`our choice: on ${listener.name}, slow headers, a slow body and a silent connection get 408`, async (t) => {
      const { world, open } = await openSetting(t, short)
      const url = listener.url(world)
      const connections = await Promise.all([1, 2, 3].map(() => RawConnection.to(t, url)))
      const [head, body, silent] = connections as [RawConnection, RawConnection, RawConnection]
      await head.flushed(halfHead(listener))
      await body.flushed(halfBody(listener, world))
      assert.equal(await webhookStatus(world, open), 202)
      assert.deepEqual(await lastAnswer(head), [408, listener.timeout])
      assert.deepEqual(await lastAnswer(silent), [408, listener.timeout])
      assert.deepEqual(await lastAnswer(body), [408, listener.timeout])
      assert.equal(await webhookStatus(world, open), 202)
    })
  }

  test('our choice: a body that arrives byte by byte is timed out like a body that stops, and creates no event', async (t) => {
    const { world, open } = await openSetting(t, short)
    const connection = await RawConnection.to(t, world.apiUrl)
    connection.write(`POST /${open.botId}/${open.path} HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n`)
    const drip = setInterval(() => connection.write('1\r\nx\r\n'), 20)
    t.after(() => clearInterval(drip))
    const { status, headers, body } = await connection.answer()
    assert.deepEqual([status, headers.connection, body], [408, 'close', '{"error": "Request timeout."}'])
    clearInterval(drip)
    await connection.ended()
    assert.equal((await world.service.queue.figures()).accepted, 0)
  })

  test('our choice: a pipelined request that stops halfway does not affect the response to the first request', async (t) => {
    const { world, open } = await openSetting(t, short)
    const connection = await RawConnection.to(t, world.apiUrl)
    const head = `POST /${open.botId}/${open.path} HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n`
    connection.write(`${head}hi${head}h`)
    assert.equal((await connection.answer()).status, 202)
    assert.deepEqual(await lastAnswer(connection), [408, '{"error": "Request timeout."}'])
  })

  test('our choice: two hundred senders that stop halfway do not delay another webhook', async (t) => {
    const { world, open } = await openSetting(t, short)
    const connections = await Promise.all(Array.from({ length: 200 }, () => RawConnection.to(t, world.apiUrl)))
    connections.forEach((connection, at) => {
      connection.write(at % 2 === 0 ? halfHead(listeners[1]) : halfBody(listeners[1], world))
    })
    assert.equal(await webhookStatus(world, open), 202)
    for (const connection of connections) assert.equal((await lastAnswer(connection))[0], 408)
    assert.equal((await world.service.queue.figures()).accepted, 1)
  })

  test('our choice: a client that pipelines requests without reading responses is disconnected', async (t) => {
    const { world, open } = await openSetting(t, { stuckTimeout: 1_000 })
    const connection = await RawConnection.to(t, world.apiUrl)
    connection.pause()
    connection.write('GET /openapi.json HTTP/1.1\r\nHost: h\r\n\r\n'.repeat(2_000))
    // A client that has stopped reading learns of the disconnect only on its next write.
    const probe = setInterval(() => connection.write('G'), 20)
    t.after(() => clearInterval(probe))
    await connection.closed()
    assert.equal(await webhookStatus(world, open), 202)
  })
})

describe('SIGTERM drains: no new connections, in-flight work finishes', () => {
  for (const listener of listeners) {
    test(`our choice: on ${listener.name}, closing does not wait for incomplete requests`, async (t) => {
      const { world } = await openSetting(t)
      const url = listener.url(world)
      const head = await RawConnection.to(t, url)
      const body = await RawConnection.to(t, url)
      const silent = await RawConnection.to(t, url)
      // Connections are accepted in order. Once the last one gets a response, the earlier ones have been accepted too.
      const idle = await RawConnection.to(t, url)
      await head.flushed(halfHead(listener))
      await body.flushed(halfBody(listener, world))
      idle.write(`GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n`)
      assert.equal((await idle.answer()).status, 404)
      await world.stop()
      assert.deepEqual(await lastAnswer(head), [408, listener.timeout])
      assert.deepEqual(await lastAnswer(body), [408, listener.timeout])
      assert.deepEqual([await silent.ended(), await idle.ended()], ['', ''])
      await assert.rejects(RawConnection.to(t, url), { code: 'ECONNREFUSED' })
    })
  }
})
