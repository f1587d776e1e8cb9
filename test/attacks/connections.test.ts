import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, createServer, get } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import * as limits from '../../src/domain/limits/limits.ts'
import { rejectInvalid } from '../../src/http/new-app.ts'
import { provisionListeningBot } from '../support/bot-runtime.ts'
import { startGatehouse } from '../support/gatehouse-process.ts'
import { listening } from '../support/local-server.ts'
import { faultsIn } from '../support/log-lines.ts'
import { RawConnection } from '../support/raw-http.ts'
import { operatedEnvironment } from '../support/service-process-client.ts'
import { openWorld, type World } from '../support/world.ts'

const listeners = ['baseUrl', 'apiUrl', 'portalUrl', 'controlUrl'] as const

/** Incomplete requests, cut off at different points. The rest is never sent. */
const beginnings = [
  'G',
  'GET / HTTP/1.1\r\nHost: lo',
  'POST /greeter/hooks/orders HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhalf',
  'POST /sign-in HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 9\r\n\r\na',
  'POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab',
  '',
]

async function answersAll(world: World): Promise<void> {
  for (const [url, status] of [
    [`${world.baseUrl}/sign-in`, 200],
    [`${world.apiUrl}/health`, 200],
    [`${world.portalUrl}/reference`, 200],
    [`${world.controlUrl}/livez`, 200],
  ] as const) {
    assert.equal((await fetch(url)).status, status, url)
  }
}

test('our choice: CONNECT to the gateway gets 405, and the service still responds after clients reset such connections', async (t) => {
  const world = await openWorld(t)
  const polite = await RawConnection.to(t, world.apiUrl)
  polite.write(`CONNECT /x HTTP/1.1\r\nHost: a\r\n\r\n${'x'.repeat(300_000)}`)
  const { status, headers, body } = await polite.answer()
  assert.deepEqual([status, headers.allow, body], [405, 'POST', '{"error": "Method not allowed."}'])
  assert.equal(await polite.ended(), '')
  for (let sent = 0; sent < 100; sent += 1) {
    const rude = await RawConnection.to(t, world.apiUrl)
    await rude.flushed(`CONNECT /x HTTP/1.1\r\nHost: a\r\n\r\n${'x'.repeat(sent * 2_000)}`)
    if (sent % 2 === 0) await wait(1)
    rude.reset()
  }
  await answersAll(world)
  // Stopping must not wait for any of the open connections.
  await world.stop()
})

test('our choice: five hundred connections that stall in the middle of a request don’t delay other requests, and are closed in time', async (t) => {
  const short = { headersTimeout: 2_000, requestTimeout: 2_500, connectionsCheckingInterval: 50 }
  const world = await openWorld(t, {}, { timeouts: short })
  await provisionListeningBot(world.service)
  const connections = await Promise.all(
    Array.from({ length: 500 }, (_, at) => RawConnection.to(t, world[listeners[at % 4] as (typeof listeners)[number]])),
  )
  connections.forEach((connection, at) => {
    connection.write(beginnings[at % beginnings.length] as string)
  })
  await answersAll(world)
  await Promise.all(connections.map((connection) => connection.closed()))
  await answersAll(world)
})

test('our choice: an address that keeps its share of connections open gets no further ones; others are still answered', async (t) => {
  const env: Record<string, string> = { ...(await operatedEnvironment(t)), LOG_LEVEL: 'warn' }
  const main = join(import.meta.dirname, '../../src/main.ts')
  const limited = ['sh', '-c', 'ulimit -n 300; exec "$0" "$@"', process.execPath, main] as const
  await startGatehouse(t, ['serve'], env, limited).ready()
  const statusFrom = (localAddress: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const asking = get(`${env.API_URL}/health`, { agent: new Agent({ keepAlive: true }), family: 4, localAddress })
      asking.on('response', (response) => resolve(response.resume().statusCode))
      asking.on('error', reject)
      t.after(() => asking.destroy())
    })
  await assert.rejects(Promise.all(Array.from({ length: 300 }, () => statusFrom('127.0.0.1'))), { code: 'ECONNRESET' })
  assert.equal(await statusFrom('127.0.0.2'), 200)
})

test('our choice: an address with many connections gets Node’s limit for headers on further ones; others still send long ones', async (t) => {
  const world = await openWorld(t)
  const { host, hostname, port } = new URL(world.baseUrl)
  const held: Socket[] = []
  t.after(() => held.map((socket) => socket.destroy()))
  const statusFrom = (localAddress: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = { host, authorization: `Bearer ${'x'.repeat(40_000)}` }
      const options = { agent: false, family: 4, hostname, port, localAddress, headers, path: '/api/oauth/userinfo' }
      get(options, (response) => resolve(response.resume().statusCode)).on('error', reject)
    })
  assert.equal(await statusFrom('127.0.0.1'), 401)
  for (let n = 0; n < limits.longHeadersPerAddress; n += 1) {
    const socket = connect({ host: hostname, port: Number(port), family: 4 })
    held.push(socket)
    await once(socket, 'connect')
  }
  assert.equal(await statusFrom('127.0.0.1'), 431)
  assert.equal(await statusFrom('127.0.0.2'), 401)
})

test('our choice: connections that are reset at any point of a request cause no errors', async (t) => {
  const world = await openWorld(t)
  const { botId, path } = await provisionListeningBot(world.service)
  const requests = [
    ['apiUrl', `POST /${botId}/${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello`],
    ['apiUrl', 'GET /runtime HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n'],
    ['apiUrl', 'BREW / HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['baseUrl', 'GET /sign-in HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['baseUrl', `GET /botstatus/${botId}/events HTTP/1.1\r\nHost: a\r\n\r\n`],
    ['baseUrl', `GET /botstatus/${botId}/preview.png HTTP/1.1\r\nHost: a\r\n\r\n`],
    ['baseUrl', 'POST /api/oauth/token HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello'],
    ['baseUrl', 'CONNECT /x HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['portalUrl', 'GET /reference HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['controlUrl', 'GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n'],
  ] as const
  for (const [listener, request] of requests) {
    for (let bytes = 1; bytes < request.length * 2; bytes += Math.ceil(request.length / 12)) {
      const connection = await RawConnection.to(t, world[listener])
      await connection.flushed(request.slice(0, bytes))
      if (bytes >= request.length) await wait(bytes % 3)
      connection.reset()
    }
  }
  await answersAll(world)
  assert.deepEqual(faultsIn(world), [])
  await world.stop()
})

test('our choice: a connection with more than 4,096 requests behind the one whose response is due is closed', async (t) => {
  // A server that first answers all, then nothing: a listener may answer some requests before the last have arrived.
  const isRejected = rejectInvalid(() => assert.fail('each request is valid'))
  let taken = 0
  const server = createServer((request, response) => {
    if (isRejected(request, response)) return
    if (request.url === '/answered') response.end()
    else taken += 1
  })
  const flood = await RawConnection.to(t, await listening(t, server))
  for (let sent = 0; sent <= limits.pipelinedRequestsMax; sent += 1_000) {
    flood.write('GET /answered HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(1_000))
    for (let at = 0; at < 1_000; at += 1) await flood.answer({ bodiless: true })
  }
  flood.write('GET /x HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(1_000 + limits.pipelinedRequestsMax))
  await flood.closed()
  assert.equal(taken, 1 + limits.pipelinedRequestsMax)
})
