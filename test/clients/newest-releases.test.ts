import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { budget } from '../support/budget.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const run = promisify(execFile)

/** Libraries with a page, each with the test of the page’s code. */
const tests: Readonly<Record<string, string>> = {
  'openid-client': 'openid-client.test.ts',
  oauth4webapi: 'oauth4webapi.test.ts',
  '@auth/core': 'authjs.test.ts',
  'better-auth': 'better-auth.test.ts',
  'passport-oauth2': 'passport-oauth2.test.ts',
  'simple-oauth2': 'simple-oauth2.test.ts',
  arctic: 'arctic.test.ts',
}
const libraries = Object.keys(tests)

test(
  'our choice: the pages’ code works with the newest release of each library in the registry',
  { skip: budget > 1 ? false : 'npm run test:long installs the newest releases and runs this' },
  async (t) => {
    const folder = temporaryFolder(t)
    writeFileSync(join(folder, 'package.json'), '{"private": true, "type": "module"}')
    const newest = libraries.map((library) => `${library}@latest`)
    await run('npm', ['install', '--no-audit', '--no-fund', ...newest], { cwd: folder })
    const hook = join(import.meta.dirname, 'newest-releases-hook.ts')
    // With this variable, node --test in the child would report to this process instead of running on its own.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    for (const library of libraries) {
      const { version } = JSON.parse(readFileSync(join(folder, 'node_modules', library, 'package.json'), 'utf8'))
      await t.test(`${library} ${version}`, async () => {
        const words = ['--import', hook, '--test', join(import.meta.dirname, tests[library] ?? '')]
        const options = { env: { ...env, NEWEST_RELEASES: folder, LIBRARIES: libraries.join(' ') } }
        const { stdout } = await run(process.execPath, words, options).catch((error) => error)
        assert.match(stdout, /^(# |ℹ )fail 0$/m, stdout)
        assert.match(stdout, /^(# |ℹ )pass [1-9]/m)
      })
    }
  },
)
