import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { compiledClients, compiler, filesIn, importedFrom, withCommonJs } from './compile.ts'
import { npmPackage } from './npm-package.ts'
import { readSource, root, versionOfAll } from './sources.ts'
import { wheel } from './wheel.ts'

/**
 * Builds the client packages: `npm run build:packages`, or with another folder `npm run build:packages -- <folder>`.
 * The same sources give the same bytes. Archives of other versions stay in the folder, because lock files name them.
 */
if (!existsSync(compiler)) {
  console.error('To build the client packages, install the development packages too: npm ci.')
  process.exit(1)
}
const folder = resolve(process.argv[2] ?? join(root, 'dist/packages'))
const version = versionOfAll()
const compiled = compiledClients()
const archives = [
  npmPackage('clients/typescript', await withCommonJs(filesIn('clients/typescript', compiled))),
  npmPackage('clients/cli', importedFrom('clients/cli/src/main.js', compiled)),
  wheel({
    project: readSource('clients/python/pyproject.toml'),
    version,
    readme: readSource('clients/python/README.md'),
    license: readSource('LICENSE'),
    modules: ['gatehouse_runtime', 'gatehouse_runtime_discord']
      // `py.typed` tells type checkers to read the package's annotations (PEP 561).
      .flatMap((name) => [`${name}/__init__.py`, `${name}/py.typed`])
      .map((name) => ({
        name,
        text: readSource(`clients/python/${name}`),
      })),
  }),
]
mkdirSync(folder, { recursive: true })
for (const { name, bytes } of archives) {
  // Renames the complete file into place, so that the portal never serves a partial one.
  const partial = join(folder, `.${name}.${process.pid}`)
  writeFileSync(partial, bytes)
  renameSync(partial, join(folder, name))
  console.log(join(folder, name))
}
