import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BotRuntime, provisionListeningBot } from '../support/bot-runtime.ts'
import { advanceUntil, eventually } from '../support/eventually.ts'
import { startGatehouse } from '../support/gatehouse-process.ts'
import { pluck } from '../support/together.ts'
import { assertCleanExit, copied, localServer, openSetting, post, startListening } from './listen-scene.ts'

test('our choice: without --take, gatehouse listen prints and forwards copies, names the cause of refused webhooks, and the bot’s runtime receives every event with attempt 1', async (t) => {
  const setting = await openSetting(t)
  await post(setting, 'from before')
  const { runtime } = await BotRuntime.ready(t, setting.world, setting.key)
  const before = await runtime.next('dispatch')
  runtime.send({ type: 'ack', deliveries: [before.delivery] })
  const [local, own] = [await localServer(t, 204), await localServer(t, 500)]
  const targets = ['--forward', local.url, '--path', `hooks/orders=${own.url}`]
  const listening = await startListening(t, setting, 'copies', ...targets)
  assert.match(listening.stderr(), /These are copies: the bot's runtime keeps running\. To take .+, add --take\./)
  assert.ok(listening.stderr().includes(`, forwarding /hooks/orders to ${own.url}, others to ${local.url}. Press`))
  await post(setting, 'one')
  await post(setting, 'two')
  const delivered = await runtime.deliveries(2)
  await advanceUntil(setting.world.clock, () => own.received.length === 2)
  await copied(listening, setting, 'two')
  assert.ok(!listening.stdout().includes('from before'))
  assert.deepEqual(local.received, [])
  assert.deepEqual(
    new Map(own.received.map(({ body, headers }) => [body, headers['gatehouse-event-id']])),
    new Map(delivered.map(({ body, id }) => [Buffer.from(body, 'base64').toString(), id])),
  )
  await eventually(() => (listening.stdout().match(/→ 500 after/g) ?? []).length === 2 || undefined)
  assert.match(listening.stdout(), /^→ 500 after \d+ ms: failed\. · \/hooks\/orders · event \S+$/m)
  assert.deepEqual(pluck(delivered, 'attempt'), [1, 1])
  runtime.send({ type: 'ack', deliveries: delivered.map(({ delivery }) => delivery) })
  await setting.world.clock.advance(60_000)
  await runtime.heartbeat()
  assert.deepEqual(runtime.unread, [])

  const url = `${setting.world.apiUrl}/${setting.bot.botId}/no/such/path`
  assert.equal((await fetch(url, { method: 'POST', body: '{}' })).status, 404)
  await advanceUntil(setting.world.clock, () => listening.stderr().includes('refused'))
  const refused = /^\d\d:\d\d:\d\d {2}refused: no flow listens on this path · \/no\/such\/path · from 127\.0\.0\.1$/m
  assert.match(listening.stderr(), refused)
  await assertCleanExit(listening)
})

test('our choice: gatehouse listen exits once nobody is reading its output', async (t) => {
  const setting = await openSetting(t)
  const { world, bot, key } = setting
  const words = ['listen', '--url', world.apiUrl.replace('http', 'ws'), '--bot', bot.botId]
  const script = '("$0" src/main.ts "$@"; echo "exit code $?" >&2) | head -2'
  const program = ['sh', '-c', script, process.execPath] as const
  const listening = startGatehouse(t, words, { GATEHOUSE_RUNTIME_KEY: key }, program)
  await listening.waitForOutput('waiting for webhooks')
  let exited = false
  listening.exited.then(() => {
    exited = true
  })
  await advanceUntil(world.clock, async () => {
    if (!exited) await post(setting, 'again')
    return exited
  })
  assert.match(listening.stderr(), /\nexit code 0\n$/)
  assert.doesNotMatch(listening.stderr(), /EPIPE|failed/)
})

test('our choice: gatehouse listen waits while hosting of the bot is off, and reconnects when the service restarts', async (t) => {
  const setting = await openSetting(t)
  const { world, bot, key } = setting
  await provisionListeningBot(world.service, { hostingEnabled: false })
  const words = ['listen', '--url', world.apiUrl, '--bot', bot.botId]
  const listening = startGatehouse(t, words, { GATEHOUSE_RUNTIME_KEY: key })
  await listening.waitForOutput(`this key gets no webhooks of ${bot.botId} (hosting_off)`)
  await provisionListeningBot(world.service, { hostingEnabled: true })
  await advanceUntil(world.clock, () => listening.stderr().includes('Connected; waiting for webhooks.'))
  await world.restart()
  await eventually(() => listening.stderr().split('Connected; waiting').length === 3 || undefined)
  assert.match(listening.stderr(), /^Not connected: .*; retrying in \d\.\d s\. Last heartbeat \d\d:\d\d:\d\d\.$/m)
  await post(setting, 'after the restart')
  await copied(listening, setting, 'after the restart')
  await assertCleanExit(listening)
})
