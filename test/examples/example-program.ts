import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { builtPackages } from '../support/built-packages.ts'

export const root = join(import.meta.dirname, '../..')

/**
 * Returns the folder in which to start an example. Normally this is the folder in the checkout, whose packages `npm ci`
 * has installed at the root. An example with the client of this checkout is copied, and the client is built and
 * installed there.
 *
 * @param newest returns a copy with the newest release of each package, installed from the registry.
 */
export async function folderOf(name: string, { newest }: { newest: boolean }): Promise<string> {
  const own = join(root, 'examples', name)
  const dependencies = Object.entries(manifestOf(own).dependencies ?? {})
  const isBuilt = (version: string) => version.startsWith('file:')
  if (!newest && !dependencies.some(([, version]) => isBuilt(version))) return own

  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-example-'))
  // Not after the test: hooks run in the order in which they were added, so the program would still write to the folder.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  cpSync(own, folder, { recursive: true, filter: (path) => !/\/(node_modules|\.next)$/.test(path) })
  const built = await builtPackages()
  const installed = dependencies.flatMap(([name, version]) => {
    if (isBuilt(version)) return [join(built, basename(version))]
    return newest ? [newestOf(name, version)] : []
  })
  if (!newest) rmSync(join(folder, 'package.json'))
  await promisify(execFile)('npm', ['install', '--save-exact', '--no-audit', '--no-fund', ...installed], {
    cwd: folder,
  })
  if (newest) return folder
  cpSync(join(own, 'package.json'), join(folder, 'package.json'))
  for (const [name, version] of dependencies) {
    if (!isBuilt(version)) symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  }
  return folder
}

/** Version 5 of next-auth is a prerelease, and version 4 is still in wide use, so both have an example. */
function newestOf(name: string, version: string): string {
  return name === 'next-auth' ? `${name}@^${version.split('.')[0]}.0.0-0` : `${name}@latest`
}

export function manifestOf(folder: string): { dependencies?: Record<string, string> } {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}
