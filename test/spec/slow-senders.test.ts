import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { senderTimeouts } from '../../src/http/listen.ts'
import { type ListeningBot, provisionListeningBot } from '../support/bot-runtime.ts'
import { RawConnection } from '../support/raw-http.ts'
import { openWorld, type World } from '../support/world.ts'

const late = 'The request did not arrive in time. Send it again.'
const oauthTimeout = `{"error":"invalid_request","error_description":"${late}"}`
const problemTimeout = `{"type":"about:blank","title":"Request Timeout","status":408,"detail":"${late}"}`
const listeners = [
  { name: 'base', at: 'baseUrl', address: '/api/oauth/token', timeout: oauthTimeout },
  { name: 'api', at: 'apiUrl', address: '/greeter/hooks/orders', timeout: '{"error": "Request timeout."}' },
  { name: 'portal', at: 'portalUrl', address: '/apps/new', timeout: oauthTimeout },
  { name: 'control', at: 'controlUrl', address: '/v1/runtimes', timeout: problemTimeout },
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
      for (const { at } of listeners) {
        const { headers } = await fetch(`${world[at]}/`, { redirect: 'manual' })
        assert.equal(headers.get('keep-alive'), `timeout=${seconds}`, at)
      }
    })
  }

  // They also hold for the webhooks between, which a busy machine answers late.
  const short = { headersTimeout: 2_000, requestTimeout: 3_000, connectionsCheckingInterval: 50 }
  for (const listener of listeners) {
    test(`our choice: on ${listener.name}, slow headers, a slow body and a silent connection get 408`, async (t) => {
      const { world, open } = await openSetting(t, short)
      const connections = await Promise.all([1, 2, 3].map(() => RawConnection.to(t, world[listener.at])))
      const [head, body, silent] = connections as [RawConnection, RawConnection, RawConnection]
      await head.flushed(halfHead(listener))
      await body.flushed(halfBody(listener, world))
      assert.equal(await webhookStatus(world, open), 202)
      for (const each of [head, silent, body]) assert.deepEqual(await lastAnswer(each), [408, listener.timeout])
      assert.equal(await webhookStatus(world, open), 202)
    })
  }

  test('our choice: a pipelined request that stops halfway does not affect the response to the first request', async (t) => {
    const { world, open } = await openSetting(t, short)
    const connection = await RawConnection.to(t, world.apiUrl)
    const head = `POST /${open.botId}/${open.path} HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n`
    connection.write(`${head}hi${head}h`)
    assert.equal((await connection.answer()).status, 202)
    assert.deepEqual(await lastAnswer(connection), [408, '{"error": "Request timeout."}'])
  })

  test('our choice: a client that pipelines requests without reading responses is disconnected', async (t) => {
    const { world, open } = await openSetting(t, { stuckTimeout: 5_000 })
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
