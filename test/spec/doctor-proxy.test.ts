import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { createServer, get, type IncomingMessage, request, type Server } from 'node:http'
import { describe, type TestContext, test } from 'node:test'
import { doctor } from '../support/doctor.ts'
import { freePorts } from '../support/free-ports.ts'
import { freshEnvironment, startInProcess } from '../support/gatehouse-process.ts'
import { listening } from '../support/local-server.ts'
import { emptyDatabase } from '../support/postgres/test-database.ts'

const forwarded = (headers: Headers, peer: string) => ({ ...headers, 'x-forwarded-for': peer })
const correct = ['ok: requests to the public URLs arrive correctly']

describe('our choice: gatehouse doctor sends requests through the proxy and checks what arrives (0085)', () => {
  test('doctor passes a correct proxy with a matching TRUST_PROXY, whose health checks are not mistaken for its request, and warns of an idle timeout shorter than those of common proxies', async (t) => {
    const healthCheck = (port: string) =>
      new Promise((resolve) => {
        get({ host: '127.0.0.1', port, path: '/health', agent: false }, (answer) => answer.resume().on('end', resolve))
      })
    const env = await behindProxies(t, forwarded, { beforeEach: healthCheck })
    const examined = await doctor(t, { ...env, TRUST_PROXY: '1' })
    assert.deepEqual(examined.of('settings'), ['ok: all settings are valid'])
    assert.deepEqual(examined.of('proxy'), correct)
    const short = await doctor(t, { ...env, TRUST_PROXY: '1', KEEP_ALIVE_SECONDS: '75' })
    const idle = 'warning: KEEP_ALIVE_SECONDS is 75: a proxy that keeps idle connections for longer loses requests'
    assert.deepEqual(short.of('settings'), [idle])
  })

  test('a proxy without TRUST_PROXY is reported as a fault, since all clients would share one address', async (t) => {
    const env = await behindProxies(t, forwarded)
    const examined = await doctor(t, env, 1)
    assert.match(String(examined.of('settings')), /^fault: BASE_URL is .+ without TRUST_PROXY all of its clients share/)
    const findings = examined.of('proxy')
    assert.equal(findings.length, 3)
    const unnamed =
      /^fault: there is a proxy in front of .+arrives as 127\.0\.0\.1\), but TRUST_PROXY does not include it$/
    for (const finding of findings) assert.match(finding, unnamed)
  })

  test('a TRUST_PROXY above the number of proxies is reported as a fault, since clients could forge their address', async (t) => {
    const appended = (headers: Headers, peer: string) => forwarded(headers, `${headers['x-forwarded-for']}, ${peer}`)
    const env = await behindProxies(t, appended)
    const [finding = '', ...rest] = (await doctor(t, { ...env, TRUST_PROXY: '2' }, 1)).of('proxy')
    const forgeable = /^fault: a client of .+ can forge its address: TRUST_PROXY trusts more than the actual proxies/
    assert.match(finding, forgeable)
    assert.equal(rest.length, 2)
    assert.deepEqual((await doctor(t, { ...env, TRUST_PROXY: '1' })).of('proxy'), correct)
  })

  test('a proxy that changes Host or drops WebSocket upgrades is reported as a fault', async (t) => {
    const toInside = (headers: Headers, peer: string) => ({ ...forwarded(headers, peer), host: 'inside' })
    const env = await behindProxies(t, toInside, { upgrades: false })
    const examined = await doctor(t, { ...env, TRUST_PROXY: '1' }, 1)
    const findings = examined.of('proxy')
    assert.equal(findings.length, 4)
    for (const finding of findings.slice(0, 3)) assert.match(finding, /^fault: .+ arrives with Host "inside"$/)
    assert.match(findings[3] ?? '', /^fault: a WebSocket to .+\/runtime gets status 200, so no runtime can connect$/)
  })

  test('a public URL that another service answers is reported as a fault', async (t) => {
    const env = await behindProxies(t, forwarded)
    const [elsewhere] = await freePorts(1)
    const examined = await doctor(t, { ...env, TRUST_PROXY: '1', PORTAL_PORT: String(elsewhere) }, 1)
    const answered = `fault: ${env.PORTAL_URL} gets status 502 from something other than this service`
    assert.deepEqual(examined.of('proxy'), [answered])
  })
})

describe('our choice: gatehouse doctor behind a load balancer with several nodes (0085)', () => {
  test('doctor reports no fault if another node answers the request that doctor sent', async (t) => {
    const env: Record<string, string> = { ...(await behindProxies(t, forwarded)), TRUST_PROXY: '1' }
    await startInProcess(t, env)
    const { of } = await doctor(t, { ...env, ...(await otherNode(t)) })
    const urls = `${env.BASE_URL}, ${env.API_URL}, ${env.PORTAL_URL}`
    assert.deepEqual(of('proxy'), [`ok: another node answers ${urls}, so what arrives at this one is not checked`])
  })

  test('for a stopped node, doctor only warns if no node behind the load balancer is ready', async (t) => {
    const env: Record<string, string> = { ...(await freshEnvironment(t)), ...(await otherNode(t)), TRUST_PROXY: '1' }
    const findings: string[] = []
    for (const name of ['BASE', 'API', 'PORTAL']) {
      const proxy = createServer((_request, response) => response.writeHead(503).end())
      const url = await atLocalhost(t, proxy)
      env[`${name}_URL`] = url
      findings.push(`warning: ${url} gets status 503: no node behind the proxy is ready, or it forwards elsewhere`)
    }
    const examined = await doctor(t, env)
    assert.deepEqual(examined.of('proxy'), findings)
    assert.match(examined.remedy(findings[0] as string), /^remedy: start the service and run doctor again;/)
  })

  test('for a running node on PostgreSQL, doctor says that another node may have answered', async (t) => {
    const proxies = await behindProxies(t, forwarded)
    const secrets = { SECRET_KEY: 's'.repeat(40), OPERATOR_KEY: 'o'.repeat(40) }
    const env = { ...proxies, ...secrets, TRUST_PROXY: '1', DATABASE_URL: await emptyDatabase() }
    await startInProcess(t, env)
    const reached =
      'ok: the public URLs reach this service, at this or another node; X-Forwarded-For is only checked while it is stopped'
    assert.deepEqual((await doctor(t, env)).of('proxy'), [reached])
  })
})

/**
 * Returns the settings in which another node behind the same public URLs differs from a node. The other node is never
 * started.
 */
async function otherNode(t: TestContext): Promise<Record<string, string>> {
  const { DATA_DIR, CONTROL_URL } = await freshEnvironment(t)
  mkdirSync(DATA_DIR, { mode: 0o700 })
  const [base, api, portal] = await freePorts(3)
  const ports = { BASE_PORT: String(base), API_PORT: String(api), PORTAL_PORT: String(portal) }
  return { DATA_DIR, CONTROL_URL: CONTROL_URL as string, ...ports }
}

type Headers = IncomingMessage['headers']

/** Starts a proxy for each public URL. Returns settings for a service behind these proxies. */
async function behindProxies(
  t: TestContext,
  rewrite: (headers: Headers, peer: string) => Headers,
  {
    upgrades = true,
    beforeEach = async () => {},
  }: { upgrades?: boolean; beforeEach?: (port: string) => Promise<unknown> } = {},
): Promise<Record<string, string>> {
  const env = await freshEnvironment(t)
  mkdirSync(env.DATA_DIR, { mode: 0o700 })
  for (const name of ['BASE', 'API', 'PORTAL']) {
    const { port } = new URL(env[`${name}_URL`] as string)
    const proxy = createServer(async (incoming, response) => {
      await beforeEach(port)
      const { connection, upgrade, ...passedOn } = incoming.headers
      const headers = rewrite(passedOn, '127.0.0.1')
      const passed = request({ port, host: '127.0.0.1', path: incoming.url, headers, agent: false }, (answer) => {
        response.writeHead(answer.statusCode ?? 0, answer.headers)
        answer.pipe(response)
      })
      passed.on('error', () => response.writeHead(502).end())
      passed.end()
    })
    if (upgrades) {
      proxy.on('upgrade', (incoming, socket) => {
        const headers = { ...rewrite(incoming.headers, '127.0.0.1'), connection: 'Upgrade', upgrade: 'websocket' }
        const passed = request({ port, host: '127.0.0.1', path: incoming.url, headers, agent: false })
        passed.on('upgrade', () =>
          socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
        )
        passed.on('error', () => socket.destroy())
        passed.end()
      })
    }
    env[`${name}_URL`] = await atLocalhost(t, proxy)
    env[`${name}_PORT`] = port
  }
  return env
}

async function atLocalhost(t: TestContext, proxy: Server): Promise<string> {
  return (await listening(t, proxy)).replace('127.0.0.1', 'localhost')
}
