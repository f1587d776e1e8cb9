import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { createServer as createTcpServer } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { guardedRequests, isInternalAddress, publicResolver } from '../../src/adapters/outgoing/guarded-requests.ts'
import * as limits from '../../src/domain/limits/limits.ts'
import { RequestFailed } from '../../src/domain/subscriptions/outgoing-requests.ts'
import { openEventReceiver } from '../support/event-receiver.ts'
import { listening } from '../support/local-server.ts'

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
  const error = await post.catch((failure: unknown) => failure)
  assert.ok(error instanceof RequestFailed, String(error))
  return error.message
}

/** Opens a server that sends these bytes on each connection once it has received something. */
async function openRawServer(t: TestContext, bytes: string): Promise<number> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.write(bytes))
  })
  return Number(new URL(await listening(t, server)).port)
}

describe('our choice: outgoing requests to URLs that users enter', () => {
  test('an outgoing request connects to the address that was checked; its host is resolved once and stays in the Host header', async (t) => {
    const receiver = await openEventReceiver(t)
    const { port } = new URL(receiver.url)
    const { asked, resolve } = resolver({ 'hooks.example': ['127.0.0.1'] })
    const requests = guardedRequests(true, { resolve })
    const url = `http://hooks.example:${port}/in?a=b`
    const answer = await requests.post({ ...request, url, signal })
    assert.deepEqual(answer, { status: 204, text: '', retryAfter: undefined })
    assert.deepEqual(asked, ['hooks.example'])
    const [received] = await receiver.on('/in?a=b')
    assert.equal(received!.headers.host, `hooks.example:${port}`)
    assert.equal(received!.headers['content-length'], '2')
  })

  test('a host with any internal address is refused without a connection', async (t) => {
    const receiver = await openEventReceiver(t)
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
    const failure = (port: number, options = {}) =>
      rejectedWith(guardedRequests(true, options).post({ ...request, url: `http://127.0.0.1:${port}/`, signal }))
    for (const incomplete of ['', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx']) {
      const message = await failure(await openRawServer(t, incomplete), { timeoutMs: 300 })
      assert.equal(message, 'no complete response within 0.3 s')
    }
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

/**
 * Opens a name server that knows `hooks.example`, says that `none.example` doesn't exist, and never responds to
 * queries for other names.
 */
async function openNameServer(t: TestContext): Promise<{ server: string; asked: string[] }> {
  const asked: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (query, { port, address }) => {
    const nameEnd = query.indexOf(0, 12)
    const labels = query.subarray(12, nameEnd).toString('latin1')
    const name = labels.slice(1).replace(/[^a-z]/g, '.')
    asked.push(name)
    const isKnown = name === 'hooks.example'
    if (!isKnown && name !== 'none.example') return
    const isA = query.readUInt16BE(nameEnd + 1) === 1
    const head = Buffer.from(query.subarray(0, 12))
    head.writeUInt16BE(isKnown ? 0x8180 : 0x8183, 2)
    head.writeUInt16BE(isKnown && isA ? 1 : 0, 6)
    head.writeUInt32BE(0, 8)
    const question = query.subarray(12, nameEnd + 5)
    // A pointer to the name, type A, class IN, 60 seconds, 4 bytes.
    const answer = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 93, 184, 216, 34])
    socket.send(Buffer.concat([head, question, ...(isKnown && isA ? [answer] : [])]), port, address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  t.after(() => socket.close())
  return { server: `127.0.0.1:${socket.address().port}`, asked }
}

describe('our choice: hosts of subscription URLs are resolved by querying name servers directly', () => {
  test('lookups without a response don’t delay others, and fail after the timeout', async (t) => {
    const { server } = await openNameServer(t)
    const resolve = publicResolver([server])
    const slow = Array.from({ length: 20 }, (_, n) => resolve(`slow${n}.example`).catch((error) => error.code))
    const first = await Promise.race([resolve('hooks.example'), ...slow])
    assert.deepEqual(first, [{ address: '93.184.216.34', family: 4 }])
    await assert.rejects(publicResolver([server], 100)('slow.example'), { code: 'EAI_AGAIN' })
  })

  test('a host that doesn’t exist is reported; IP addresses and localhost are resolved without a name server', async (t) => {
    const { server, asked } = await openNameServer(t)
    const resolve = publicResolver([server])
    await assert.rejects(resolve('none.example'), { code: 'ENOTFOUND' })
    asked.length = 0
    assert.deepEqual(await resolve('::1'), [{ address: '::1', family: 6 }])
    assert.deepEqual(await resolve('93.184.216.34'), [{ address: '93.184.216.34', family: 4 }])
    for (const host of ['localhost', 'a.localhost.', 'LOCALHOST']) {
      assert.deepEqual(await resolve(host), [{ address: '127.0.0.1', family: 4 }])
    }
    assert.deepEqual(asked, [])
  })
})

describe('our choice: addresses that outgoing requests must not reach', () => {
  test('loopback, private, link-local, shared, multicast and reserved addresses are internal, and so are invalid addresses and IPv6 addresses that embed IPv4', () => {
    for (const address of [
      ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '100.127.255.255', '127.0.0.1', '127.255.255.254', '169.254.169.254'],
      ...['172.16.0.1', '172.31.255.255', '192.168.1.1', '198.18.0.1', '224.0.0.1', '239.1.1.1', '255.255.255.255'],
      ...['::', '::1', '::ffff:10.0.0.1', '::ffff:8.8.8.8', '::10.0.0.1', '64:ff9b::a00:1', 'fc00::1', 'fd12::1'],
      ...['fe80::1', 'fe80::1%eth0', 'fec0::1', 'ff02::1', '2001::1', '2001:db8::1', '2002:a00:1::1', '3fff::1'],
      ...['', 'localhost', '1.2.3', '0x7f000001'],
    ]) {
      assert.equal(isInternalAddress(address), true, address)
    }
  })

  test('ordinary internet addresses are not internal', () => {
    for (const address of ['8.8.8.8', '100.63.255.255', '100.128.0.0', '172.15.0.1', '172.32.0.1', '192.167.1.1']) {
      assert.equal(isInternalAddress(address), false, address)
    }
    for (const address of ['2606:4700:4700::1111', '2a00:1450:4001::200e', '2001:4860:4860::8888']) {
      assert.equal(isInternalAddress(address), false, address)
    }
  })
})
