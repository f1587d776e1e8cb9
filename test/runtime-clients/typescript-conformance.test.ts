import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../..')

/** Runs the kit as its users do. */
async function runKit(options: string[], command: string[]): Promise<{ code: number; told: string }> {
  const kit = spawn(process.execPath, [join(root, 'clients/conformance/run.ts'), ...options, '--', ...command])
  const exited = new Promise<number>((resolve) => kit.on('exit', (code) => resolve(code ?? -1)))
  const told = await text(kit.stdout)
  return { code: await exited, told }
}

test('the TypeScript client passes every case of the conformance kit', async () => {
  const bot = join(root, 'clients/typescript/conformance/bot.ts')
  const { code, told } = await runKit([], [process.execPath, bot])
  assert.equal(code, 0, told)
  assert.match(told, /^42 of 42 cases passed$/m)
})

test('the conformance kit finds fault with a client that ends like one that was told to leave', async () => {
  const { code, told } = await runKit(['--only', 'closed with 4001'], [process.execPath, '--eval', '0'])
  assert.equal(code, 1, told)
  assert.match(told, /^FAILED .+ closed with 4001/m)
  assert.match(told, /no connection within 15 s/)
})
