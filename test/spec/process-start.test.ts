import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import {
  ended,
  freshEnvironment,
  serve,
  startFailure,
  startGatehouse,
  startInProcess,
  stopped,
} from '../support/gatehouse-process.ts'
import { pluck } from '../support/together.ts'

describe('Startup', () => {
  test('npm start serves; the last line on standard error contains ready and the four addresses', async (t) => {
    const env = await freshEnvironment(t)
    const started = startGatehouse(t, ['start'], env, ['npm'])
    await started.ready()
    const last = started.stderr().trimEnd().split('\n').at(-1) ?? ''
    for (const variable of ['BASE_URL', 'API_URL', 'PORTAL_URL', 'CONTROL_URL']) {
      assert.ok(last.includes(env[variable] as string), `${variable} in: ${last}`)
      assert.ok((await fetch(env[variable] as string)).status > 0)
    }
    await stopped(started)
  })

  test('logs are JSON lines on standard output; the first start prints the path of the operator key; both keys have mode 0600 and are kept; our choice: files in the data directory are not readable by other users', async (t) => {
    const env = await freshEnvironment(t)
    const operatorKey = join(env.DATA_DIR, 'operator.key')
    const paths = [operatorKey, join(env.DATA_DIR, 'secret.key')]
    const readKeys = () => paths.map((path) => readFileSync(path, 'utf8'))

    const first = await serve(t, env)
    assert.ok(first.stderr().includes(operatorKey))
    assert.ok(first.stdout().includes('first start: no data in DATA_DIR'))
    for (const path of paths) assert.equal(statSync(path).mode & 0o777, 0o600)
    const files = [env.DATA_DIR, ...readdirSync(env.DATA_DIR).map((name) => join(env.DATA_DIR, name))]
    assert.ok(files.length > 1)
    const accessible = files.filter((path) => (statSync(path).mode & 0o077) !== 0)
    assert.deepEqual(accessible, [])
    const keys = readKeys()
    for (const key of keys) {
      assert.match(key, /^[A-Za-z0-9_-]{43}\n$/)
      assert.ok(!(first.stdout() + first.stderr()).includes(key.trim()))
    }
    const lines = (await stopped(first)).stdout.trimEnd().split('\n')
    assert.ok(lines.length > 1)
    for (const line of lines) assert.equal(typeof JSON.parse(line).level, 'number')

    const second = await serve(t, env)
    assert.ok(!second.stdout().includes('first start'))
    assert.ok(!second.stderr().includes(operatorKey))
    assert.deepEqual(readKeys(), keys)
    await stopped(second)
  })

  test('our choice: for localhost the service listens on both loopback addresses', async (t) => {
    const env = await freshEnvironment(t)
    await startInProcess(t, env)
    const addresses = Object.values(networkInterfaces()).flatMap((all = []) => pluck(all, 'address'))
    const hosts = ['127.0.0.1', ...addresses.filter((address) => address === '::1')]
    for (const variable of ['BASE_URL', 'API_URL', 'PORTAL_URL']) {
      const { port } = new URL(env[variable] as string)
      for (const host of hosts) {
        const socket = connect(Number(port), host)
        t.after(() => socket.destroy())
        await once(socket, 'connect')
      }
    }
  })

  test('LOG_LEVEL=silent turns logging off', async (t) => {
    const env = { ...(await freshEnvironment(t)), LOG_LEVEL: 'silent' }
    const started = await serve(t, env)
    started.signal('SIGTERM')
    await started.exited
    assert.equal(started.stdout(), '')
  })
})

describe('Startup fails with exit code 78 and one line per error if values are wrong or missing', () => {
  test('each startup error names the variable and the expected value', async (t) => {
    const wrong = { BASE_URL: 'nowhere', SECRET_KEY: 'short', SIGN_UP: 'perhaps', DATA_DIR: '/dev/null' }
    const env = { ...(await freshEnvironment(t)), ...wrong }
    const started = await ended(startGatehouse(t, ['serve'], env), 78)
    assert.deepEqual(started.stderr.split('\n'), [
      'gatehouse: BASE_URL must be an http:// or https:// URL without path, query or user, such as http://localhost:3000; got "nowhere"',
      'gatehouse: SECRET_KEY must be at least 32 characters, or unset to have one generated; got 5 characters',
      'gatehouse: SIGN_UP must be one of open, closed; got "perhaps"',
      `gatehouse: DATA_DIR "/dev/null" can't be written (ENOTDIR: not a directory, mkdtemp '/dev/null/.probe-XXXXXX'); set it to a directory that this user can create and write`,
      '',
    ])
    assert.equal(started.stdout, '')
  })

  test('startup fails if DATA_DIR can’t be created or written; our choice: and if LISTEN_HOST is not an address of this machine', async (t) => {
    const env = await freshEnvironment(t)
    const notWritten =
      /^gatehouse: DATA_DIR "[^"]+" can't be written \(.+\); set it to a directory that this user can create and write\n$/
    const notHere = /^gatehouse: can't listen on 192\.0\.2\.1 .+; set LISTEN_HOST to an address of this machine\n$/
    for (const [wrong, error] of [
      [{ DATA_DIR: '/dev/null/below' }, notWritten],
      [{ DATA_DIR: '/proc/gatehouse' }, notWritten],
      [{ LISTEN_HOST: '192.0.2.1' }, notHere],
    ] as const) {
      const [exitCode, message] = await startFailure(t, { ...env, ...wrong })
      assert.equal(exitCode, 78)
      assert.match(message, error)
    }
  })

  test('our choice: startup fails if a key file has no usable key, and the file is not changed', async (t) => {
    const env = await freshEnvironment(t)
    mkdirSync(env.DATA_DIR)
    const path = join(env.DATA_DIR, 'secret.key')
    writeFileSync(path, 'cut')
    chmodSync(path, 0o600)
    const error = `gatehouse: ${path} has a key of 3 characters, but a key needs at least 32; restore it from your backup\n`
    assert.deepEqual(await startFailure(t, env), [78, error])
    assert.equal(readFileSync(path, 'utf8'), 'cut')
  })
})

describe('our choice: startup fails with exit code 1 and one line if another process uses a port or the data directory', () => {
  for (const [prefix, host] of [
    ['BASE', 'localhost'],
    ['API', 'localhost'],
    ['PORTAL', 'localhost'],
    ['CONTROL', '127.0.0.1'],
  ] as const) {
    test(`the error for a port that is already in use names ${prefix}_URL and ${prefix}_PORT`, async (t) => {
      const env = await freshEnvironment(t)
      const port = Number(new URL(env[`${prefix}_URL`] as string).port)
      const squatter = createServer().listen(port, host)
      t.after(() => squatter.close())
      await once(squatter, 'listening')
      const error = `gatehouse: port ${port} of ${host} is already in use; stop the program that listens there, or set ${prefix}_URL or ${prefix}_PORT\n`
      assert.deepEqual(await startFailure(t, env), [1, error])
      assert.ok(!existsSync(join(env.DATA_DIR, 'gatehouse.pid')), 'the data directory was released')
      assert.ok(!existsSync(join(env.DATA_DIR, 'operator.key')), 'the next start creates one, and prints its path')
    })
  }

  test('a second process can’t use the data directory, and kill -9 leaves no lock behind', async (t) => {
    const env = await freshEnvironment(t)
    const first = await serve(t, env)

    const elsewhere = { ...(await freshEnvironment(t)), DATA_DIR: env.DATA_DIR }
    const second = await ended(startGatehouse(t, ['serve'], elsewhere), 1)
    const inUse = `gatehouse: DATA_DIR "${env.DATA_DIR}" is in use by another Gatehouse (process ${first.pid}); stop that one, or set another DATA_DIR\n`
    assert.equal(second.stderr, inUse)

    first.signal('SIGKILL')
    assert.equal(await first.exited, 'SIGKILL')
    await startInProcess(t, env)
  })
})
