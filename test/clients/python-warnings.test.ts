import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { ClientProcess } from '../../clients/conformance/client-case.ts'
import { makeRuntime } from '../support/bot-runtime.ts'
import { eventually } from '../support/eventually.ts'
import { provisionListeningBot } from '../support/listening-bot.ts'
import { python } from '../support/python.ts'
import { freePorts, openWorld } from '../support/world.ts'

const clients = join(import.meta.dirname, '../../clients/python')

/** A program that neither configures logging nor handles exceptions. Its handler raises an exception. */
const program = `
import asyncio, os
from gatehouse_runtime import Runtime
async def handle_order(event):
    raise LookupError("no such order")
async def main():
    runtime = Runtime(url=os.environ["URL_TO_TRY"], key=os.environ["KEY"], instance="one", on_webhook=handle_order)
    await runtime.run()
asyncio.run(main())
`

function start(t: TestContext, URL_TO_TRY: string, KEY = 'svc_rk_wrong'): ClientProcess {
  const started = new ClientProcess([python(), '-c', program], { URL_TO_TRY, KEY, PYTHONPATH: clients })
  t.after(() => started.kill())
  return started
}

async function waitForOutput(started: ClientProcess, words: string | RegExp): Promise<void> {
  await eventually(() => {
    const { output } = started
    return (typeof words === 'string' ? output.includes(words) : words.test(output)) ? true : undefined
  })
}

describe('our choice: without logging configured, the Python client reports problems on standard error', () => {
  test('a rejected key raises Refused, which ends the process with exit code 1', async (t) => {
    const world = await openWorld(t)
    const started = start(t, world.apiUrl)
    assert.equal(await started.exitCode('it did not end'), 1)
    assert.match(started.output, /^gatehouse_runtime\.Refused: 4001 key rejected: unknown runtime key$/m)
    assert.doesNotMatch(started.output, /svc_rk_wrong/)
  })

  test('the Python client says why it can’t connect (no service, wrong URL, https for http or unknown host) and retries', async (t) => {
    const [port] = await freePorts(1)
    const none = start(t, `http://localhost:${port}`)
    await waitForOutput(
      none,
      new RegExp(
        `^not connected: nothing is listening at http://localhost:${port}; check that the service runs, and that this is its API URL\\. Retrying in \\d\\.\\d s\\.$`,
        'm',
      ),
    )
    const world = await openWorld(t)
    const portal = start(t, world.portalUrl)
    await waitForOutput(
      portal,
      `not connected: ${world.portalUrl} responds (404) without opening a WebSocket; check that this is`,
    )
    const encrypted = start(t, world.apiUrl.replace('http', 'https'))
    await waitForOutput(
      encrypted,
      /^not connected: https:\S+ responds without TLS; use http:\/\/ if the service is on this machine. Retrying/m,
    )
    const unknown = start(t, 'http://gatehouse.invalid')
    await waitForOutput(unknown, 'not connected: unknown host in http://gatehouse.invalid; check the URL.')
    await eventually(() => (none.output.match(/not connected/g) ?? []).length >= 2 || undefined)
  })

  test('the Python client reports a key without bots, and prints the traceback of an exception that a handler raises', async (t) => {
    const world = await openWorld(t)
    const { key } = await makeRuntime(world)
    const started = start(t, world.apiUrl, key)
    await waitForOutput(started, 'connected, but this key may host no bot whose hosting is on')
    const bot = await provisionListeningBot(world.service)
    const answer = await fetch(`${world.apiUrl}/${bot.botId}/${bot.path}`, { method: 'POST', body: '7' })
    assert.equal(answer.status, 202)
    await waitForOutput(
      started,
      /attempt 1 failed: event \S+\nTraceback[\s\S]+in handle_order[\s\S]+LookupError: no such order/,
    )
  })
})
