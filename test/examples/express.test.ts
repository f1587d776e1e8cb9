import { test } from 'node:test'
import { budget } from '../support/budget.ts'
import { startProgram } from '../support/gatehouse-process.ts'
import { folderOf } from './example-program.ts'
import { assertKeepsSignedIn, assertSignsIn, openSignInExample } from './sign-in-example.ts'

test('our choice: examples/express, started with npm start, signs users in', async (t) => {
  const folder = await folderOf('express', { newest: budget > 1 })
  const example = await openSignInExample(t, {}, async (env) => {
    const program = startProgram(t, ['npm', 'start'], env, folder)
    await program.waitForOutput('Open http://127.0.0.1:')
    return program
  })
  await assertSignsIn(t, example)
  await assertKeepsSignedIn(t, example)
})
