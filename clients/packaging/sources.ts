import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../..')

/** An archive, ready to be written. */
export interface Archive {
  name: string
  bytes: Uint8Array
}

/** @param path relative to the repository. */
export function readSource(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

/**
 * Returns the version of the release. The service and all packages have the same version.
 *
 * @throws Error naming the file that has another version.
 */
export function versionOfAll(): string {
  const { version } = JSON.parse(readSource('package.json')) as { version: string }
  for (const [file, pattern] of [
    ['clients/typescript/package.json', /"version": "(.+)"/],
    ['clients/cli/package.json', /"version": "(.+)"/],
    ['clients/python/gatehouse_runtime/__init__.py', /^__version__ = "(.+)"$/m],
  ] as const) {
    const found = pattern.exec(readSource(file))?.[1]
    if (found !== version) throw new Error(`${file} has version ${found}, but package.json has ${version}`)
  }
  return version
}
