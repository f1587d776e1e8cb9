import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import { freshEnvironment, startGatehouse } from '../support/gatehouse-process.ts'
import { emptyDatabase } from '../support/postgres/test-database.ts'
import { freePorts } from '../support/world.ts'

interface Examination {
  exitCode: number | NodeJS.Signals
  text: string
  /** What was said of a subject, with its level in front. */
  of(subject: string): string[]
  /** The remedy that follows a finding. */
  remedy(finding: string): string
}

async function doctor(t: TestContext, env: Record<string, string>): Promise<Examination> {
  const process = startGatehouse(t, ['doctor'], env)
  const exitCode = await process.exited
  assert.equal(process.stderr(), '')
  const text = process.stdout()
  const lines = text.trimEnd().split('\n')
  const findings = lines.map((line) => /^(ok|warning|fault) +([a-z]+) +(.+)$/.exec(line))
  return {
    exitCode,
    text,
    of: (subject) => findings.flatMap((found) => (found?.[2] === subject ? [`${found[1]}: ${found[3]}`] : [])),
    remedy(finding) {
      const at = lines.findIndex((line) => line.endsWith(finding.slice(finding.indexOf(': ') + 2)))
      return (lines[at + 1] ?? '').trim()
    },
  }
}

/** Leaves what a start and an end of the service leave. */
async function onceStarted(t: TestContext, env: Record<string, string>): Promise<void> {
  const service = startGatehouse(t, ['serve'], env)
  await service.ready()
  service.signal('SIGTERM')
  assert.equal(await service.exited, 0)
}

describe('our choice: gatehouse doctor examines what the service needs, each finding with its remedy (0038)', () => {
  test('a machine without data has no fault, and stays as it was', async (t) => {
    const env = await freshEnvironment(t)
    const examined = await doctor(t, env)
    assert.equal(examined.exitCode, 0, examined.text)
    assert.deepEqual(examined.of('settings'), ['ok: every setting can be used'])
    assert.deepEqual(examined.of('database'), [
      `ok: ${env.DATA_DIR}/identity.sqlite is not there yet; the first start makes it`,
      `ok: ${env.DATA_DIR}/queue.sqlite is not there yet; the first start makes it`,
    ])
    const ports = ['BASE_URL', 'API_URL', 'PORTAL_URL', 'CONTROL_URL'].map((name) => new URL(env[name] as string).port)
    assert.deepEqual(examined.of('ports'), [`ok: ${ports.join(', ')} are free`])
    assert.deepEqual(examined.of('proxy'), ['ok: requests to the public addresses arrive as they should'])
    assert.deepEqual(readdirSync(join(env.DATA_DIR, '..')), [])
  })

  test('a running service is asked whether it is ready, and reached by its public addresses', async (t) => {
    const env = await freshEnvironment(t)
    const service = startGatehouse(t, ['serve'], env)
    await service.ready()
    const before = readdirSync(env.DATA_DIR).sort()
    const examined = await doctor(t, env)
    assert.equal(examined.exitCode, 0, examined.text)
    assert.deepEqual(examined.of('ports'), [`ok: the service is running, and ready (${env.CONTROL_URL}/readyz)`])
    assert.deepEqual(examined.of('proxy'), [
      'ok: the public addresses lead here; what arrives of X-Forwarded-For is examined while the service is stopped',
    ])
    assert.deepEqual(examined.of('keys'), ['ok: keys and data are readable by their user alone'])
    assert.match(examined.of('database').join('\n'), /identity\.sqlite can be read by SQLite [0-9.]+, schema \d+\n/)
    assert.deepEqual(readdirSync(env.DATA_DIR).sort(), before)
  })

  test('settings that can not be used are told one by one, and end with 78', async (t) => {
    const env = { ...(await freshEnvironment(t)), SECRET_KEY: 'short', SIGN_UP: 'perhaps' }
    const examined = await doctor(t, env)
    assert.equal(examined.exitCode, 78)
    assert.deepEqual(examined.of('settings'), [
      'fault: SECRET_KEY is a value of 5 characters; it takes at least 32 characters; leave it out to have one made',
      'fault: SIGN_UP is "perhaps"; it takes one of open, closed',
    ])
    assert.ok(!examined.text.includes('short'))
  })

  test('keys: modes, a key that is missing from its data, one that is too short', async (t) => {
    const env = await freshEnvironment(t)
    await onceStarted(t, env)
    const secretKey = join(env.DATA_DIR, 'secret.key')

    chmodSync(secretKey, 0o640)
    const open = await doctor(t, env)
    assert.equal(open.exitCode, 1)
    const [finding = ''] = open.of('keys')
    assert.equal(finding, `fault: ${secretKey} has mode 0640: other users of this machine can reach it`)
    assert.equal(open.remedy(finding), `remedy: chmod 600 ${secretKey}`)

    chmodSync(secretKey, 0o600)
    const whole = readFileSync(secretKey)
    writeFileSync(secretKey, 'short\n')
    assert.deepEqual((await doctor(t, env)).of('keys'), [`fault: ${secretKey} holds 5 characters, too few`])
    rmSync(secretKey)
    assert.match(String((await doctor(t, env)).of('keys')), /^fault: there is data .+ but neither SECRET_KEY nor /)
    writeFileSync(secretKey, whole, { mode: 0o600 })
    assert.equal((await doctor(t, env)).exitCode, 0)
  })

  test('data that a newer release wrote, that is damaged, or that was written when the clock was ahead', async (t) => {
    const env = await freshEnvironment(t)
    await onceStarted(t, env)
    const identity = join(env.DATA_DIR, 'identity.sqlite')
    const queue = join(env.DATA_DIR, 'queue.sqlite')
    const db = new DatabaseSync(identity)
    db.exec('PRAGMA user_version = 900')
    db.close()
    writeFileSync(queue, 'this is no database, whatever its name says'.repeat(100))
    const later = new Date(Date.now() + 3_600_000)
    utimesSync(identity, later, later)

    const examined = await doctor(t, env)
    assert.equal(examined.exitCode, 1)
    const [newer = '', damaged = ''] = examined.of('database')
    assert.match(newer, /^fault: .+identity\.sqlite was written by a newer release \(schema 900, this one knows \d+\)$/)
    assert.equal(examined.remedy(newer), 'remedy: run that release, or restore the backup from before the upgrade')
    assert.match(damaged, /^fault: .+queue\.sqlite can't be read \(file is not a database\)$/)
    assert.match(String(examined.of('clock')), /^fault: stands 3\d\d\d s before the last write to /)
  })

  test('a port that something else has', async (t) => {
    const env = await freshEnvironment(t)
    const port = Number(new URL(env.API_URL as string).port)
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve))
    t.after(() => other.close())
    const examined = await doctor(t, env)
    assert.equal(examined.exitCode, 1)
    const [finding = ''] = examined.of('ports')
    assert.equal(finding, `fault: port ${port} of localhost is in use, by something that is not this service`)
    assert.equal(examined.remedy(finding), 'remedy: stop what listens there, or set API_URL or API_PORT')
  })

  test('a provider whose clock is another', async (t) => {
    const provider = createServer((_request, response) => {
      response.setHeader('date', new Date(Date.now() + 60_000).toUTCString())
      response.end()
    })
    await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
    t.after(() => provider.close())
    const host = `127.0.0.1:${(provider.address() as AddressInfo).port}`
    const examined = await doctor(t, {
      ...(await freshEnvironment(t)),
      UPSTREAM_ISSUER: `http://${host}`,
      UPSTREAM_CLIENT_ID: 'gate',
      UPSTREAM_CLIENT_SECRET: 'secret-of-the-gate',
    })
    assert.match(String(examined.of('clock')), new RegExp(`^fault: is (59|60) s behind that of ${host}$`))
    assert.ok(!examined.text.includes('secret-of-the-gate'))
  })
})

describe('our choice: doctor sends requests through the proxy and judges what arrives (0038)', () => {
  test('a proxy that does all it should, and TRUST_PROXY that says so', async (t) => {
    const env = await behindProxies(t, (headers, peer) => ({ ...headers, 'x-forwarded-for': peer }))
    const examined = await doctor(t, { ...env, TRUST_PROXY: '1' })
    assert.deepEqual(examined.of('settings'), ['ok: every setting can be used'])
    assert.deepEqual(examined.of('proxy'), ['ok: requests to the public addresses arrive as they should'])
  })

  test('without TRUST_PROXY all of its clients share one address', async (t) => {
    const env = await behindProxies(t, (headers, peer) => ({ ...headers, 'x-forwarded-for': peer }))
    const examined = await doctor(t, env)
    assert.equal(examined.exitCode, 1)
    assert.match(String(examined.of('settings')), /^fault: BASE_URL is .+ without TRUST_PROXY all of its clients share/)
    const findings = examined.of('proxy')
    assert.equal(findings.length, 3)
    for (const finding of findings) {
      assert.match(
        finding,
        /^fault: a proxy stands before .+arrives as 127\.0\.0\.1\), and TRUST_PROXY does not say so$/,
      )
    }
  })

  test('with too many trusted hops a caller chooses its own address', async (t) => {
    const env = await behindProxies(t, (headers, peer) => ({
      ...headers,
      'x-forwarded-for': `${headers['x-forwarded-for']}, ${peer}`,
    }))
    const [finding = '', ...rest] = (await doctor(t, { ...env, TRUST_PROXY: '2' })).of('proxy')
    assert.match(finding, /^fault: a caller of .+ chooses its own address: TRUST_PROXY trusts more than the proxies/)
    assert.equal(rest.length, 2)
    assert.deepEqual((await doctor(t, { ...env, TRUST_PROXY: '1' })).of('proxy'), [
      'ok: requests to the public addresses arrive as they should',
    ])
  })

  test('a proxy that changes Host, and one that drops the upgrade of WebSockets', async (t) => {
    const env = await behindProxies(
      t,
      (headers, peer) => ({ ...headers, host: 'inside', 'x-forwarded-for': peer }),
      'no upgrades',
    )
    const examined = await doctor(t, { ...env, TRUST_PROXY: '1' })
    const findings = examined.of('proxy')
    assert.equal(findings.length, 4)
    for (const finding of findings.slice(0, 3)) assert.match(finding, /^fault: .+ arrives with Host "inside"$/)
    assert.match(
      findings[3] ?? '',
      /^fault: a WebSocket to .+\/runtime is answered 200, so no bot runtime can connect$/,
    )
  })

  test('a proxy that leads elsewhere', async (t) => {
    const env = await behindProxies(t, (headers, peer) => ({ ...headers, 'x-forwarded-for': peer }))
    const [elsewhere] = await freePorts(1)
    const examined = await doctor(t, { ...env, TRUST_PROXY: '1', PORTAL_PORT: String(elsewhere) })
    assert.deepEqual(examined.of('proxy'), [
      `fault: ${env.PORTAL_URL} is answered 502 by something else than this service`,
    ])
  })
})

type Headers = IncomingMessage['headers']

/** An environment whose three public addresses are those of proxies. */
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

describe('our choice: gatehouse doctor examines the database of many nodes (0038)', () => {
  const onDatabase = (url: string) => ({ DATABASE_URL: url, SECRET_KEY: 'a key of the tests, long enough to be one' })

  test('a server that takes writes is told with its version', async (t) => {
    const url = await emptyDatabase()
    const env = { ...(await freshEnvironment(t)), ...onDatabase(url) }
    const { exitCode, text, of } = await doctor(t, env)
    assert.equal(exitCode, 0, text)
    assert.match(of('database').join(), /^ok: 127\.0\.0\.1:\d+ is PostgreSQL 1\d\.\d+, and takes writes$/)
  })

  test('its own directory keeps nothing then: neither who else may reach it nor its disk matters', async (t) => {
    const url = await emptyDatabase()
    const env = {
      ...(await freshEnvironment(t)),
      ...onDatabase(url),
      OPERATOR_KEY: 'a key of operators, long enough to be one',
    }
    mkdirSync(env.DATA_DIR)
    chmodSync(env.DATA_DIR, 0o777)
    const { exitCode, text, of } = await doctor(t, env)
    assert.equal(exitCode, 0, text)
    assert.deepEqual([of('data'), of('disk')], [[], []])
  })

  test('a server that can’t be reached is a fault, and its password is not told', async (t) => {
    const [port] = await freePorts(1)
    const env = { ...(await freshEnvironment(t)), ...onDatabase(`postgres://gate:hidden@127.0.0.1:${port}/gatehouse`) }
    const { exitCode, text, of, remedy } = await doctor(t, env)
    assert.equal(exitCode, 1, text)
    const [finding = ''] = of('database')
    assert.match(finding, /^fault: 127\.0\.0\.1:\d+ can't be asked \(/)
    assert.match(remedy(finding), /check DATABASE_URL/)
    assert.doesNotMatch(text, /hidden/)
  })
})
