import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { ClientProcess } from '../../clients/conformance/client-case.ts'
import { FakeService } from '../../clients/conformance/fake-service.ts'
import { makeRuntime, openHostedBot, post, provisionListeningBot } from '../support/bot-runtime.ts'
import { eventually } from '../support/eventually.ts'
import { listening } from '../support/local-server.ts'
import { python } from '../support/python.ts'
import { freePorts, openWorld } from '../support/world.ts'

const clients = join(import.meta.dirname, '../../clients')

/** A runtime with a handler that throws. It sets only the required options, plus `bots` if `BOTS` is set. */
const typescript = `
import { connect } from ${JSON.stringify(join(clients, 'typescript/src/runtime.ts'))}
const { URL_TO_TRY, KEY, BOTS } = process.env
const runtime = connect({
  url: URL_TO_TRY,
  key: KEY,
  instance: 'one',
  ...(BOTS && { bots: BOTS.split(' ') }),
  onWebhook: function handleOrder() { throw new RangeError('no such order') },
})
process.once('SIGTERM', () => runtime.leave())
`

/** A program that neither configures logging nor handles exceptions. */
const pythonProgram = `
import asyncio, os
from gatehouse_runtime import Runtime
async def handle_order(event):
    raise LookupError("no such order")
async def main():
    runtime = Runtime(url=os.environ["URL_TO_TRY"], key=os.environ["KEY"], instance="one", on_webhook=handle_order)
    await runtime.run()
asyncio.run(main())
`

const languages = [
  {
    name: 'TypeScript',
    command: () => [process.execPath, '--input-type=module', '--eval', typescript],
    rejected: /RuntimeRefused: the service rejected the runtime key \(4001, unknown runtime key\); check the key/,
    notConnected: '^gatehouse runtime: not connected: ',
    notGatehouse: (url: string) =>
      `${url} responds (404), but not as the API URL of Gatehouse; check the URL and its port`,
    unknownHost: /not connected: unknown host gatehouse\.invalid; check the URL|can't be reached/,
    thrown: /gatehouse runtime: attempt 1 of event \S+ failed: RangeError: no such order\n +at .*handleOrder/,
  },
  {
    name: 'Python',
    command: () => [python(), '-c', pythonProgram],
    rejected: /^gatehouse_runtime\.Refused: 4001 key rejected: unknown runtime key$/m,
    notConnected: '^not connected: ',
    notGatehouse: (url: string) =>
      `not connected: ${url} responds (404) without opening a WebSocket; check that this is`,
    unknownHost: /not connected: unknown host in http:\/\/gatehouse\.invalid; check the URL\./,
    thrown: /attempt 1 failed: event \S+\nTraceback[\s\S]+in handle_order[\s\S]+LookupError: no such order/,
  },
] as const

function start(t: TestContext, command: readonly string[], env: { URL_TO_TRY: string; KEY?: string; BOTS?: string }) {
  const started = new ClientProcess(command, { KEY: 'svc_rk_wrong', PYTHONPATH: join(clients, 'python'), ...env })
  t.after(() => started.kill())
  return started
}

async function waitForOutput(started: ClientProcess, words: string | RegExp): Promise<void> {
  await eventually(() => {
    const { output } = started
    return (typeof words === 'string' ? output.includes(words) : words.test(output)) ? true : undefined
  })
}

for (const { name, command, rejected, notConnected, notGatehouse, unknownHost, thrown } of languages) {
  describe(`our choice: without callbacks and logging, the ${name} client reports problems on standard error`, () => {
    test('a rejected key ends the process with exit code 1 and the reason', async (t) => {
      const world = await openWorld(t)
      const started = start(t, command(), { URL_TO_TRY: world.apiUrl })
      assert.equal(await started.exitCode('it did not end'), 1)
      assert.match(started.output, rejected)
      assert.doesNotMatch(started.output, /svc_rk_wrong/)
    })

    test('the client says why it can’t connect (no service, wrong URL, https for http or unknown host) and retries', async (t) => {
      const [port] = await freePorts(1)
      const none = start(t, command(), { URL_TO_TRY: `http://127.0.0.1:${port}` })
      const nothing = `nothing is listening at http://127\\.0\\.0\\.1:${port}; check that the service runs, and that this is its API URL\\. Retrying in \\d\\.\\d s\\.$`
      await waitForOutput(none, new RegExp(notConnected + nothing, 'm'))
      const world = await openWorld(t)
      const portal = start(t, command(), { URL_TO_TRY: world.portalUrl })
      await waitForOutput(portal, notGatehouse(world.portalUrl))
      const encrypted = start(t, command(), { URL_TO_TRY: world.apiUrl.replace('http', 'https') })
      const withoutTls = 'https:\\S+ responds without TLS; use http:// if the service is on this machine. Retrying'
      await waitForOutput(encrypted, new RegExp(notConnected + withoutTls, 'm'))
      const unknown = start(t, command(), { URL_TO_TRY: 'http://gatehouse.invalid' })
      await waitForOutput(unknown, unknownHost)
      await eventually(() => (none.output.match(/not connected/g) ?? []).length >= 2 || undefined)
      if (name === 'Python') return
      for (const each of [none, portal, encrypted, unknown]) {
        each.terminate()
        assert.equal(await each.exitCode('it did not leave'), 0)
      }
    })

    test('the client prints the stack of an error that a handler throws', async (t) => {
      const { world, bot, key } = await openHostedBot(t)
      const started = start(t, command(), { URL_TO_TRY: world.apiUrl, KEY: key })
      await post(world, bot, '7')
      await waitForOutput(started, thrown)
    })
  })
}

const [ofTypescript, ofPython] = languages.map(({ command }) => command)

test('our choice: the Python client reports a key without bots', async (t) => {
  const world = await openWorld(t)
  const { key } = await makeRuntime(world)
  const started = start(t, ofPython!(), { URL_TO_TRY: world.apiUrl, KEY: key })
  await waitForOutput(started, 'connected, but this key may host no bot whose hosting is on')
})

test('our choice: the TypeScript client says that a key is none, that the service has another version, that a proxy drops WebSockets, and which bot the key may not host', async (t) => {
  const world = await openWorld(t)
  const mistaken = start(t, ofTypescript!(), { URL_TO_TRY: world.apiUrl, KEY: 'svc_cs_secret' })
  assert.equal(await mistaken.exitCode('it did not end'), 1)
  assert.match(mistaken.output, /\(4001, this is not a runtime key: one starts with svc_rk_\)/)
  assert.doesNotMatch(mistaken.output, /svc_cs_secret/)

  const service = await FakeService.open()
  t.after(() => service.stop())
  const newer = start(t, ofTypescript!(), { URL_TO_TRY: service.url })
  const session = await service.connection()
  session.close(4002, 'ask for the subprotocol gatehouse.runtime.v2')
  assert.equal(await newer.exitCode('it did not end'), 1)
  assert.match(
    newer.output,
    /RuntimeRefused: the service reported a protocol error \(4002, ask for the subprotocol gatehouse\.runtime\.v2\); client and service may be of different versions/,
  )

  const healthy = createServer((_request, response) => response.end('{"status":"ok","service":"webhooks"}'))
  const proxied = await listening(t, healthy)
  const proxy = start(t, ofTypescript!(), { URL_TO_TRY: proxied })
  await waitForOutput(
    proxy,
    `Gatehouse responds at ${proxied}, but the WebSocket failed; check that proxies in between`,
  )

  const bot = await provisionListeningBot(world.service)
  const { key } = await makeRuntime(world, [bot.botId])
  const started = start(t, ofTypescript!(), { URL_TO_TRY: world.apiUrl, KEY: key, BOTS: `${bot.botId} stranger` })
  await waitForOutput(started, 'gatehouse runtime: no webhooks of bot stranger: this key may not host it.')
})
