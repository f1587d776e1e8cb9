import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../..')

async function runKit(options: string[], command: string[]): Promise<{ code: number; output: string }> {
  const kit = spawn(process.execPath, [join(root, 'clients/conformance/run.mjs'), ...options, '--', ...command])
  const exited = new Promise<number>((resolve) => kit.on('exit', (code) => resolve(code ?? -1)))
  const output = await text(kit.stdout)
  return { code: await exited, output }
}

test('the TypeScript client passes every case of the conformance kit', async () => {
  const bot = join(root, 'clients/typescript/conformance/bot.ts')
  const { code, output } = await runKit([], [process.execPath, bot])
  assert.equal(code, 0, output)
  assert.match(output, /^(\d+) of \1 cases passed$/m)
})

test('the conformance kit fails a client that exits without connecting', async () => {
  const { code, output } = await runKit(['--only', 'closed with 4001'], [process.execPath, '--eval', '0'])
  assert.equal(code, 1, output)
  assert.match(output, /^FAILED .+ closed with 4001/m)
  assert.match(output, /no connection within 15 s/)
})

test('a Node that can’t run TypeScript starts the conformance kit in the Node that npm ci installed', async () => {
  const kit = spawn(process.execPath, ['--no-strip-types', join(root, 'clients/conformance/run.mjs'), '--only', 'none'])
  const exited = new Promise<number>((resolve) => kit.on('exit', (code) => resolve(code ?? -1)))
  assert.match(await text(kit.stderr), /^Usage: node clients\/conformance\/run\.mjs /)
  assert.equal(await exited, 2)
})
