import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { ClientProcess } from '../../clients/conformance/client-case.ts'
import { FakeService } from '../../clients/conformance/fake-service.ts'
import { makeRuntime } from '../support/bot-runtime.ts'
import { eventually } from '../support/eventually.ts'
import { provisionListeningBot } from '../support/listening-bot.ts'
import { freePorts, openWorld } from '../support/world.ts'

const runtime = join(import.meta.dirname, '../../clients/typescript/src/runtime.ts')

/** A runtime with a handler that throws. It sets only the required options, plus `bots` if `BOTS` is set. */
const program = `
import { connect } from ${JSON.stringify(runtime)}
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

function start(t: TestContext, env: { URL_TO_TRY: string; KEY?: string; BOTS?: string }): ClientProcess {
  const words = [process.execPath, '--input-type=module', '--eval', program]
  const started = new ClientProcess(words, { KEY: 'svc_rk_wrong', ...env })
  t.after(() => started.kill())
  return started
}

async function waitForOutput(started: ClientProcess, words: string | RegExp): Promise<void> {
  await eventually(() => {
    const { output } = started
    return (typeof words === 'string' ? output.includes(words) : words.test(output)) ? true : undefined
  })
}

async function listening(t: TestContext, server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('our choice: without callbacks, the TypeScript client reports problems on standard error', () => {
  test('a rejected key ends the process with exit code 1 and a message that says what to do', async (t) => {
    const world = await openWorld(t)
    const started = start(t, { URL_TO_TRY: world.apiUrl })
    assert.equal(await started.exitCode('it did not end'), 1)
    assert.match(
      started.output,
      /RuntimeRefused: the service rejected the runtime key \(4001, unknown runtime key\); check the key/,
    )
    assert.doesNotMatch(started.output, /svc_rk_wrong/)
    const mistaken = start(t, { URL_TO_TRY: world.apiUrl, KEY: 'svc_cs_secret' })
    assert.equal(await mistaken.exitCode('it did not end'), 1)
    assert.match(mistaken.output, /\(4001, this is not a runtime key: one starts with svc_rk_\)/)
    assert.doesNotMatch(mistaken.output, /svc_cs_secret/)
  })

  test('a service of another version ends the process with exit code 1 and the service’s reason', async (t) => {
    const service = await FakeService.open()
    t.after(() => service.stop())
    const started = start(t, { URL_TO_TRY: service.url })
    const session = await service.connection()
    session.close(4002, 'ask for the subprotocol gatehouse.runtime.v2')
    assert.equal(await started.exitCode('it did not end'), 1)
    assert.match(
      started.output,
      /RuntimeRefused: the service reported a protocol error \(4002, ask for the subprotocol gatehouse\.runtime\.v2\); client and service may be of different versions/,
    )
  })

  test('the TypeScript client says why it can’t connect (no service, wrong URL, https for http, another service or no WebSockets) and retries', async (t) => {
    const [port] = await freePorts(1)
    const none = start(t, { URL_TO_TRY: `http://127.0.0.1:${port}` })
    const nothing = new RegExp(
      `^gatehouse runtime: not connected: nothing is listening at http://127\\.0\\.0\\.1:${port}; check that the service runs, and that this is its API URL\\. Retrying in \\d\\.\\d s\\.$`,
      'm',
    )
    await waitForOutput(none, nothing)
    const world = await openWorld(t)
    const portal = start(t, { URL_TO_TRY: world.portalUrl })
    await waitForOutput(
      portal,
      `${world.portalUrl} responds (404), but not as the API URL of Gatehouse; check the URL and its port`,
    )
    const plain = world.apiUrl.replace('http', 'https')
    const encrypted = start(t, { URL_TO_TRY: plain })
    await waitForOutput(
      encrypted,
      /^gatehouse runtime: not connected: https:\S+ responds without TLS; use http:\/\/ if the service is on this machine. Retrying/m,
    )
    const proxied = await listening(
      t,
      createServer((_request, response) => response.end('{"status":"ok","service":"webhooks"}')),
    )
    const proxy = start(t, { URL_TO_TRY: proxied })
    await waitForOutput(
      proxy,
      `Gatehouse responds at ${proxied}, but the WebSocket failed; check that proxies in between`,
    )
    const unknown = start(t, { URL_TO_TRY: 'http://gatehouse.invalid' })
    await waitForOutput(unknown, /not connected: unknown host gatehouse\.invalid; check the URL|can't be reached/)
    await eventually(() => (none.output.match(/not connected/g) ?? []).length >= 2 || undefined)
    for (const each of [none, portal, encrypted, proxy, unknown]) {
      each.terminate()
      assert.equal(await each.exitCode('it did not leave'), 0)
    }
  })

  test('the TypeScript client reports a bot that the key may not host', async (t) => {
    const world = await openWorld(t)
    const bot = await provisionListeningBot(world.service)
    const { key } = await makeRuntime(world, [bot.botId])
    const started = start(t, { URL_TO_TRY: world.apiUrl, KEY: key, BOTS: `${bot.botId} stranger` })
    await waitForOutput(started, 'gatehouse runtime: no webhooks of bot stranger: this key may not host it.')
    started.terminate()
    assert.equal(await started.exitCode('it did not leave'), 0)
  })

  test('the TypeScript client prints the stack of an error that a handler throws', async (t) => {
    const world = await openWorld(t)
    const bot = await provisionListeningBot(world.service)
    const { key } = await makeRuntime(world)
    const started = start(t, { URL_TO_TRY: world.apiUrl, KEY: key })
    const answer = await fetch(`${world.apiUrl}/${bot.botId}/${bot.path}`, { method: 'POST', body: '7' })
    assert.equal(answer.status, 202)
    await waitForOutput(
      started,
      /gatehouse runtime: attempt 1 of event \S+ failed: RangeError: no such order\n +at .*handleOrder/,
    )
    started.terminate()
    assert.equal(await started.exitCode('it did not leave'), 0)
  })
})
