import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { budget } from '../support/budget.ts'
import { startProgram } from '../support/gatehouse-process.ts'
import { python } from '../support/python.ts'
import { folderOf, root } from './example-program.ts'
import { assertKeepsSignedIn, assertSignsIn, openSignInExample, type SignInExample } from './sign-in-example.ts'

/** Returns a function that starts an example with variables. It resolves once the example has printed these words. */
function starter(t: TestContext, folder: string, words: string, command: [string, ...string[]] = ['npm', 'start']) {
  return async (env: Record<string, string>) => {
    const program = startProgram(t, command, { ...env, NEXT_TELEMETRY_DISABLED: '1' }, { cwd: folder })
    await program.waitForOutput(words)
    return program
  }
}

test('our choice: examples/express, started with npm start, signs users in', async (t) => {
  const folder = await folderOf('express', { newest: budget > 1 })
  const example = await openSignInExample(t, {}, starter(t, folder, 'Open http://127.0.0.1:'))
  await assertSignsIn(t, example)
  await assertKeepsSignedIn(t, example)
})

test('our choice: examples/flask signs users in', async (t) => {
  const start = starter(t, join(root, 'examples/flask'), 'Running on http://127.0.0.1:', [python(), 'app.py'])
  const example = await openSignInExample(t, {}, start)
  await assertSignsIn(t, example)
  await assertKeepsSignedIn(t, example)
})

/** Next takes 350 MB and half a minute to install. */
const options = { skip: budget > 1 ? false : 'npm run test:long installs Next and runs this' }

async function openNextExample(t: TestContext, name: string): Promise<SignInExample> {
  const address = { host: 'localhost', callbackPath: '/api/auth/callback/gatehouse' }
  return openSignInExample(t, address, starter(t, await folderOf(name, { newest: true }), 'Ready in'))
}

test('our choice: examples/next, with next-auth 5 and started with npm start, signs users in', options, async (t) => {
  await assertSignsIn(t, await openNextExample(t, 'next'))
})

test('our choice: examples/next-auth-4, started with npm start, signs users in', options, async (t) => {
  const example = await openNextExample(t, 'next-auth-4')
  await assertSignsIn(t, { ...example, ...withoutScripts(example) })
})

/** Does what the buttons do in a browser with scripts: `signIn` and `signOut` of next-auth/react. */
function withoutScripts({ browser, url }: SignInExample): Pick<SignInExample, 'begin' | 'beginAgain' | 'signOut'> {
  const post = async (path: string) => {
    const { csrfToken } = JSON.parse((await browser.get(`${url}/api/auth/csrf`)).text) as { csrfToken: string }
    const fields = new URLSearchParams({ csrfToken, callbackUrl: '/', json: 'true' })
    const answer = await browser.post(new URL(path, url), fields)
    assert.equal(answer.status, 200, answer.text)
    return new URL((JSON.parse(answer.text) as { url: string }).url, url)
  }
  return {
    begin: () => post('/api/auth/signin/gatehouse?consent=skip'),
    beginAgain: () => post('/api/auth/signin/gatehouse'),
    signOut: () => post('/api/auth/signout'),
  }
}
