import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { openScene } from '../spec/subscriptions-scene.ts'
import { startProgram } from '../support/gatehouse-process.ts'
import { python } from '../support/python.ts'

const folder = join(import.meta.dirname, '../../examples/events')

test('the receivers in examples/events accept a signed event and reject a changed one', async (t) => {
  const { receiver, call, subscribe } = await openScene(t, {}, Date.now())
  const WEBHOOK_SECRET = await subscribe('one', ['bot.online'])
  await call('POST', 'subscriptions/one/test')
  const [event] = await receiver.on('/one')
  const { body } = event!
  const headers = Object.entries(event!.headers).filter(([name]) => name.startsWith('webhook-')) as [string, string][]

  const program = startProgram(t, [process.execPath, 'receiver.js'], { WEBHOOK_SECRET, PORT: '0' }, { cwd: folder })
  await program.waitForOutput('Listening')
  const [, port = ''] = /port (\d+)/.exec(program.stdout()) ?? []
  const post = async (text: string) =>
    (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body: text })).status
  assert.deepEqual([await post(`${body} `), await post(body)], [401, 204])
  await program.waitForOutput("subscription.test { subscriptionId: 'one' }")

  const calls = `import json, sys\nsecret, headers, *bodies = sys.argv[1:]
print(*[is_signed(secret, json.loads(headers), body.encode()) for body in bodies])`
  const words = [WEBHOOK_SECRET, JSON.stringify(Object.fromEntries(headers)), `${body} `, body]
  const script = ['-c', `from is_signed import is_signed\n${calls}`]
  const { stdout } = await promisify(execFile)(python(), [...script, ...words], { cwd: folder })
  assert.equal(stdout, 'False True\n')
})
