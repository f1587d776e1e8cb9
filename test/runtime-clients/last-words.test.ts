import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { ClientProcess } from '../../clients/conformance/client-case.ts'
import { FakeService } from '../../clients/conformance/fake-service.ts'
import { eventually } from '../support/eventually.ts'
import { python } from '../support/python.ts'

const clients = join(import.meta.dirname, '../../clients')

/** A bot that logs as many entries as the body says, each of the maximum length, and then leaves. */
const typescript = `
import { connect } from ${JSON.stringify(join(clients, 'typescript/src/runtime.ts'))}
const runtime = connect({
  url: process.env.GATEHOUSE_URL, key: 'svc_rk_one', instance: 'one',
  onWebhook(event) {
    for (let at = 0; at < Number(event.text()); at += 1) runtime.log(event.botId, 'info', String(at).padEnd(4_096, '€'))
    runtime.leave()
  },
})
await runtime.ended
`

const pythonProgram = `
import asyncio, os
from gatehouse_runtime import Runtime
leaving = []
def on_webhook(event):
    for at in range(int(event.text())):
        runtime.log(event.bot_id, "info", str(at).ljust(4096, "€"))
    leaving.append(asyncio.ensure_future(runtime.leave()))
runtime = Runtime(url=os.environ["GATEHOUSE_URL"], key="svc_rk_one", instance="one", on_webhook=on_webhook)
asyncio.run(runtime.run())
`

for (const [name, command] of [
  ['TypeScript', () => [process.execPath, '--input-type=module', '-e', typescript]],
  ['Python', () => [python(), '-c', pythonProgram]],
] as const) {
  const start = async (t: TestContext) => {
    const service = await FakeService.open()
    t.after(() => service.stop())
    const env = { GATEHOUSE_URL: service.url, PYTHONPATH: join(clients, 'python') }
    const client = new ClientProcess(command(), env)
    t.after(() => client.kill())
    const session = await service.connection()
    // The default counts a connection as dead after 750 ms, which sending all entries may take.
    session.hello({ heartbeatMs: 30_000 })
    await session.next('ready')
    session.welcome({})
    return { client, session }
  }
  const body = (entries: number) => ({ body: Buffer.from(String(entries)).toString('base64') })

  describe(`our choice: what the ${name} client says at the end`, () => {
    test('a client that leaves sends all log entries first, also over a slow connection', async (t) => {
      const { client, session } = await start(t)
      session.hold()
      session.dispatch('ok', body(1_000))
      // Until then, the connection takes no more.
      await eventually(() => (session.heldBytes > 0 ? true : undefined))
      session.release()
      await session.next('bye')
      const entries = session.received.flatMap((frame) => (frame.type === 'log' ? frame.entries : []))
      assert.deepEqual(
        entries.map(({ message }) => Number.parseInt(message, 10)),
        Array.from({ length: 1_000 }, (_, at) => at),
      )
      assert.equal(await client.exitCode('it did not leave'), 0)
    })

    test('of more than 1,000 waiting log entries the oldest are dropped, and the client says how many', async (t) => {
      const { client, session } = await start(t)
      session.dispatch('ok', body(1_500))
      await session.next('bye')
      const entries = session.received.flatMap((frame) => (frame.type === 'log' ? frame.entries : []))
      assert.equal(entries.length, 1_000)
      assert.equal(Number.parseInt(entries.at(-1).message, 10), 1_499)
      await client.exitCode('it did not leave')
      assert.match(client.output, /500 log entries dropped: log buffer full/)
    })

    test('after a protocol error the client names the fault that the service found', async (t) => {
      const { client, session } = await start(t)
      session.send({
        type: 'error',
        code: 'malformed',
        message: 'heartbeat/bots/0/presence: must be equal to constant',
      })
      session.close(4_002, 'malformed')
      assert.equal(await client.exitCode('it did not end'), 1)
      assert.match(client.output, /protocol error.*heartbeat\/bots\/0\/presence: must be equal to constant/)
    })
  })
}
