import assert from 'node:assert/strict'
import { createServer as createTcpServer } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { guardedRequests } from '../../src/adapters/outgoing/guarded-requests.ts'
import * as limits from '../../src/domain/limits/limits.ts'
import { RequestFailed } from '../../src/domain/subscriptions/outgoing-requests.ts'
import { EventReceiver } from '../support/event-receiver.ts'

const request = { headers: { 'content-type': 'application/json' }, body: Buffer.from('{}') }
const { signal } = new AbortController()

/** Returns a resolver that knows only these hosts, and a list of the hosts that it was asked for. */
function resolver(addresses: Record<string, string[]>) {
  const asked: string[] = []
  const resolve = async (host: string) => {
    asked.push(host)
    return (addresses[host] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  }
  return { asked, resolve }
}

async function rejectedWith(post: Promise<unknown>): Promise<string> {
  const error = await post.then(
    () => undefined,
    (failure: unknown) => failure,
  )
  assert.ok(error instanceof RequestFailed, String(error))
  return error.message
}

/** Opens a server that sends these bytes on each connection once it has received something. */
async function openRawServer(t: TestContext, bytes: string): Promise<number> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.write(bytes))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return (server.address() as { port: number }).port
}

describe('our choice: outgoing requests to URLs that users enter', () => {
  test('an outgoing request connects to the address that was checked; its host is resolved once and stays in the Host header', async (t) => {
    const receiver = await EventReceiver.open(t)
    const { port } = new URL(receiver.url)
    const { asked, resolve } = resolver({ 'hooks.example': ['127.0.0.1'] })
    const requests = guardedRequests(true, { resolve })
    const url = `http://hooks.example:${port}/in?a=b`
    assert.deepEqual(await requests.post({ ...request, url, signal }), { status: 204, text: '' })
    assert.deepEqual(asked, ['hooks.example'])
    const [received] = await receiver.on('/in?a=b')
    assert.equal(received!.headers.host, `hooks.example:${port}`)
    assert.equal(received!.headers['content-length'], '2')
  })

  test('a host with any internal address is refused without a connection', async (t) => {
    const receiver = await EventReceiver.open(t)
    const { port } = new URL(receiver.url)
    const { resolve } = resolver({
      'inside.example': ['127.0.0.1'],
      'both.example': ['93.184.216.34', '127.0.0.1'],
      'mapped.example': ['::ffff:127.0.0.1'],
      '127.0.0.1': ['127.0.0.1'],
      '::1': ['::1'],
    })
    const requests = guardedRequests(false, { resolve })
    const message = 'the URL leads to an internal address'
    for (const host of ['inside.example', 'both.example', 'mapped.example', '127.1', '0x7f000001', '[::1]']) {
      const url = `http://${host}:${port}/`
      assert.equal(await rejectedWith(requests.post({ ...request, url, signal })), message, host)
    }
    assert.deepEqual(receiver.received, [])
  })

  test('only the beginning of a long response to an outgoing request is read', async (t) => {
    const port = await openRawServer(t, `HTTP/1.1 500 No\r\n\r\n${'x'.repeat(10 * limits.outgoingResponseMaxBytes)}`)
    const url = `http://127.0.0.1:${port}/`
    const { status, text } = await guardedRequests(true).post({ ...request, url, signal })
    assert.deepEqual([status, text], [500, 'x'.repeat(limits.outgoingResponseMaxBytes)])
  })

  test('the error for a missing, incomplete or non-HTTP response says what happened, but not the address', async (t) => {
    const requests = guardedRequests(true, { timeoutMs: 300 })
    const failure = (port: number) =>
      rejectedWith(requests.post({ ...request, url: `http://127.0.0.1:${port}/`, signal }))
    const late = 'no complete response within 0.3 s'
    assert.equal(await failure(await openRawServer(t, '')), late)
    assert.equal(await failure(await openRawServer(t, 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx')), late)
    assert.equal(await failure(await openRawServer(t, 'SSH-2.0\r\n')), 'the request failed: HPE_INVALID_CONSTANT')
    assert.equal(await failure(1), 'the connection was refused (ECONNREFUSED)')
  })

  test('an aborted request rejects with an error other than RequestFailed', async (t) => {
    const port = await openRawServer(t, '')
    const controller = new AbortController()
    const post = guardedRequests(true).post({ ...request, url: `http://127.0.0.1:${port}/`, signal: controller.signal })
    controller.abort(new Error('stopping'))
    await assert.rejects(post, (error) => !(error instanceof RequestFailed))
  })
})
