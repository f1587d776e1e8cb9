import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { renewedPages, unusedRecipes } from './recipes.ts'

const root = join(import.meta.dirname, '../..')
const readme = readFileSync(join(root, 'docs/integrate/README.md'), 'utf8')

describe('Recipes in docs/integrate', () => {
  test('each page shows recipe code exactly as the tests run it', () => {
    const stale = renewedPages().filter(({ written, renewed }) => written !== renewed)
    assert.deepEqual(
      stale.map(({ file }) => file),
      [],
      'a recipe was changed in its test: run node test/clients/recipes.ts, reread the pages and commit them',
    )
  })

  test('each recipe marked in a test is included in a page', () => {
    assert.deepEqual(unusedRecipes(), [], 'include it in a page with <!-- recipe: <name>, from <file> -->')
  })

  test('docs/integrate/README.md links to each page and each recorded library', () => {
    const pages = renewedPages().map(({ file }) => file.replace('docs/integrate/', ''))
    const recorded = readdirSync(join(import.meta.dirname, 'recorded')).map((file) => file.replace('.http', '.md'))
    for (const page of [...pages, ...recorded].filter((file) => file !== 'README.md')) {
      assert.ok(readme.includes(`](${page})`), `docs/integrate/README.md does not link to ${page}`)
      assert.ok(existsSync(join(root, 'docs/integrate', page)), `docs/integrate/${page} is missing`)
    }
  })

  test('pages name the library versions that the tests use', () => {
    const named = renewedPages().flatMap(({ file, renewed }) =>
      [...renewed.matchAll(/Tested with (\S+) (\d+(?:\.\d+)?)[ ,.]/g)].map(([, library = '', version]) => {
        const manifest = readFileSync(join(root, 'node_modules', library, 'package.json'), 'utf8')
        return { file, library, version, installed: JSON.parse(manifest).version as string }
      }),
    )
    assert.equal(named.length, 7, 'one for each library in JavaScript')
    const stale = named.filter(({ version, installed }) => !`${installed}.`.startsWith(`${version}.`))
    assert.deepEqual(stale, [], 'try the recipe with the installed version, then update the version in the page')
  })
})
