import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { BotRuntime } from '../support/bot-runtime.ts'
import {
  ended,
  freshEnvironment,
  type GatehouseProcess,
  serve,
  startGatehouse,
  startInProcess,
} from '../support/gatehouse-process.ts'
import { open } from '../support/open-connection.ts'
import { provision } from '../support/people.ts'
import { PostgresServer } from '../support/postgres/server.ts'
import { emptyDatabase } from '../support/postgres/test-database.ts'
import { onDatabase } from '../support/world.ts'

/**
 * A header that makes the server reply as soon as it has read the request's head. From then on, the request counts
 * as being handled.
 */
const expectContinue = 'expect: 100-continue\r\n'
const continueLine = '100 Continue\r\n'

/** Opens a connection with a request that is being handled and never ends. */
async function openStuck(t: TestContext, port: number) {
  const stuck = await open(t, port)
  stuck.socket.write(`POST /api/oauth/token HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n${expectContinue}\r\nx`)
  await stuck.receives(continueLine)
  return stuck
}

/** Asserts that the process exits with 0 before a supervisor would kill it. */
async function exitsInTime(started: GatehouseProcess): Promise<void> {
  const supervisor = setTimeout(() => started.signal('SIGKILL'), 10_000)
  assert.equal(await started.exited, 0)
  clearTimeout(supervisor)
}

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

/** Creates a bot with a flow and a runtime. Returns the runtime's key. */
async function makeLantern(operator: { controlUrl: string; operatorKey: string }): Promise<string> {
  await provision(operator, 'PUT', '/v1/users/ada', { name: 'Ada' })
  const bot = { ownerId: 'ada', name: 'Lantern', chatPlatformId: '215215215215215215', hostingEnabled: true }
  await provision(operator, 'PUT', '/v1/bots/lantern', bot)
  const flow = { kind: 'event', name: 'Deploys', webhook: { path: 'deploys', requiresKey: false } }
  await provision(operator, 'PUT', '/v1/bots/lantern/flows/deploys', flow)
  return (await provision(operator, 'POST', '/v1/runtimes', { name: 'r', botIds: '*' })).json.key
}

describe('SIGTERM drains: no new connections, in-flight work finishes, exit code 0 within 10 s', () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(`${signal}: a partly sent request is completed and answered, then its connection is closed`, async (t) => {
      const env = await freshEnvironment(t)
      const started = await serve(t, env)
      const port = Number(new URL(env.BASE_URL as string).port)
      const request = await open(t, port)
      const form = 'grant_type=authorization_code'
      request.socket.write(
        'POST /api/oauth/token HTTP/1.1\r\nhost: localhost\r\nconnection: keep-alive\r\n' +
          `content-type: application/x-www-form-urlencoded\r\ncontent-length: ${form.length}\r\n${expectContinue}\r\n${form.slice(0, 5)}`,
      )
      await request.receives(continueLine)
      const page = await open(t, port)
      page.socket.write('GET /sign-in HTTP/1.1\r\nhost: local')
      const idle = await open(t, port)
      const kept = await open(t, port)
      kept.socket.write('GET /sign-in HTTP/1.1\r\nhost: localhost\r\n\r\n')
      await kept.receives('\r\n\r\n')

      started.signal(signal)
      await untilRefused(port)
      request.socket.write(form.slice(5))
      assert.match(await request.all, /HTTP\/1\.1 401 [\s\S]*connection: close[\s\S]*"error":"invalid_client"/i)
      page.socket.write('host\r\n\r\n')
      assert.match(await page.all, /HTTP\/1\.1 200 [\s\S]*connection: close[\s\S]*<h1>Sign in<\/h1>/i)
      await Promise.all([idle.all, kept.all])
      assert.equal(await started.exited, 0)
    })
  }

  test('a signal while the service is still being loaded stops it, too', async (t) => {
    const hook = `import { registerHooks } from 'node:module'
      registerHooks({ load(url, context, next) {
        if (url.endsWith('/serve/serve.ts')) process.kill(process.pid, 'SIGTERM')
        return next(url, context)
      } })`
    const program = ['--import', `data:text/javascript,${encodeURIComponent(hook)}`, 'src/main.ts']
    const started = startGatehouse(t, ['serve'], await freshEnvironment(t), [process.execPath, ...program])
    assert.match((await ended(started, 0)).stdout, /stopped/)
  })

  test('a webhook that was partly sent at SIGTERM is accepted and dispatched after the next start', async (t) => {
    const operatorKey = 'o'.repeat(32)
    const env = { ...(await freshEnvironment(t)), OPERATOR_KEY: operatorKey } as Awaited<
      ReturnType<typeof freshEnvironment>
    >
    const first = await serve(t, env)
    const operator = { controlUrl: env.CONTROL_URL as string, operatorKey }
    const key = await makeLantern(operator)

    const port = Number(new URL(env.API_URL as string).port)
    const webhook = await open(t, port)
    webhook.socket.write(
      `POST /lantern/deploys HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\n${expectContinue}\r\nwho`,
    )
    await webhook.receives(continueLine)
    const idle = await open(t, port)
    first.signal('SIGTERM')
    await untilRefused(port)
    webhook.socket.write('le')
    assert.match(await webhook.all, /HTTP\/1\.1 202 [\s\S]*connection: close[\s\S]*\{"ok": true\}$/i)
    await idle.all
    assert.equal(await first.exited, 0)

    const second = await startInProcess(t, env)
    const { runtime } = await BotRuntime.ready(t, { apiUrl: env.API_URL as string }, key)
    runtime.leavesOnDrain = false
    assert.equal(Buffer.from((await runtime.next('dispatch')).body, 'base64').toString(), 'whole')
    const stopped = second.stop()
    assert.equal((await runtime.closed).code, 4012)
    await stopped
  })

  test('our choice: while stopping, a request that never ends is timed out after 4 s, and the exit code is still 0', async (t) => {
    const env = await freshEnvironment(t)
    const started = await serve(t, env)
    const stuck = await openStuck(t, Number(new URL(env.BASE_URL as string).port))
    started.signal('SIGTERM')
    assert.match(await stuck.all, /HTTP\/1\.1 408 Request Timeout\r\n/)
    assert.equal(await started.exited, 0)
    assert.ok(!started.stdout().includes('were cut'))
  })

  for (const storage of ['sqlite', 'postgres'] as const) {
    test(`whatever clients have half sent, the process exits with 0 before a supervisor would kill it after 10 s: ${storage}`, async (t) => {
      const url = storage === 'postgres' ? await emptyDatabase(t) : undefined
      const env = { ...(await freshEnvironment(t)), ...(url && onDatabase(url)), OPERATOR_KEY: 'o'.repeat(32) }
      const started = await serve(t, env)
      const { BASE_URL, API_URL, PORTAL_URL, CONTROL_URL } = env as Record<string, string>
      const key = await makeLantern({ controlUrl: CONTROL_URL as string, operatorKey: env.OPERATOR_KEY })
      const { runtime } = await BotRuntime.ready(t, { apiUrl: API_URL as string }, key)
      runtime.leavesOnDrain = false
      await fetch(`${API_URL}/lantern/deploys`, { method: 'POST', body: 'never acknowledged' })
      await runtime.next('dispatch')

      const webhook = 'POST /lantern/deploys HTTP/1.1\r\nhost: localhost\r\n'
      const answered = 'GET /livez HTTP/1.1\r\nhost: localhost\r\n\r\n'
      const sent = {
        nothing: '',
        'half the headers': `${webhook}content-`,
        'half the body': `${webhook}content-length: 9\r\n\r\nhalf`,
        'half a chunk': `${webhook}transfer-encoding: chunked\r\n\r\n9\r\nhalf`,
        'a whole request': answered,
        'a request and a half': `${answered}${webhook}content-length: 9\r\n\r\nhalf`,
        'half a WebSocket handshake':
          'GET /runtime HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-web',
      }
      for (const address of [BASE_URL, API_URL, PORTAL_URL, CONTROL_URL]) {
        for (const text of Object.values(sent)) {
          const { socket } = await open(t, Number(new URL(address as string).port))
          // Keeps its own side open when the server has ended the connection.
          socket.allowHalfOpen = true
          socket.write(text)
        }
      }
      await fetch(`${CONTROL_URL}/livez`)
      started.signal('SIGTERM')
      await exitsInTime(started)
      assert.doesNotMatch(started.stdout(), /were cut|not stopped/)
    })
  }

  test('a database that no longer answers does not keep the process from exiting with 0', async (t) => {
    const server = await PostgresServer.fresh()
    t.after(() => server.remove())
    const env = { ...(await freshEnvironment(t)), ...onDatabase(server.url()), OPERATOR_KEY: 'o'.repeat(32) }
    const started = await serve(t, env)
    server.freeze()
    started.signal('SIGTERM')
    await exitsInTime(started)
    server.thaw()
  })

  test('our choice: a second signal ends the process immediately; a duplicate of the first signal is ignored', async (t) => {
    const env = await freshEnvironment(t)
    const started = await serve(t, env)
    const port = Number(new URL(env.BASE_URL as string).port)
    await openStuck(t, port)
    started.signal('SIGINT')
    await untilRefused(port)
    started.signal('SIGINT')
    // The repeated signal was ignored: the process still waits for the request.
    const again = setInterval(() => started.signal('SIGINT'), 100)
    t.after(() => clearInterval(again))
    assert.equal(await started.exited, 1)
    assert.ok(!started.stdout().includes('were cut'))
  })
})
