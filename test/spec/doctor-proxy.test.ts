import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { doctor } from '../support/doctor.ts'
import { freshEnvironment } from '../support/gatehouse-process.ts'
import { freePorts } from '../support/world.ts'

describe('our choice: gatehouse doctor sends requests through the proxy and checks what arrives (0085)', () => {
  test('a correct proxy with a matching TRUST_PROXY passes', async (t) => {
    const env = await behindProxies(t, (headers, peer) => ({ ...headers, 'x-forwarded-for': peer }))
    const examined = await doctor(t, { ...env, TRUST_PROXY: '1' })
    assert.deepEqual(examined.of('settings'), ['ok: all settings are valid'])
    assert.deepEqual(examined.of('proxy'), ['ok: requests to the public URLs arrive correctly'])
  })

  test('a proxy without TRUST_PROXY is reported as a fault, since all clients would share one address', async (t) => {
    const env = await behindProxies(t, (headers, peer) => ({ ...headers, 'x-forwarded-for': peer }))
    const examined = await doctor(t, env)
    assert.equal(examined.exitCode, 1)
    assert.match(String(examined.of('settings')), /^fault: BASE_URL is .+ without TRUST_PROXY all of its clients share/)
    const findings = examined.of('proxy')
    assert.equal(findings.length, 3)
    for (const finding of findings) {
      assert.match(
        finding,
        /^fault: there is a proxy in front of .+arrives as 127\.0\.0\.1\), but TRUST_PROXY does not include it$/,
      )
    }
  })

  test('a TRUST_PROXY above the number of proxies is reported as a fault, since clients could forge their address', async (t) => {
    const env = await behindProxies(t, (headers, peer) => ({
      ...headers,
      'x-forwarded-for': `${headers['x-forwarded-for']}, ${peer}`,
    }))
    const [finding = '', ...rest] = (await doctor(t, { ...env, TRUST_PROXY: '2' })).of('proxy')
    assert.match(
      finding,
      /^fault: a client of .+ can forge its address: TRUST_PROXY trusts more than the actual proxies/,
    )
    assert.equal(rest.length, 2)
    assert.deepEqual((await doctor(t, { ...env, TRUST_PROXY: '1' })).of('proxy'), [
      'ok: requests to the public URLs arrive correctly',
    ])
  })

  test('a proxy that changes Host or drops WebSocket upgrades is reported as a fault', async (t) => {
    const env = await behindProxies(
      t,
      (headers, peer) => ({ ...headers, host: 'inside', 'x-forwarded-for': peer }),
      'no upgrades',
    )
    const examined = await doctor(t, { ...env, TRUST_PROXY: '1' })
    const findings = examined.of('proxy')
    assert.equal(findings.length, 4)
    for (const finding of findings.slice(0, 3)) assert.match(finding, /^fault: .+ arrives with Host "inside"$/)
    assert.match(findings[3] ?? '', /^fault: a WebSocket to .+\/runtime gets status 200, so no runtime can connect$/)
  })

  test('a public URL that another service answers is reported as a fault', async (t) => {
    const env = await behindProxies(t, (headers, peer) => ({ ...headers, 'x-forwarded-for': peer }))
    const [elsewhere] = await freePorts(1)
    const examined = await doctor(t, { ...env, TRUST_PROXY: '1', PORTAL_PORT: String(elsewhere) })
    assert.deepEqual(examined.of('proxy'), [
      `fault: ${env.PORTAL_URL} gets status 502 from something other than this service`,
    ])
  })
})

type Headers = IncomingMessage['headers']

/** Starts a proxy for each public URL. Returns settings for a service behind these proxies. */
async function behindProxies(
  t: TestContext,
  rewrite: (headers: Headers, peer: string) => Headers,
  upgrades: 'upgrades' | 'no upgrades' = 'upgrades',
): Promise<Record<string, string>> {
  const env = await freshEnvironment(t)
  mkdirSync(env.DATA_DIR, { mode: 0o700 })
  for (const name of ['BASE', 'API', 'PORTAL']) {
    const { port } = new URL(env[`${name}_URL`] as string)
    const proxy = createServer((incoming, response) => {
      const { connection, upgrade, ...passedOn } = incoming.headers
      const headers = rewrite(passedOn, '127.0.0.1')
      const passed = request({ port, host: '127.0.0.1', path: incoming.url, headers, agent: false }, (answer) => {
        response.writeHead(answer.statusCode ?? 0, answer.headers)
        answer.pipe(response)
      })
      passed.on('error', () => response.writeHead(502).end())
      passed.end()
    })
    if (upgrades === 'upgrades') {
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
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    t.after(() => {
      proxy.closeAllConnections()
      proxy.close()
    })
    env[`${name}_URL`] = `http://localhost:${(proxy.address() as AddressInfo).port}`
    env[`${name}_PORT`] = port
  }
  return env
}
