import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { BotRuntime, hostedBot, openHostedBot, provisionListeningBot } from '../support/bot-runtime.ts'
import { freePorts } from '../support/free-ports.ts'
import { ended, startGatehouse } from '../support/gatehouse-process.ts'
import { putWebhook } from '../support/webhook-senders.ts'
import { openWorld } from '../support/world.ts'

const usualSecret = 'a signing secret'
const standardSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

describe('our choice: gatehouse send', () => {
  test('gatehouse send signs a sample as each sender does, and a second run is not a duplicate', async (t) => {
    const world = await openWorld(t, {}, { nowMs: Date.now() })
    const { bot, key } = await hostedBot(world)
    const url = `${world.apiUrl}/${bot.botId}/${bot.path}`
    const { runtime } = await BotRuntime.ready(t, world, key)
    const hmac = {
      header: 'X-Signature',
      hash: 'sha512',
      encoding: 'base64',
      prefix: 'v1=',
      signed: '{timestamp}.{body}',
      timestampPart: 't',
    }
    const token = { header: 'Authorization' }
    const custom = ['id', 'type', 'text', 'sentAt']
    const wordsFor = (settings: object) =>
      Object.entries(settings).map(([name, value]) => `--signature-${name.replace('P', '-p')}=${value}`)
    for (const [preset, dedupe, words, members] of [
      ['github', { header: 'X-GitHub-Delivery' }, [], ['zen', 'hook_id']],
      ['stripe', { pointer: '/id' }, [], ['id', 'object', 'type', 'created']],
      ['slack', { pointer: '/event_id' }, [], ['type', 'event_id', 'event']],
      ['shopify', { header: 'X-Shopify-Webhook-Id' }, [], ['id']],
      ['hmac', { pointer: '/id' }, wordsFor(hmac), custom],
      ['standard-webhooks', undefined, [], custom],
      ['token', { pointer: '/id' }, wordsFor(token), custom],
    ] as const) {
      const secret = preset === 'standard-webhooks' ? standardSecret : usualSecret
      const signature = { preset, secret, ...(preset === 'hmac' && hmac), ...(preset === 'token' && token) }
      const changed = await putWebhook(world, bot, { signature, dedupe })
      assert.equal(changed.status, 200, JSON.stringify(changed.json))
      for (const _ of preset === 'github' || preset === 'standard-webhooks' ? ['first', 'second'] : ['only']) {
        const env = { GATEHOUSE_SIGNING_SECRET: secret }
        const sent = await ended(startGatehouse(t, ['send', url, '--sign', preset, ...words], env), 0)
        assert.match(sent.stdout, /^202 Accepted after \d+ ms\n\{"ok": true\}\n$/)
        const request = new RegExp(`^POST ${url} \\(\\d+ bytes, application/json, signed as ${preset}\\)\\n$`)
        assert.match(sent.stderr, request)
        const { delivery, body } = await runtime.next('dispatch')
        assert.deepEqual(Object.keys(JSON.parse(Buffer.from(body, 'base64').toString())), members)
        runtime.send({ type: 'ack', deliveries: [delivery] })
      }
    }
  })

  test('gatehouse send posts a file or text with its media type, the flow’s key and further headers', async (t) => {
    const { world, bot, key } = await openHostedBot(t, { requiresKey: true })
    const url = `${world.apiUrl}/${bot.botId}/${bot.path}`
    const { runtime } = await BotRuntime.ready(t, world, key)
    const file = join(world.dataDir, 'body')
    writeFileSync(file, Buffer.from([0xff, 0x00]))
    const form = 'application/x-www-form-urlencoded'
    for (const [words, body, mediaType] of [
      [['--data', 'Version 7'], 'VmVyc2lvbiA3', 'text/plain; charset=utf-8'],
      [['-d', '{"n": 7}'], 'eyJuIjogN30=', 'application/json'],
      [['-d', '\uFEFF{}'], '77u/e30=', 'application/json'],
      [['-d', `@${file}`], '/wA=', 'application/octet-stream'],
      [['-d', 'a=b', '-H', `Content-Type: ${form}`], 'YT1i', form],
    ] as const) {
      const env = { GATEHOUSE_FLOW_KEY: bot.key }
      const sent = await ended(startGatehouse(t, ['send', url, '-H', 'X-Request-Id: 7', ...words], env), 0)
      assert.ok(!`${sent.stdout}${sent.stderr}`.includes(bot.key))
      const dispatch = await runtime.next('dispatch')
      assert.equal(dispatch.body, body)
      const { 'user-agent': agent, ...headers } = dispatch.headers
      assert.deepEqual(headers, { 'content-type': mediaType, 'x-request-id': '7' })
      assert.match(agent, /^gatehouse-cli\/\d+\.\d+\.\d+$/)
      runtime.send({ type: 'ack', deliveries: [dispatch.delivery] })
    }
  })

  test('gatehouse send says what to do about a rejection, and exits with 1', async (t) => {
    const world = await openWorld(t)
    const bot = await provisionListeningBot(world.service, { requiresKey: true })
    const url = `${world.apiUrl}/${bot.botId}/${bot.path}`
    const [port] = await freePorts(1)
    const nothing = new RegExp(`gatehouse: nothing is listening at http://127.0.0.1:${port}`)
    for (const [words, stdout, stderr] of [
      [[url], /^401 Unauthorized after \d+ ms\n\{"error": "Unauthorized\."\}\n$/, /Set GATEHOUSE_FLOW_KEY/],
      [[`${url}/none`], /^404 Not Found/, /Copy the webhook URL from the flow’s page\./],
      [[url, '-d', '@/nowhere'], /^$/, /^gatehouse: --data can't be read: ENOENT/],
      [[`http://127.0.0.1:${port}/a/b`], /^$/, nothing],
    ] as const) {
      const sent = await ended(startGatehouse(t, ['send', ...words], {}), 1)
      assert.match(sent.stdout, stdout)
      assert.match(sent.stderr, stderr)
    }
    const unsigned = await ended(startGatehouse(t, ['send', url, '--sign', 'stripe'], {}), 78)
    assert.match(unsigned.stderr, /^gatehouse: GATEHOUSE_SIGNING_SECRET is missing; --sign stripe needs it/)
    const token = ['--sign', 'token', '--signature-header', 'X-Token']
    for (const [words, name, header] of [
      [[], 'GATEHOUSE_FLOW_KEY', 'svc-key'],
      [token, 'GATEHOUSE_SIGNING_SECRET', 'x-token'],
    ] as const) {
      const twoLines = await ended(startGatehouse(t, ['send', url, ...words], { [name]: 'svc_fk_7\nsvc_fk_8' }), 78)
      const why = 'its name or value has characters that headers never have, such as line breaks'
      assert.equal(twoLines.stderr, `gatehouse: the header "${header}" can't be sent: ${why}\n`)
    }
  })

  test('gatehouse send and status report a wrong command line with exit code 64', async (t) => {
    const url = 'http://localhost:1/bot/path'
    for (const [words, message] of [
      [['send'], 'send needs the webhook URL, as the page of the flow shows it.'],
      [['send', 'nowhere'], 'The URL must start with https:// or http:// and contain no password; got "nowhere".'],
      [['send', url, url], `Only one URL is expected, but there is also "${url}".`],
      [
        ['send', url, '--sign', 'paypal'],
        '--sign must be one of github, stripe, slack, shopify, standard-webhooks, token or hmac; got "paypal".',
      ],
      [['send', url, '--sign', 'discord'], '--sign discord is not possible: Discord signs with a private key'],
      [['send', url, '--sign', 'hmac'], '--sign hmac needs --signature-header'],
      [['send', url, '--sign', 'token'], '--sign token needs --signature-header'],
      [['send', url, '--sign', 'github', '--signature-hash', 'sha1'], '--signature-hash is only for --sign hmac.'],
      [['send', url, '-H', 'svc-key: svc_fk_7'], 'Keys must not be on the command line'],
      [['send', url, '-H', 'none'], '--header must be a name, a colon and a value, in ASCII; got "none".'],
      [['status'], 'status needs the URL of a bot’s status page.'],
      [['status', url], `status needs a URL that ends in /botstatus/<bot>; got "${url}".`],
    ] as const) {
      const started = await ended(startGatehouse(t, words, {}), 64)
      assert.ok(started.stderr.startsWith(message), started.stderr)
      assert.ok(!started.stderr.includes('svc_fk_7'))
    }
  })
})

test('our choice: gatehouse status prints what the heartbeat reported and exits with 0, or with 3 once the bot is offline', async (t) => {
  const { world, bot, key } = await openHostedBot(t)
  const { runtime } = await BotRuntime.ready(t, world, key)
  const report = { ready: true, presence: 'idle', uptimeMs: 93_784_000, guildCount: 12, shardCount: 2 }
  runtime.send({ type: 'heartbeat', bots: [{ botId: bot.botId, ...report }], working: [] })
  await runtime.next('heartbeat')
  await world.clock.advance(5_000)
  const page = `${world.baseUrl}/botstatus/${bot.botId}`
  const online = await ended(startGatehouse(t, ['status', page], {}), 0)
  const said = 'greeter: online, idle\nHosting   on\nUptime    1 d 2 h\nServers   12\nShards    2\nReported  5 s ago\n'
  assert.equal(online.stdout, said)
  const json = await ended(startGatehouse(t, ['status', `${page}/api`, '--json'], {}), 0)
  assert.deepEqual(JSON.parse(json.stdout), await (await fetch(`${page}/api`)).json())
  await world.clock.advance(90_000)
  const offline = await ended(startGatehouse(t, ['status', page], {}), 3)
  assert.match(offline.stdout, /^greeter: offline\nHosting {3}on\n[\s\S]*Reported {2}1 min \d+ s ago\n$/)
  const unknown = await ended(startGatehouse(t, ['status', `${world.baseUrl}/botstatus/none`], {}), 1)
  assert.match(unknown.stderr, /^gatehouse: there is no public status at .+: the bot is unknown, or its owner/)
})
