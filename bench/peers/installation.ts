import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/**
 * The installed npm peers. Each set of versions has a folder in the user's cache, outside the repository and its
 * checks.
 */
export class Installation {
  readonly missing: string | undefined
  readonly #folder: string

  private constructor(folder: string, missing: string | undefined) {
    this.#folder = folder
    this.missing = missing
  }

  static open(): Installation {
    const pinned = readFileSync(join(import.meta.dirname, 'packages.json'))
    const name = createHash('sha256').update(pinned).update(process.version).digest('hex').slice(0, 12)
    const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache')
    const folder = join(cache, 'gatehouse-bench', name)
    const missing = existsSync(folder) ? undefined : install(folder)
    if (missing !== undefined) return new Installation(folder, missing)
    // Copies the servers next to the packages, so that imports resolve to the peers' packages and not to ours.
    const servers = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.server.mjs'))
    for (const file of servers) copyFileSync(join(import.meta.dirname, file), join(folder, file))
    return new Installation(folder, undefined)
  }

  server(file: string): string {
    return join(this.#folder, file)
  }

  version(packageName: string): string {
    const manifest = readFileSync(join(this.#folder, 'node_modules', packageName, 'package.json'), 'utf8')
    return (JSON.parse(manifest) as { version: string }).version
  }
}

function install(folder: string): string | undefined {
  const temporary = `${folder}.${process.pid}`
  mkdirSync(temporary, { recursive: true })
  copyFileSync(join(import.meta.dirname, 'packages.json'), join(temporary, 'package.json'))
  console.log(`Installing peers in ${folder} …`)
  const words = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--fetch-retries=0']
  const { status, stderr, error } = spawnSync('npm', words, { cwd: temporary, encoding: 'utf8', timeout: 300_000 })
  if (status === 0) {
    renameSync(temporary, folder)
    return undefined
  }
  rmSync(temporary, { recursive: true, force: true })
  const firstError = stderr.split('\n').find((line) => line.startsWith('npm error'))
  return `npm install failed: ${error?.message ?? firstError ?? stderr.trim()}`
}
