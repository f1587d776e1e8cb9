import assert from 'node:assert/strict'
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, test } from 'node:test'

const root = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const files = globSync('docs/integrate/*.md', { cwd: root })

describe('Pages in docs/integrate', () => {
  test('docs/integrate/README.md links to each page and each recorded library', () => {
    const recorded = readdirSync(join(import.meta.dirname, 'recorded')).map((file) => file.replace('.http', '.md'))
    const pages = files.map((file) => basename(file))
    const withoutPage = recorded.filter((file) => !pages.includes(file))
    assert.deepEqual(withoutPage, [])
    for (const page of pages.filter((file) => file !== 'README.md')) {
      assert.ok(read('docs/integrate/README.md').includes(`](${page})`), page)
    }
  })

  test('a page shows each file in examples/libraries', () => {
    const all = files.map((file) => read(file)).join('\n')
    for (const file of readdirSync(join(root, 'examples/libraries'))) {
      assert.match(all, new RegExp(`^\\[[^\\]]+\\]\\(\\.\\./\\.\\./examples/libraries/${RegExp.escape(file)}\\)$`, 'm'))
    }
  })

  test('pages name the library versions that the tests use', () => {
    const named = files.flatMap((file) =>
      [...read(file).matchAll(/Tested with (\S+) (\d+(?:\.\d+)?)[ ,.]/g)].map(([, library = '', version]) => {
        const { version: installed } = JSON.parse(read(`node_modules/${library}/package.json`)) as { version: string }
        return { file, library, version, installed }
      }),
    )
    assert.equal(named.length, 7, 'one for each library in JavaScript')
    const stale = named.filter(({ version, installed }) => !`${installed}.`.startsWith(`${version}.`))
    assert.deepEqual(stale, [], 'run the code with the installed version, then update the version in the page')
  })
})
