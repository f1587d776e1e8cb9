import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { describe, type TestContext, test } from 'node:test'
import { FakeService } from '../../clients/conformance/fake-service.ts'
import { makeRuntime, openHostedBot, post, provisionListeningBot } from '../support/bot-runtime.ts'
import { freePorts } from '../support/free-ports.ts'
import { ended, stopped } from '../support/gatehouse-process.ts'
import { listening } from '../support/local-server.ts'
import { openWorld } from '../support/world.ts'
import { startClient, typescriptClient } from './client-program.ts'

/** A runtime with a handler that throws. It sets only the required options, plus `bots` if `BOTS` is set. */
const typescript = `
import { connect } from ${typescriptClient}
const { GATEHOUSE_URL, KEY, BOTS } = process.env
const runtime = connect({
  url: GATEHOUSE_URL,
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
    runtime = Runtime(url=os.environ["GATEHOUSE_URL"], key=os.environ["KEY"], instance="one", on_webhook=handle_order)
    await runtime.run()
asyncio.run(main())
`

const languages = [
  {
    name: 'TypeScript',
    program: typescript,
    rejected: /RuntimeRefused: the service rejected the runtime key \(4001, unknown runtime key\); check the key/,
    notConnected: '^gatehouse runtime: not connected: ',
    notGatehouse: (url: string) =>
      `${url} responds (404), but not as the API URL of Gatehouse; check the URL and its port`,
    unknownHost: /not connected: unknown host gatehouse\.invalid; check the URL|can't be reached/,
    thrown: /gatehouse runtime: attempt 1 of event \S+ failed: RangeError: no such order\n +at .*handleOrder/,
  },
  {
    name: 'Python',
    program: pythonProgram,
    rejected: /^gatehouse_runtime\.Refused: 4001 key rejected: unknown runtime key$/m,
    notConnected: '^not connected: ',
    notGatehouse: (url: string) =>
      `not connected: ${url} responds (404) without opening a WebSocket; check that this is`,
    unknownHost: /not connected: unknown host in http:\/\/gatehouse\.invalid; check the URL\./,
    thrown: /attempt 1 failed: event \S+\nTraceback[\s\S]+in handle_order[\s\S]+LookupError: no such order/,
  },
] as const
const [ofTypescript, ofPython] = languages

type Env = { GATEHOUSE_URL: string; KEY?: string; BOTS?: string }

function start(t: TestContext, { name, program }: (typeof languages)[number], env: Env) {
  return startClient(t, name, program, { KEY: 'svc_rk_wrong', ...env })
}

for (const language of languages) {
  const { name, rejected, notConnected, notGatehouse, unknownHost, thrown } = language
  describe(`our choice: without callbacks and logging, the ${name} client reports problems on standard error`, () => {
    test('a rejected key ends the process with exit code 1 and the reason', async (t) => {
      const world = await openWorld(t)
      const { stdout, stderr } = await ended(start(t, language, { GATEHOUSE_URL: world.apiUrl }), 1)
      assert.match(stderr, rejected)
      assert.doesNotMatch(stdout + stderr, /svc_rk_wrong/)
    })

    test('the client says why it can’t connect (no service, wrong URL, https for http or unknown host) and retries', async (t) => {
      const world = await openWorld(t)
      const [port] = await freePorts(1)
      const nothing = `nothing is listening at http://127\\.0\\.0\\.1:${port}; check that the service runs, and that this is its API URL\\. Retrying in \\d\\.\\d s\\.$`
      const withoutTls = 'https:\\S+ responds without TLS; use http:// if the service is on this machine. Retrying'
      const clients = []
      for (const [url, said] of [
        [`http://127.0.0.1:${port}`, new RegExp(notConnected + nothing, 'm')],
        [world.portalUrl, notGatehouse(world.portalUrl)],
        [world.apiUrl.replace('http', 'https'), new RegExp(notConnected + withoutTls, 'm')],
        ['http://gatehouse.invalid', unknownHost],
      ] as const) {
        const client = start(t, language, { GATEHOUSE_URL: url })
        await client.waitForOutput(said)
        clients.push(client)
      }
      await clients[0]?.waitForOutput(/not connected[\s\S]+not connected/)
      if (name === 'Python') return
      for (const client of clients) await stopped(client)
    })

    test('the client prints the stack of an error that a handler throws', async (t) => {
      const { world, bot, key } = await openHostedBot(t)
      const client = start(t, language, { GATEHOUSE_URL: world.apiUrl, KEY: key })
      await post(world, bot, '7')
      await client.waitForOutput(thrown)
    })
  })
}

test('our choice: the Python client reports a key without bots', async (t) => {
  const world = await openWorld(t)
  const { key } = await makeRuntime(world)
  const client = start(t, ofPython, { GATEHOUSE_URL: world.apiUrl, KEY: key })
  await client.waitForOutput('connected, but this key may host no bot whose hosting is on')
})

test('our choice: the TypeScript client says that a key is none, that the service has another version, that a proxy drops WebSockets, and which bot the key may not host', async (t) => {
  const world = await openWorld(t)
  const mistaken = await ended(start(t, ofTypescript, { GATEHOUSE_URL: world.apiUrl, KEY: 'svc_cs_secret' }), 1)
  assert.match(mistaken.stderr, /\(4001, this is not a runtime key: one starts with svc_rk_\)/)
  assert.doesNotMatch(mistaken.stdout + mistaken.stderr, /svc_cs_secret/)

  const service = await FakeService.open()
  t.after(() => service.stop())
  const newer = start(t, ofTypescript, { GATEHOUSE_URL: service.url })
  const session = await service.connection()
  session.close(4002, 'ask for the subprotocol gatehouse.runtime.v2')
  assert.match(
    (await ended(newer, 1)).stderr,
    /RuntimeRefused: the service reported a protocol error \(4002, ask for the subprotocol gatehouse\.runtime\.v2\); client and service may be of different versions/,
  )

  const healthy = createServer((_request, response) => response.end('{"status":"ok","service":"webhooks"}'))
  const proxied = await listening(t, healthy)
  const dropped = `Gatehouse responds at ${proxied}, but the WebSocket failed; check that proxies in between`
  await start(t, ofTypescript, { GATEHOUSE_URL: proxied }).waitForOutput(dropped)

  const bot = await provisionListeningBot(world.service)
  const { key } = await makeRuntime(world, [bot.botId])
  const client = start(t, ofTypescript, { GATEHOUSE_URL: world.apiUrl, KEY: key, BOTS: `${bot.botId} stranger` })
  await client.waitForOutput('gatehouse runtime: no webhooks of bot stranger: this key may not host it.')
})
