import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { BotRuntime } from '../support/bot-runtime.ts'
import { advanceUntil, eventually } from '../support/eventually.ts'
import { freePorts } from '../support/free-ports.ts'
import { ended, startGatehouse } from '../support/gatehouse-process.ts'
import { assertCleanExit, localServer, openSetting, post, type Setting, startListening } from './listen-scene.ts'

/** Connects a runtime after `listen` has ended, and asserts that the queue is empty. */
async function assertQueueEmpty(t: TestContext, { world, key }: Setting): Promise<void> {
  const { runtime } = await BotRuntime.ready(t, world, key)
  await world.clock.advance(60_000)
  await runtime.heartbeat()
  assert.deepEqual(runtime.unread, [])
}

test('gatehouse listen --take prints each event in full and acknowledges it', async (t) => {
  const setting = await openSetting(t)
  const listening = await startListening(t, setting)
  assert.match(listening.stderr(), /Listening for webhooks of greeter\. Press Ctrl-C to stop\./)
  assert.match(listening.stderr(), /takes webhooks away from the bot's real runtime/)
  await post(setting, '{"order":{"number":12345678901234567890,"paid":true}}')
  await listening.waitForOutput('"paid"')
  const shown = listening
    .stdout()
    .replace(/^\d\d:\d\d:\d\d/m, 'time')
    .replace(/event \S+/, 'event ID')
  assert.equal(
    shown,
    [
      '',
      'time  /hooks/orders  event ID · flow orders · from 127.0.0.1 · 53 bytes',
      'content-type: application/json',
      'user-agent: shop/2',
      '{',
      '  "order": {',
      '    "number": 12345678901234567890,',
      '    "paid": true',
      '  }',
      '}',
      '',
    ].join('\n'),
  )
  await post(setting, '\uFEFF{"marked":true}')
  await listening.waitForOutput('{\n  "marked": true\n}\n')
  await assertCleanExit(listening)
  await assertQueueEmpty(t, setting)
})

test('our choice: gatehouse listen --take exits once nobody is reading its output, and events that it did not show are redelivered', async (t) => {
  const setting = await openSetting(t)
  const { world, bot, key } = setting
  const words = ['listen', '--url', world.apiUrl.replace('http', 'ws'), '--bot', bot.botId, '--take']
  const script = '("$0" src/main.ts "$@"; echo "exit code $?" >&2) | { head -2; exec <&-; echo closed; }'
  const program = ['sh', '-c', script, process.execPath] as const
  const listening = startGatehouse(t, words, { GATEHOUSE_RUNTIME_KEY: key }, program)
  await listening.waitForOutput('waiting for webhooks')
  await post(setting, '1')
  await listening.waitForOutput('closed')
  await post(setting, '2')
  await listening.exited
  assert.match(listening.stderr(), /\nexit code 0\n$/)
  assert.doesNotMatch(listening.stderr(), /EPIPE/)
  const { runtime } = await BotRuntime.ready(t, world, key)
  const { body } = await runtime.nextInTime(world.clock, 'dispatch')
  assert.equal(Buffer.from(body, 'base64').toString(), '2')
})

test('gatehouse listen prints a binary body as bytes, and escapes terminal control characters', async (t) => {
  const setting = await openSetting(t)
  const listening = await startListening(t, setting)
  await post(setting, Uint8Array.of(0, 1, 2, 0xff, 0x41))
  await listening.waitForOutput('00000000  00 01 02 ff 41')
  await post(setting, '\u001b[2Jgone \u202eback', { 'content-type': 'text/plain' })
  await listening.waitForOutput('\\x1b[2Jgone \\u202eback')
  assert.ok(!listening.stdout().includes('\u001b'))
  await post(setting, 'x'.repeat(100_000), { 'content-type': 'text/plain' })
  await listening.waitForOutput('… and 91808 more characters')
  await assertCleanExit(listening)
})

test('gatehouse listen --forward posts the same body and headers, plus headers that identify the event; a response other than 2xx fails the attempt, and a 2xx response acknowledges the event', async (t) => {
  const setting = await openSetting(t)
  const local = await localServer(t, 302, 204)
  const listening = await startListening(t, setting, '--forward', local.url)
  await post(setting, '{"a": 1}', { 'x-request-id': 'r-1' })
  await listening.waitForOutput('→ 302 after')
  await advanceUntil(setting.world.clock, () => local.received.length >= 2)
  await listening.waitForOutput('→ 204 after')
  const id = local.received[0]?.headers['gatehouse-event-id']
  assert.match(String(id), /^[A-Za-z0-9_-]{1,78}$/)
  const headers = {
    'gatehouse-event-id': id,
    'gatehouse-flow-id': 'orders',
    'gatehouse-path': 'hooks/orders',
    'content-type': 'application/json',
    'user-agent': 'shop/2',
    'x-request-id': 'r-1',
    'content-length': '8',
    host: new URL(local.url).host,
    connection: 'close',
  }
  const requests = ['1', '2'].map((attempt) => ({
    method: 'POST',
    headers: { ...headers, 'gatehouse-attempt': attempt },
    body: '{"a": 1}',
  }))
  assert.deepEqual(local.received, requests)
  await assertCleanExit(listening)
  await assertQueueEmpty(t, setting)
})

test('an unreachable forward URL fails the attempt, and the message names the cause and the fix', async (t) => {
  const setting = await openSetting(t)
  const [port] = await freePorts(1)
  const listening = await startListening(t, setting, '--forward', `http://127.0.0.1:${port}/hook`)
  await post(setting, 'first')
  await listening.waitForOutput(
    `→ failed: nothing is listening at http://127.0.0.1:${port}; start your server. It will be retried.`,
  )
  await assertCleanExit(listening)
})

test('gatehouse listen reconnects when the service restarts, and prints the time of the last heartbeat', async (t) => {
  const setting = await openSetting(t)
  const listening = await startListening(t, setting)
  // Restarts repeatedly: the first restart may happen before the service has answered a heartbeat.
  const connections = () => listening.stderr().split('waiting for webhooks').length
  await eventually(async () => {
    const before = connections()
    await setting.world.restart()
    await eventually(() => connections() > before || undefined)
    return /retrying in .* Last heartbeat \d\d:\d\d:\d\d\./.test(listening.stderr()) ? true : undefined
  })
  await post(setting, '{"after":"the restart"}')
  await listening.waitForOutput('the restart')
  await assertCleanExit(listening)
})

test('our choice: gatehouse listen reports no bot state, so the bot status still comes from the real runtime', async (t) => {
  const setting = await openSetting(t)
  const { world, bot, key } = setting
  const { runtime } = await BotRuntime.ready(t, world, key)
  await runtime.heartbeat([], [{ botId: bot.botId, ready: true, presence: 'dnd' }])
  const listening = await startListening(t, setting)
  await assertCleanExit(listening)
  await world.clock.advance(2_000)
  const status = (await (await fetch(`${world.baseUrl}/botstatus/${bot.botId}/api`)).json()) as Record<string, unknown>
  assert.deepEqual([status.online, status.presence], [true, 'dnd'])
})

test('gatehouse listen reports a bot that the key may not host, and exits if the key is rejected', async (t) => {
  const setting = await openSetting(t)
  const url = setting.world.apiUrl
  for (const [bot, key, message] of [
    ['stranger', setting.key, /\(404\): There is no such bot, .*\. Check GATEHOUSE_RUNTIME_KEY/],
    ['greeter', 'svc_rk_wrong', /The runtime key is wrong, revoked or expired\. .*\. Check GATEHOUSE_RUNTIME_KEY/],
  ] as const) {
    const words = ['listen', '--url', url, '--bot', bot]
    assert.match((await ended(startGatehouse(t, words, { GATEHOUSE_RUNTIME_KEY: key }), 1)).stderr, message)
  }
  const [port] = await freePorts(1)
  const none = startGatehouse(t, ['listen', '--url', `http://127.0.0.1:${port}`, '--bot', 'greeter'], {
    GATEHOUSE_RUNTIME_KEY: setting.key,
  })
  await none.waitForOutput(`Not connected: nothing is listening at http://127.0.0.1:${port}; check the URL`)
})

test('gatehouse listen --help lists the options; missing and invalid options and keys are reported; the key is read only from the environment, and never printed', async (t) => {
  const help = await ended(startGatehouse(t, ['listen', '--help'], {}), 0)
  for (const word of ['--url', '--bot', '--forward', 'GATEHOUSE_RUNTIME_KEY']) assert.ok(help.stdout.includes(word))
  const all = await ended(startGatehouse(t, ['--help'], {}), 0)
  assert.match(all.stdout, /^ {2}listen +show a bot's webhooks in this terminal/m)
  const key = 'svc_rk_any'
  const complete = ['listen', '--url', 'http://localhost:1', '--bot', 'b']
  const onTheLine = /^Keys must not be on the command line/
  for (const [words, message, exitCode = 64, env = { GATEHOUSE_RUNTIME_KEY: key }] of [
    [['listen'], /^listen needs --url/],
    [['listen', '--url', 'http://localhost:1'], /^listen needs --bot/],
    [['listen', '--url', 'nowhere', '--bot', 'b'], /^gatehouse: --url: /],
    [[...complete, '--forward', 'here'], /^gatehouse: --forward must be a URL such as .+; got "here"/],
    [
      [...complete, '--path', 'orders=/api'],
      /^gatehouse: --path must be a webhook path, = and a URL, such as .+; got "orders=\/api"/,
    ],
    [[...complete, '--key', key], onTheLine, 64, {}],
    [[...complete, key], onTheLine, 64, {}],
    [complete, /^gatehouse: GATEHOUSE_RUNTIME_KEY is missing; set it to a runtime key/, 78, {}],
    [
      complete,
      /^gatehouse: GATEHOUSE_RUNTIME_KEY is not a runtime key; set it to a runtime key/,
      78,
      { GATEHOUSE_RUNTIME_KEY: 'svc_cs_any' },
    ],
    [['serve', '--take'], /^Unknown option '--take'/],
    [['serve', '--bot', 'b'], /^Unknown option '--bot'/],
  ] as [string[], RegExp, number?, Record<string, string>?][]) {
    const { stderr } = await ended(startGatehouse(t, words, env), exitCode)
    assert.match(stderr, message)
    assert.doesNotMatch(stderr, /svc_(rk|cs)_any/)
  }
})
