import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { BotRuntime } from '../support/bot-runtime.ts'
import { freshEnvironment, startGatehouse } from '../support/gatehouse-process.ts'
import { provision } from '../support/people.ts'

const root = join(import.meta.dirname, '../..')

describe('Start (contract, section 1)', () => {
  test('npm start serves; the last line on standard error contains ready and the four addresses', async (t) => {
    const env = await freshEnvironment(t)
    const started = startGatehouse(t, ['start'], env, ['npm'])
    await started.ready()
    const last = started.stderr().trimEnd().split('\n').at(-1) ?? ''
    for (const variable of ['BASE_URL', 'API_URL', 'PORTAL_URL', 'CONTROL_URL']) {
      assert.ok(last.includes(env[variable] as string), `${variable} in: ${last}`)
      assert.ok((await fetch(env[variable] as string)).status > 0)
    }
    started.signal('SIGTERM')
    assert.equal(await started.exited, 0)
  })

  test('a first start also prints where the operator key lies; both keys have mode 0600 and stay', async (t) => {
    const env = await freshEnvironment(t)
    const operatorKey = join(env.DATA_DIR, 'operator.key')
    const secretKey = join(env.DATA_DIR, 'secret.key')

    const first = startGatehouse(t, ['serve'], env)
    await first.ready()
    assert.ok(first.stderr().includes(operatorKey))
    assert.deepEqual(
      [operatorKey, secretKey].map((path) => statSync(path).mode & 0o777),
      [0o600, 0o600],
    )
    const keys = [operatorKey, secretKey].map((path) => readFileSync(path, 'utf8'))
    for (const key of keys) {
      assert.match(key, /^[A-Za-z0-9_-]{43}\n$/)
      assert.ok(!(first.stdout() + first.stderr()).includes(key.trim()))
    }
    first.signal('SIGTERM')
    assert.equal(await first.exited, 0)

    const second = startGatehouse(t, ['serve'], env)
    await second.ready()
    assert.ok(!second.stderr().includes(operatorKey))
    assert.deepEqual(
      [operatorKey, secretKey].map((path) => readFileSync(path, 'utf8')),
      keys,
    )
    second.signal('SIGTERM')
    assert.equal(await second.exited, 0)
  })

  test('our choice: localhost is both loopback addresses', async (t) => {
    const env = await freshEnvironment(t)
    const started = startGatehouse(t, ['serve'], env)
    await started.ready()
    const hosts = Object.values(networkInterfaces()).some((addresses) =>
      addresses?.some(({ address }) => address === '::1'),
    )
      ? ['127.0.0.1', '::1']
      : ['127.0.0.1']
    for (const variable of ['BASE_URL', 'API_URL', 'PORTAL_URL']) {
      const { port } = new URL(env[variable] as string)
      for (const host of hosts) await open(t, Number(port), host)
    }
    started.signal('SIGTERM')
    assert.equal(await started.exited, 0)
  })

  test('our choice: nothing in the data directory is readable by other users', async (t) => {
    const env = await freshEnvironment(t)
    const started = startGatehouse(t, ['serve'], env)
    await started.ready()
    const paths = [env.DATA_DIR, ...readdirSync(env.DATA_DIR).map((name) => join(env.DATA_DIR, name))]
    assert.deepEqual(
      paths.filter((path) => (statSync(path).mode & 0o077) !== 0),
      [],
    )
  })

  test('logs are JSON lines on standard output', async (t) => {
    const env = await freshEnvironment(t)
    const started = startGatehouse(t, ['serve'], env)
    await started.ready()
    started.signal('SIGTERM')
    await started.exited
    const lines = started.stdout().trimEnd().split('\n')
    assert.ok(lines.length > 1)
    for (const line of lines) assert.equal(typeof JSON.parse(line).level, 'number')
  })

  test('LOG_LEVEL decides what is logged', async (t) => {
    const env = { ...(await freshEnvironment(t)), LOG_LEVEL: 'silent' }
    const started = startGatehouse(t, ['serve'], env)
    await started.ready()
    started.signal('SIGTERM')
    await started.exited
    assert.equal(started.stdout(), '')
  })
})

describe('A wrong or missing value stops the start with exit code 78 and one line per fault', () => {
  test('each line names the variable and what it takes', async (t) => {
    const env = { ...(await freshEnvironment(t)), BASE_URL: 'nowhere', SECRET_KEY: 'short', SIGN_UP: 'perhaps' }
    const started = startGatehouse(t, ['serve'], env)
    assert.equal(await started.exited, 78)
    assert.equal(
      started.stderr(),
      [
        'gatehouse: BASE_URL is "nowhere"; it takes an http:// or https:// address without path, query or user, such as http://localhost:3000',
        'gatehouse: SECRET_KEY is a value of 5 characters; it takes at least 32 characters; leave it out to have one made',
        'gatehouse: SIGN_UP is "perhaps"; it takes one of open, closed',
        '',
      ].join('\n'),
    )
    assert.equal(started.stdout(), '')
  })

  test("DATA_DIR that can't be created or written is such a fault", async (t) => {
    const env = await freshEnvironment(t)
    mkdirSync(env.DATA_DIR)
    const file = join(env.DATA_DIR, 'file')
    writeFileSync(file, '')
    for (const dataDir of [file, join(file, 'below'), '/proc/gatehouse']) {
      const started = startGatehouse(t, ['serve'], { ...env, DATA_DIR: dataDir })
      assert.equal(await started.exited, 78)
      assert.match(
        started.stderr(),
        /^gatehouse: DATA_DIR is "[^"]+", which can't be written \(.+\); it takes a directory that this user can create and write\n$/,
      )
    }
  })

  test('our choice: a key file that holds no usable key is such a fault, and is left as it is', async (t) => {
    const env = await freshEnvironment(t)
    mkdirSync(env.DATA_DIR)
    const path = join(env.DATA_DIR, 'secret.key')
    writeFileSync(path, 'cut')
    chmodSync(path, 0o600)
    const started = startGatehouse(t, ['serve'], env)
    assert.equal(await started.exited, 78)
    assert.equal(
      started.stderr(),
      `gatehouse: ${path} holds 3 characters; a key has at least 32. Put the key back from your backup\n`,
    )
    assert.equal(readFileSync(path, 'utf8'), 'cut')
  })

  test('our choice: LISTEN_HOST that is no address of this machine is such a fault', async (t) => {
    const env = { ...(await freshEnvironment(t)), LISTEN_HOST: '192.0.2.1' }
    const started = startGatehouse(t, ['serve'], env)
    assert.equal(await started.exited, 78)
    assert.match(
      started.stderr(),
      /^gatehouse: 192\.0\.2\.1 can't be listened on .+; set LISTEN_HOST to an address of this machine\n$/,
    )
  })
})

describe('our choice: what another process holds ends the start with 1 and one line', () => {
  for (const [prefix, host] of [
    ['BASE', 'localhost'],
    ['API', 'localhost'],
    ['PORTAL', 'localhost'],
    ['CONTROL', '127.0.0.1'],
  ] as const) {
    test(`a port in use names ${prefix}_URL and ${prefix}_PORT`, async (t) => {
      const env = await freshEnvironment(t)
      const port = Number(new URL(env[`${prefix}_URL`] as string).port)
      const squatter = createServer().listen(port, host)
      t.after(() => squatter.close())
      await once(squatter, 'listening')
      const started = startGatehouse(t, ['serve'], env)
      assert.equal(await started.exited, 1)
      assert.equal(
        started.stderr().split('\n').at(-2),
        `gatehouse: port ${port} of ${host} is in use already; stop what listens there, or set ${prefix}_URL or ${prefix}_PORT`,
      )
      assert.ok(!existsSync(join(env.DATA_DIR, 'gatehouse.pid')), 'the data directory was let go')
    })
  }

  test('a data directory belongs to one process; kill -9 leaves nothing that hinders the next', async (t) => {
    const env = await freshEnvironment(t)
    const first = startGatehouse(t, ['serve'], env)
    await first.ready()

    const elsewhere = { ...(await freshEnvironment(t)), DATA_DIR: env.DATA_DIR }
    const second = startGatehouse(t, ['serve'], elsewhere)
    assert.equal(await second.exited, 1)
    assert.equal(
      second.stderr(),
      `gatehouse: DATA_DIR is "${env.DATA_DIR}", which another Gatehouse (process ${first.pid}) is using; stop that one, or give this one a DATA_DIR of its own\n`,
    )

    first.signal('SIGKILL')
    assert.equal(await first.exited, 'SIGKILL')
    const third = startGatehouse(t, ['serve'], env)
    await third.ready()
    third.signal('SIGTERM')
    assert.equal(await third.exited, 0)
  })
})

describe('SIGTERM drains: no new connection, work in hand finishes, exit 0 within 10 s', () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(`${signal}: a request half sent is answered, and its connection is then closed`, async (t) => {
      const env = await freshEnvironment(t)
      const started = startGatehouse(t, ['serve'], env)
      await started.ready()
      const port = Number(new URL(env.BASE_URL as string).port)
      const request = await open(t, port)
      const form = 'grant_type=authorization_code'
      request.socket.write(
        'POST /api/oauth/token HTTP/1.1\r\nhost: localhost\r\nconnection: keep-alive\r\n' +
          `content-type: application/x-www-form-urlencoded\r\ncontent-length: ${form.length}\r\n${saysWhenRead}\r\n${form.slice(0, 5)}`,
      )
      await request.receives(goOn)
      const idle = await open(t, port)
      const kept = await open(t, port)
      kept.socket.write('GET /sign-in HTTP/1.1\r\nhost: localhost\r\n\r\n')
      await kept.receives('\r\n\r\n')

      started.signal(signal)
      await untilRefused(port)
      request.socket.write(form.slice(5))
      assert.match(await request.all, /HTTP\/1\.1 401 [\s\S]*connection: close[\s\S]*"error":"invalid_client"/i)
      await Promise.all([idle.all, kept.all])
      assert.equal(await started.exited, 0)
    })
  }

  test('a webhook half sent is accepted, and dispatched after the next start', async (t) => {
    const operatorKey = 'o'.repeat(32)
    const env = { ...(await freshEnvironment(t)), OPERATOR_KEY: operatorKey } as Awaited<
      ReturnType<typeof freshEnvironment>
    >
    const first = startGatehouse(t, ['serve'], env)
    await first.ready()
    const operator = { controlUrl: env.CONTROL_URL as string, operatorKey }
    await provision(operator, 'PUT', '/v1/users/ada', { name: 'Ada' })
    const bot = { ownerId: 'ada', name: 'Lantern', chatPlatformId: '215215215215215215', hostingEnabled: true }
    await provision(operator, 'PUT', '/v1/bots/lantern', bot)
    const flow = { kind: 'event', name: 'Deploys', webhook: { path: 'deploys', requiresKey: false } }
    await provision(operator, 'PUT', '/v1/bots/lantern/flows/deploys', flow)
    const { json: made } = await provision(operator, 'POST', '/v1/runtimes', { name: 'r', botIds: '*' })

    const port = Number(new URL(env.API_URL as string).port)
    const webhook = await open(t, port)
    webhook.socket.write(
      `POST /lantern/deploys HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\n${saysWhenRead}\r\nwho`,
    )
    await webhook.receives(goOn)
    const idle = await open(t, port)
    first.signal('SIGTERM')
    await untilRefused(port)
    webhook.socket.write('le')
    assert.match(await webhook.all, /HTTP\/1\.1 202 [\s\S]*connection: close[\s\S]*\{"ok": true\}$/i)
    await idle.all
    assert.equal(await first.exited, 0)

    const second = startGatehouse(t, ['serve'], env)
    await second.ready()
    const { runtime } = await BotRuntime.ready(t, { apiUrl: env.API_URL as string }, made.key)
    runtime.leavesOnDrain = false
    assert.equal(Buffer.from((await runtime.next('dispatch')).body, 'base64').toString(), 'whole')
    second.signal('SIGTERM')
    assert.equal((await runtime.closed).code, 4012)
    assert.equal(await second.exited, 0)
  })

  test('our choice: a request that never ends is timed out after 5 s, and the exit code is still 0', async (t) => {
    const env = await freshEnvironment(t)
    const started = startGatehouse(t, ['serve'], env)
    await started.ready()
    const stuck = await open(t, Number(new URL(env.BASE_URL as string).port))
    stuck.socket.write(`POST /api/oauth/token HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n${saysWhenRead}\r\nx`)
    await stuck.receives(goOn)
    started.signal('SIGTERM')
    assert.match(await stuck.all, /HTTP\/1\.1 408 Request Timeout\r\n/)
    assert.equal(await started.exited, 0)
    assert.ok(!started.stdout().includes('were cut'))
  })

  test('our choice: a second signal ends the process at once, an echo of the first does not', async (t) => {
    const env = await freshEnvironment(t)
    const started = startGatehouse(t, ['serve'], env)
    await started.ready()
    const port = Number(new URL(env.BASE_URL as string).port)
    const stuck = await open(t, port)
    stuck.socket.write(`POST /api/oauth/token HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n${saysWhenRead}\r\nx`)
    await stuck.receives(goOn)
    started.signal('SIGINT')
    await untilRefused(port)
    started.signal('SIGINT')
    // The echo was swallowed: the process still waits for the request.
    const again = setInterval(() => started.signal('SIGINT'), 100)
    t.after(() => clearInterval(again))
    assert.equal(await started.exited, 1)
    assert.ok(!started.stdout().includes('were cut'))
  })
})

describe('npx gatehouse --help lists the commands', () => {
  const help = `Usage: gatehouse <command>

Commands
  serve              run the service until it is told to stop (SIGTERM or Ctrl-C)
  demo               run it on throw-away data, with a user, an application, bots and a bot runtime to try
  listen             show a bot's webhooks in this terminal as they come, and forward them to a local address
  backup             write all data into a new folder, also while the service runs: gatehouse backup <folder>
  restore            put such a folder back into an empty DATA_DIR: gatehouse restore <folder>
  migrate            copy all data of a stopped service into the database of DATABASE_URL: gatehouse migrate --from <data dir>
  doctor             examine settings, keys, disk, clock, ports and the way through the proxy, and say what to mend
  rotate-secret-key  put a new secret key before the one in use, which still holds for what was made with it
  operator-key       print the operator key, the bearer key of the control surface
`

  test('npx gatehouse --help', async (t) => {
    const started = startGatehouse(t, ['gatehouse', '--help'], {}, ['npx'])
    assert.equal(await started.exited, 0)
    assert.ok(started.stdout().includes(help), started.stdout())
  })

  test('--version prints the version of package.json', async (t) => {
    const started = startGatehouse(t, ['--version'], {})
    assert.equal(await started.exited, 0)
    assert.equal(started.stdout(), `${JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version}\n`)
  })

  for (const [words, message] of [
    [[], 'No command was given.'],
    [['polish'], 'There is no command "polish".'],
    [['serve', 'twice'], 'serve takes nothing behind it.'],
    [['backup'], 'backup takes one folder behind it.'],
    [['restore', 'one', 'other'], 'restore takes one folder behind it.'],
    [['migrate'], 'migrate needs --from, the data directory to copy.'],
    [['backup', '--from', 'data', 'folder'], 'backup takes no --from.'],
    [['serve', '--loud'], "Unknown option '--loud'."],
  ] as const) {
    test(`our choice: a mistaken command line is exit code 64 and the help: ${words.join(' ')}`, async (t) => {
      const started = startGatehouse(t, words, {})
      assert.equal(await started.exited, 64)
      assert.ok(started.stderr().startsWith(message), started.stderr())
      assert.ok(started.stderr().includes(help))
      assert.equal(started.stdout(), '')
    })
  }

  test('operator-key prints the key, so that a shell can take it', async (t) => {
    const env = await freshEnvironment(t)
    const path = join(env.DATA_DIR, 'operator.key')
    const early = startGatehouse(t, ['operator-key'], env)
    assert.equal(await early.exited, 1)
    assert.equal(early.stderr(), `gatehouse: there is no operator key yet: the first start makes it at ${path}\n`)

    const started = startGatehouse(t, ['serve'], env)
    await started.ready()
    const late = startGatehouse(t, ['operator-key'], env)
    assert.equal(await late.exited, 0)
    assert.equal(late.stdout(), readFileSync(path, 'utf8'))

    const given = startGatehouse(t, ['operator-key'], { ...env, OPERATOR_KEY: 'g'.repeat(32) })
    assert.equal(await given.exited, 0)
    assert.equal(given.stdout(), `${'g'.repeat(32)}\n`)
  })
})

describe('our choice: an older Node is told what is needed (decision 0001)', () => {
  test('without the Node of npm ci beside the sources', async (t) => {
    // Seen from there, no node_modules lies beside the sources.
    const launcher = `data:text/javascript,${encodeURIComponent(readFileSync(join(root, 'bin/gatehouse.mjs'), 'utf8').replaceAll('import.meta.url', '"file:///nowhere/bin/gatehouse.mjs"').replace('const neededMajor = 26', 'const neededMajor = 999'))}`
    const started = startGatehouse(
      t,
      ['--input-type=module', '--eval', `await import(${JSON.stringify(launcher)})`],
      {},
      [process.execPath],
    )
    assert.equal(await started.exited, 1)
    assert.equal(
      started.stderr(),
      `gatehouse: this is Node ${process.versions.node}, and Gatehouse needs Node 999 or newer; run \`npm ci\` in its folder, which brings it, or install it from https://nodejs.org\n`,
    )
  })
})

/** A header to which the server answers once it has read the head: from then on the request is in hand. */
const saysWhenRead = 'expect: 100-continue\r\n'
const goOn = '100 Continue\r\n'

interface Connection {
  socket: Socket
  /** Resolves when what was received contains the text. */
  receives(text: string): Promise<void>
  /** Everything received, once the other side has closed. */
  all: Promise<string>
}

async function open(t: TestContext, port: number, host = '127.0.0.1'): Promise<Connection> {
  const socket = connect(port, host).setEncoding('utf8')
  t.after(() => socket.destroy())
  let received = ''
  socket.on('data', (text: string) => {
    received += text
  })
  socket.on('error', () => {})
  const all = new Promise<string>((resolve) => socket.on('close', () => resolve(received)))
  await once(socket, 'connect')
  return {
    socket,
    all,
    async receives(text) {
      while (!received.includes(text)) await once(socket, 'data')
    },
  }
}

/** Resolves when the port takes no connection any more. */
async function untilRefused(port: number): Promise<void> {
  for (;;) {
    const refused = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1')
      socket.on('connect', () => {
        socket.destroy()
        resolve(false)
      })
      socket.on('error', () => resolve(true))
    })
    if (refused) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
