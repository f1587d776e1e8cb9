import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { onPostgresInLongRuns, onSqliteOnly, quick, quickOnPostgres } from './support/batches.ts'
import { proofs, proofsInDoubt, rowOf } from './support/proofs.ts'
import { temporaryFolder } from './support/temporary-folder.ts'

const root = join(import.meta.dirname, '..')

describe('our choice: the commands that run tests, and what each leaves to another (decision 0136)', () => {
  test('each entry of the lists of test files names a file', () => {
    const listed = [...quick, ...quickOnPostgres, ...onSqliteOnly].map(([files]) => files)
    for (const files of [...listed, ...onPostgresInLongRuns]) {
      // Each name of a list in braces.
      const [, before = files, names = '', after = ''] = /^(.*)\{(.*)\}(.*)$/.exec(files) ?? []
      for (const name of names.split(',')) assert.ok(globSync(before + name + after, { cwd: root }).length > 0, files)
    }
  })

  test('each proof outside npm run test:all covers files that exist, and has a script and a row in CONTRIBUTING.md', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const text = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')
    const listed = [...text.matchAll(/^\| `npm run (test:\w+)` \| .+ \|.*\|$/gm)].map(([, name]) => name)
    assert.deepEqual(listed.sort(), Object.keys(proofs).sort())
    for (const [name, { covers }] of Object.entries(proofs)) {
      assert.match(text, rowOf(name))
      assert.equal(scripts[name], `node test/prove.ts ${name}`)
      for (const path of covers) assert.ok(existsSync(join(root, path)), path)
    }
  })

  test('a copy without git history says that it can’t tell which proofs are older than what they cover', (t) => {
    const folder = temporaryFolder(t)
    writeFileSync(join(folder, 'CONTRIBUTING.md'), '| `npm run test:citus` | 0123abcd | 2026-01-05 |\n')
    const lines = proofsInDoubt(folder)
    assert.equal(lines.length, Object.keys(proofs).length)
    assert.ok(
      lines.includes(
        'npm run test:citus passed at 0123abcd (2026-01-05). This copy lacks the history that tells what has changed since.',
      ),
    )
    assert.ok(lines.includes('No run of npm run test:image is recorded in CONTRIBUTING.md.'))
  })
})
