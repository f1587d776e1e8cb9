import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { ended, startProgram } from '../support/gatehouse-process.ts'
import { python } from '../support/python.ts'
import { kit, passesKit } from './client-program.ts'

const clients = join(import.meta.dirname, '../../clients')

describe('The conformance kit', { concurrency: true }, () => {
  for (const [name, command] of [
    ['TypeScript', () => [process.execPath, join(clients, 'typescript/conformance/bot.ts')]],
    ['Python', () => [python(), join(clients, 'python/conformance/bot.py')]],
  ] as const) {
    test(`the ${name} client passes every case of the conformance kit`, async (t) => {
      await passesKit(t, command())
    })
  }

  test('the conformance kit fails a client that exits without connecting', async (t) => {
    const words = [kit, '--only', 'closed with 4001', '--', process.execPath, '--eval', '0']
    const { stdout } = await ended(startProgram(t, [process.execPath, ...words], {}), 1)
    assert.match(stdout, /^FAILED .+ closed with 4001/m)
    assert.match(stdout, /no connection within 30 s/)
  })

  test('a Node that can’t run TypeScript starts the conformance kit in the Node that npm ci installed', async (t) => {
    const words = ['--no-strip-types', kit, '--only', 'none']
    const { stderr } = await ended(startProgram(t, [process.execPath, ...words], {}), 2)
    assert.match(stderr, /^Usage: node clients\/conformance\/run\.mjs /)
  })
})
