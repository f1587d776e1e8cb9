import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { python } from '../support/python.ts'

const clients = join(import.meta.dirname, '../../clients')
const kit = join(clients, 'conformance/run.mjs')

async function run(...words: string[]): Promise<{ code: number; output: string }> {
  const running = spawn(process.execPath, words)
  const exited = once(running, 'exit')
  const output = (await Promise.all([text(running.stdout), text(running.stderr)])).join('')
  const [code] = await exited
  return { code, output }
}

describe('The conformance kit', { concurrency: true }, () => {
  for (const [name, command] of [
    ['TypeScript', () => [process.execPath, join(clients, 'typescript/conformance/bot.ts')]],
    ['Python', () => [python(), join(clients, 'python/conformance/bot.py')]],
  ] as const) {
    test(`the ${name} client passes every case of the conformance kit`, async () => {
      const { code, output } = await run(kit, '--', ...command())
      assert.equal(code, 0, output)
      assert.match(output, /^([1-9]\d*) of \1 cases passed$/m)
    })
  }

  test('the conformance kit fails a client that exits without connecting', async () => {
    const { code, output } = await run(kit, '--only', 'closed with 4001', '--', process.execPath, '--eval', '0')
    assert.equal(code, 1, output)
    assert.match(output, /^FAILED .+ closed with 4001/m)
    assert.match(output, /no connection within 15 s/)
  })

  test('a Node that can’t run TypeScript starts the conformance kit in the Node that npm ci installed', async () => {
    const { code, output } = await run('--no-strip-types', kit, '--only', 'none')
    assert.equal(code, 2)
    assert.match(output, /^Usage: node clients\/conformance\/run\.mjs /)
  })
})
