import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { BotRuntime } from '../support/bot-runtime.ts'
import { eventually } from '../support/eventually.ts'
import {
  ended,
  freshEnvironment,
  type GatehouseProcess,
  serve,
  startGatehouse,
  startInProcess,
} from '../support/gatehouse-process.ts'
import { PostgresServer } from '../support/postgres/server.ts'
import { emptyDatabase } from '../support/postgres/test-database.ts'
import { RawConnection } from '../support/raw-http.ts'
import { operatedEnvironment, provision } from '../support/service-process-client.ts'
import { onDatabase } from '../support/world.ts'

/**
 * A header that makes the server reply as soon as it has read the request's head. From then on, the request counts
 * as being handled.
 */
const expectContinue = 'expect: 100-continue\r\n'

/** Opens a connection with a request that is being handled and never ends. */
async function openStuck(t: TestContext, url: string) {
  const stuck = await RawConnection.to(t, url)
  stuck.write(`POST /api/oauth/token HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n${expectContinue}\r\nx`)
  assert.equal((await stuck.answer()).status, 100)
  return stuck
}

/** Asserts that the process exits with 0 before a supervisor would kill it. */
async function exitsInTime(started: GatehouseProcess): Promise<void> {
  const supervisor = setTimeout(() => started.signal('SIGKILL'), 10_000)
  assert.equal(await started.exited, 0)
  clearTimeout(supervisor)
}

/** Asserts that the connection closes after this response. */
async function assertLast(connection: RawConnection, expected: number, inBody: RegExp): Promise<void> {
  const { status, headers, body } = await connection.answer()
  assert.deepEqual([status, headers.connection], [expected, 'close'])
  assert.match(body, inBody)
  await connection.closed()
}

async function untilRefused(url: string): Promise<void> {
  await eventually(() => {
    const { promise, resolve } = Promise.withResolvers<true | undefined>()
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => {
      socket.destroy()
      resolve(undefined)
    }).on('error', () => resolve(true))
    return promise
  })
}

describe('SIGTERM drains: no new connections, in-flight work finishes, exit code 0 within 10 s', () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(`${signal}: a partly sent request is completed and answered, then its connection is closed`, async (t) => {
      const env = await freshEnvironment(t)
      const started = await serve(t, env)
      const url = env.BASE_URL as string
      const request = await RawConnection.to(t, url)
      const form = 'grant_type=authorization_code'
      request.write(
        'POST /api/oauth/token HTTP/1.1\r\nhost: localhost\r\nconnection: keep-alive\r\n' +
          `content-type: application/x-www-form-urlencoded\r\ncontent-length: ${form.length}\r\n${expectContinue}\r\n${form.slice(0, 5)}`,
      )
      assert.equal((await request.answer()).status, 100)
      const page = await RawConnection.to(t, url)
      page.write('GET /sign-in HTTP/1.1\r\nhost: local')
      const idle = await RawConnection.to(t, url)
      const kept = await RawConnection.to(t, url)
      kept.write('GET /sign-in HTTP/1.1\r\nhost: localhost\r\n\r\n')
      assert.equal((await kept.answer()).status, 200)

      started.signal(signal)
      await untilRefused(url)
      request.write(form.slice(5))
      await assertLast(request, 401, /"error":"invalid_client"/)
      page.write('host\r\n\r\n')
      await assertLast(page, 200, /<h1>Sign in<\/h1>/)
      await Promise.all([idle.closed(), kept.closed()])
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
    const env = await operatedEnvironment(t)
    const first = await serve(t, env)
    const key = await provision(env)
    const url = env.API_URL as string
    const webhook = await RawConnection.to(t, url)
    webhook.write(`POST /lantern/hooks HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\n${expectContinue}\r\nwho`)
    assert.equal((await webhook.answer()).status, 100)
    const idle = await RawConnection.to(t, url)
    first.signal('SIGTERM')
    await untilRefused(url)
    webhook.write('le')
    await assertLast(webhook, 202, /^\{"ok": true\}$/)
    await idle.closed()
    assert.equal(await first.exited, 0)

    const second = await startInProcess(t, env)
    const { runtime } = await BotRuntime.ready(t, { apiUrl: url }, key)
    runtime.leavesOnDrain = false
    assert.equal(Buffer.from((await runtime.next('dispatch')).body, 'base64').toString(), 'whole')
    const stopped = second.stop()
    assert.equal((await runtime.closed).code, 4012)
    await stopped
  })

  test('our choice: while stopping, a request that never ends is timed out after 4 s, and the exit code is still 0', async (t) => {
    const env = await freshEnvironment(t)
    const started = await serve(t, env)
    const stuck = await openStuck(t, env.BASE_URL as string)
    started.signal('SIGTERM')
    assert.equal((await stuck.answer()).status, 408)
    assert.equal(await started.exited, 0)
    assert.ok(!started.stdout().includes('were cut'))
  })

  for (const storage of ['sqlite', 'postgres'] as const) {
    test(`whatever clients have half sent, the process exits with 0 before a supervisor would kill it after 10 s: ${storage}`, async (t) => {
      const url = storage === 'postgres' ? await emptyDatabase(t) : undefined
      const env: Record<string, string> = { ...(await operatedEnvironment(t)), ...(url && onDatabase(url)) }
      const started = await serve(t, env)
      const { BASE_URL, API_URL, PORTAL_URL, CONTROL_URL } = env
      const key = await provision(env)
      const { runtime } = await BotRuntime.ready(t, { apiUrl: API_URL as string }, key)
      runtime.leavesOnDrain = false
      await fetch(`${API_URL}/lantern/hooks`, { method: 'POST', body: 'never acknowledged' })
      await runtime.next('dispatch')

      const webhook = 'POST /lantern/hooks HTTP/1.1\r\nhost: localhost\r\n'
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
          // Keeps its own side open when the server has ended the connection.
          const port = Number(new URL(address as string).port)
          const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true })
          socket.on('error', () => {})
          t.after(() => socket.destroy())
          await once(socket.resume(), 'connect')
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
    const started = await serve(t, { ...(await operatedEnvironment(t)), ...onDatabase(server.url()) })
    server.freeze()
    started.signal('SIGTERM')
    await exitsInTime(started)
    server.thaw()
  })

  test('our choice: a second signal ends the process immediately; a duplicate of the first signal is ignored', async (t) => {
    const env = await freshEnvironment(t)
    const started = await serve(t, env)
    const url = env.BASE_URL as string
    await openStuck(t, url)
    started.signal('SIGINT')
    await untilRefused(url)
    started.signal('SIGINT')
    // The repeated signal was ignored: the process still waits for the request.
    const again = setInterval(() => started.signal('SIGINT'), 100)
    t.after(() => clearInterval(again))
    assert.equal(await started.exited, 1)
    assert.ok(!started.stdout().includes('were cut'))
  })
})
