import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

export const root = join(import.meta.dirname, '../..')

interface Cleanup {
  after(work: () => void): void
}

/**
 * Returns the folder in which to start an example. Normally this is the folder in the checkout, whose packages
 * `npm ci` has installed at the root.
 *
 * @param newest returns a copy with the newest release of each package, installed from the registry.
 */
export async function folderOf(t: Cleanup, name: string, { newest }: { newest: boolean }): Promise<string> {
  const own = join(root, 'examples', name)
  return newest ? newestCopyOf(t, own) : own
}

/** Copies an example and installs the newest release of each package in its manifest. */
async function newestCopyOf(t: Cleanup, own: string): Promise<string> {
  const checkout = mkdtempSync(join(tmpdir(), 'gatehouse-example-'))
  t.after(() => rmSync(checkout, { recursive: true, force: true }))
  // The examples of bots import the clients by a path relative to the checkout.
  symlinkSync(join(root, 'clients'), join(checkout, 'clients'))
  const folder = join(checkout, 'examples', 'copy')
  cpSync(own, folder, { recursive: true, filter: (path) => !/\/(node_modules|\.next)$/.test(path) })
  const newest = Object.entries(manifestOf(own).dependencies ?? {}).map(([name, version]) => newestOf(name, version))
  const install = ['install', '--save-exact', '--no-audit', '--no-fund', ...newest]
  await promisify(execFile)('npm', install, { cwd: folder })
  return folder
}

/** Version 5 of next-auth is a prerelease, and version 4 is still in wide use, so both have an example. */
function newestOf(name: string, version: string): string {
  return name === 'next-auth' ? `${name}@^${version.split('.')[0]}.0.0-0` : `${name}@latest`
}

export function manifestOf(folder: string): { dependencies?: Record<string, string> } {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}
