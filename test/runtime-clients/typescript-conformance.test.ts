import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { CaseFailure } from '../../clients/conformance/patience.ts'
import { runClientCases } from '../../clients/conformance/run-client-cases.ts'

const root = join(import.meta.dirname, '../..')

test('the TypeScript client passes every case of the conformance kit', async () => {
  const results = await runClientCases([process.execPath, join(root, 'clients/typescript/conformance/bot.ts')])
  assert.ok(results.length > 30)
  assert.deepEqual(
    results.filter(({ fault }) => fault !== undefined),
    [],
  )
})

test('the conformance kit finds fault with a client that does nothing', async () => {
  const [result] = await runClientCases(
    [process.execPath, '--eval', '0'],
    [
      {
        title: 'it connects',
        async run({ client }) {
          assert.equal(await client.exitCode('it did not end'), 0)
          throw new CaseFailure('it ended without connecting')
        },
      },
    ],
  )
  assert.equal(result?.fault, 'it ended without connecting')
})
