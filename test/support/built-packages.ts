import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'
import { temporaryFolder } from './temporary-folder.ts'

const root = join(import.meta.dirname, '../..')

/** The version of service and packages. */
export const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }

/** Builds the client packages into a new folder, which is removed when the test ends. Resolves with its path. */
export async function buildPackages(t: TestContext): Promise<string> {
  const folder = temporaryFolder(t)
  await build(folder)
  return folder
}

/**
 * Resolves with a folder that has the client packages of these sources. Builds them only if no earlier test run has,
 * because the compiler takes longer than any test of the packages. Callers must not change the folder.
 */
export async function builtPackages(): Promise<string> {
  const cache = join(root, 'node_modules/.cache/test-packages')
  const folder = join(cache, digestOfSources())
  mkdirSync(folder, { recursive: true })
  if (readdirSync(folder).length > 0) return folder
  // Renames a complete build into place, because other test processes look for it at the same time.
  const own = mkdtempSync(join(cache, 'unfinished-'))
  try {
    await build(own)
    renameSync(own, folder)
  } catch (error) {
    rmSync(own, { recursive: true, force: true })
    if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error
  }
  return folder
}

async function build(folder: string): Promise<void> {
  await promisify(execFile)(process.execPath, [join(root, 'clients/packaging/build-packages.ts'), folder])
}

/** Covers everything that a build reads: the clients, the sources that they import, and the compiler's version. */
function digestOfSources(): string {
  const digest = createHash('sha256').update(process.version)
  const sources = globSync('{clients,src}/**/*.{json,md,py,toml,ts}', { cwd: root })
  const files = [...sources, 'LICENSE', 'package.json', 'package-lock.json', 'tsconfig.json']
  for (const file of files.sort()) digest.update(`\n${file}\n`).update(readFileSync(join(root, file)))
  return digest.digest('hex').slice(0, 20)
}
