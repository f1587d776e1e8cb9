import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { openScene } from '../spec/subscriptions-scene.ts'
import { startProgram } from '../support/gatehouse-process.ts'
import { python } from '../support/python.ts'

const root = join(import.meta.dirname, '../..')
const guide = readFileSync(join(root, 'docs/events.md'), 'utf8')
const codeOf = (language: string) => new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(guide)?.[1] ?? ''

test('the programs in docs/events.md accept a signed event and reject a changed one', async (t) => {
  const { receiver, call, subscribe } = await openScene(t, {}, Date.now())
  const WEBHOOK_SECRET = await subscribe('one', ['bot.online'])
  await call('POST', 'subscriptions/one/test')
  const [event] = await receiver.on('/one')
  const { body } = event!
  const headers = Object.entries(event!.headers).filter(([name]) => name.startsWith('webhook-')) as [string, string][]

  const server = codeOf('js').replace('listen(8080)', 'listen(0, function () { console.log(this.address().port) })')
  const program = startProgram(t, [process.execPath, '--input-type=module', '-e', server], { WEBHOOK_SECRET }, root)
  await program.waitForOutput('\n')
  const post = async (text: string) =>
    (await fetch(`http://127.0.0.1:${program.stdout().trim()}`, { method: 'POST', headers, body: text })).status
  assert.deepEqual([await post(`${body} `), await post(body)], [401, 204])
  await program.waitForOutput("subscription.test { subscriptionId: 'one' }")

  const calls = `import json, sys\nsecret, headers, *bodies = sys.argv[1:]
print(*[is_signed(secret, json.loads(headers), body.encode()) for body in bodies])`
  const words = [WEBHOOK_SECRET, JSON.stringify(Object.fromEntries(headers)), `${body} `, body]
  const { stdout } = await promisify(execFile)(python(), ['-c', `${codeOf('python')}\n${calls}`, ...words])
  assert.equal(stdout, 'False True\n')
})
