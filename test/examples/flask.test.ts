import { join } from 'node:path'
import { test } from 'node:test'
import { startProgram } from '../support/gatehouse-process.ts'
import { python } from '../support/python.ts'
import { root } from './example-program.ts'
import { assertKeepsSignedIn, assertSignsIn, openSignInExample } from './sign-in-example.ts'

test('our choice: examples/flask signs users in', async (t) => {
  const example = await openSignInExample(t, {}, async (env) => {
    const program = startProgram(t, [python(), 'app.py'], env, join(root, 'examples/flask'))
    await program.waitForOutput('Running on http://127.0.0.1:')
    return program
  })
  await assertSignsIn(t, example)
  await assertKeepsSignedIn(t, example)
})
