import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { BotRuntime } from '../support/bot-runtime.ts'
import { eventually } from '../support/eventually.ts'
import { startGatehouse } from '../support/gatehouse-process.ts'
import { freePorts } from '../support/world.ts'
import { endsWell, localServer, openSetting, post, type Setting, startListening } from './listen-scene.ts'

/** Takes the place of `listen`, and shows that the queue has nothing left. */
async function nothingIsLeft(t: TestContext, { world, key }: Setting): Promise<void> {
  const { runtime } = await BotRuntime.ready(t, world, key)
  await world.clock.advance(60_000)
  await runtime.beat()
  assert.deepEqual(runtime.unread, [])
}

describe('gatehouse listen', () => {
  test('with --take it says what it does, shows each event whole, and acknowledges it', async (t) => {
    const setting = await openSetting(t)
    const listening = await startListening(t, setting)
    assert.match(listening.stderr(), /Listening for webhooks of greeter\. Press Ctrl-C to stop\./)
    assert.match(listening.stderr(), /takes webhooks away from the bot's real runtime/)
    await post(setting, '{"order":{"number":12345678901234567890,"paid":true}}')
    await listening.says('"paid"')
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
    await endsWell(listening)
    await nothingIsLeft(t, setting)
  })

  test('a body that is no text is shown as bytes; what a terminal would obey is spelt out', async (t) => {
    const setting = await openSetting(t)
    const listening = await startListening(t, setting)
    await post(setting, Uint8Array.of(0, 1, 2, 0xff, 0x41))
    await listening.says('00000000  00 01 02 ff 41')
    await post(setting, '\u001b[2Jgone \u202eback', { 'content-type': 'text/plain' })
    await listening.says('\\x1b[2Jgone \\u202eback')
    assert.ok(!listening.stdout().includes('\u001b'))
    await post(setting, 'x'.repeat(100_000), { 'content-type': 'text/plain' })
    await listening.says('… and 91808 more characters')
    await endsWell(listening)
  })

  test('--forward posts the same body and headers, and those that name the event; 2xx is done', async (t) => {
    const setting = await openSetting(t)
    const local = await localServer(t, 204)
    const listening = await startListening(t, setting, '--forward', local.url)
    await post(setting, '{"a": 1}', { 'x-request-id': 'r-1' })
    await listening.says('→ 204 after')
    const [{ headers }] = local.received as [(typeof local.received)[0]]
    assert.match(String(headers['gatehouse-event-id']), /^[A-Za-z0-9_-]{1,78}$/)
    assert.deepEqual(local.received, [
      {
        method: 'POST',
        headers: {
          'gatehouse-event-id': headers['gatehouse-event-id'],
          'gatehouse-attempt': '1',
          'gatehouse-flow-id': 'orders',
          'gatehouse-path': 'hooks/orders',
          'content-type': 'application/json',
          'user-agent': 'shop/2',
          'x-request-id': 'r-1',
          'content-length': '8',
          host: new URL(local.url).host,
          connection: 'close',
        },
        body: '{"a": 1}',
      },
    ])
    await endsWell(listening)
    await nothingIsLeft(t, setting)
  })

  test('an answer other than 2xx is a failed attempt with its status; it comes again', async (t) => {
    const setting = await openSetting(t)
    const local = await localServer(t, 302)
    const listening = await startListening(t, setting, '--forward', local.url)
    await post(setting, 'first')
    await listening.says('→ 302 after')
    await eventually(async () => {
      await setting.world.clock.advance(1_000)
      return local.received.length >= 2 ? true : undefined
    })
    await listening.says('attempt 2')
    await endsWell(listening)
  })

  test('nobody listening at the address is a failed attempt, told kindly', async (t) => {
    const setting = await openSetting(t)
    const [port] = await freePorts(1)
    const listening = await startListening(t, setting, '--forward', `http://127.0.0.1:${port}/hook`)
    await post(setting, 'first')
    await listening.says(
      `→ failed: nothing is listening at http://127.0.0.1:${port}; start your server. It will be retried.`,
    )
    await endsWell(listening)
  })

  test('it connects again when the service restarts, and says when the last heartbeat was', async (t) => {
    const setting = await openSetting(t)
    const listening = await startListening(t, setting)
    // The first may come before the service has answered a heartbeat.
    await eventually(async () => {
      await setting.world.restart()
      return /retrying in .* Last heartbeat \d\d:\d\d:\d\d\./.test(listening.stderr()) ? true : undefined
    })
    await post(setting, '{"after":"the restart"}')
    await listening.says('the restart')
    await endsWell(listening)
  })

  test('our choice: it reports nothing of the bot, so bot status stays what the real runtime says', async (t) => {
    const setting = await openSetting(t)
    const { world, bot, key } = setting
    const { runtime } = await BotRuntime.ready(t, world, key)
    await runtime.beat([], [{ botId: bot.botId, ready: true, presence: 'dnd' }])
    const listening = await startListening(t, setting)
    await endsWell(listening)
    await world.clock.advance(2_000)
    const status = (await (await fetch(`${world.baseUrl}/botstatus/${bot.botId}/api`)).json()) as Record<
      string,
      unknown
    >
    assert.deepEqual([status.online, status.presence], [true, 'dnd'])
  })

  test('a bot that it may not have is told; a key that is refused ends it', async (t) => {
    const setting = await openSetting(t)
    const url = setting.world.apiUrl
    const stranger = startGatehouse(t, ['listen', '--url', url, '--bot', 'stranger'], {
      GATEHOUSE_RUNTIME_KEY: setting.key,
    })
    await stranger.says('this key gets no webhooks of stranger')
    await endsWell(stranger)
    const refused = startGatehouse(t, ['listen', '--url', url, '--bot', 'greeter'], {
      GATEHOUSE_RUNTIME_KEY: 'svc_rk_wrong',
    })
    assert.equal(await refused.exited, 1)
    assert.match(refused.stderr(), /unknown runtime key\. Check GATEHOUSE_RUNTIME_KEY/)
  })

  test('the key is taken from the environment only, and never shown', async (t) => {
    const { world, key } = await openSetting(t)
    const words = ['listen', '--url', world.apiUrl, '--bot', 'greeter']
    const missing = startGatehouse(t, words, {})
    assert.equal(await missing.exited, 78)
    assert.match(missing.stderr(), /^gatehouse: GATEHOUSE_RUNTIME_KEY is missing; set it to a runtime key/)
    for (const onTheLine of [['--key', key], [key]]) {
      const shown = startGatehouse(t, [...words, ...onTheLine], {})
      assert.equal(await shown.exited, 64)
      assert.match(shown.stderr(), /^Keys must not be on the command line/)
      assert.ok(!shown.stderr().includes(key))
    }
  })

  test('--help of it tells all it takes; what is missing or wrong is said', async (t) => {
    const help = startGatehouse(t, ['listen', '--help'], {})
    assert.equal(await help.exited, 0)
    for (const word of ['--url', '--bot', '--forward', 'GATEHOUSE_RUNTIME_KEY']) assert.ok(help.stdout().includes(word))
    const all = startGatehouse(t, ['--help'], {})
    assert.equal(await all.exited, 0)
    assert.match(all.stdout(), /^ {2}listen +show a bot's webhooks in this terminal/m)
    const env = { GATEHOUSE_RUNTIME_KEY: 'svc_rk_any' }
    for (const [words, message] of [
      [['listen'], /^listen needs --url/],
      [['listen', '--url', 'http://localhost:1'], /^listen needs --bot/],
      [['listen', '--url', 'nowhere', '--bot', 'b'], /^gatehouse: --url: /],
      [
        ['listen', '--url', 'http://localhost:1', '--bot', 'b', '--forward', 'here'],
        /^gatehouse: --forward must be a URL such as .+; got "here"/,
      ],
      [
        ['listen', '--url', 'http://localhost:1', '--bot', 'b', '--path', 'orders=/api'],
        /^gatehouse: --path must be a webhook path, = and a URL, such as .+; got "orders=\/api"/,
      ],
      [['serve', '--take'], /^serve takes no --take\./],
      [['serve', '--bot', 'b'], /^serve takes no --bot\./],
    ] as const) {
      const started = startGatehouse(t, words, env)
      assert.equal(await started.exited, 64, words.join(' '))
      assert.match(started.stderr(), message)
    }
  })
})
