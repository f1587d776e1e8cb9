import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { python } from '../support/python.ts'

const root = join(import.meta.dirname, '../..')
const kit = join(root, 'clients/conformance/run.mjs')
const bot = join(root, 'clients/python/conformance/bot.py')

test('the Python client passes every case of the conformance kit', async () => {
  const running = spawn(process.execPath, [kit, '--', python(), bot])
  const exited = once(running, 'exit')
  const output = await text(running.stdout)
  const [code] = await exited
  assert.equal(code, 0, output)
})
