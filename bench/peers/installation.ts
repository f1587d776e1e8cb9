import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/**
 * Peers are installed outside the repository, in the user's cache, once for each set of versions: they are no part of
 * what Gatehouse is built from, nor of what its checks see.
 */
export class Installation {
  readonly #folder: string

  private constructor(folder: string) {
    this.#folder = folder
  }

  /** @throws Error with what npm said, if the packages can't be had */
  static open(): Installation {
    const pinned = readFileSync(join(import.meta.dirname, 'packages.json'))
    const name = createHash('sha256').update(pinned).update(process.version).digest('hex').slice(0, 12)
    const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache')
    const folder = join(cache, 'gatehouse-bench', name)
    if (!existsSync(folder)) install(folder)
    // Beside the packages, so that their imports find these and not ours.
    const servers = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.server.mjs'))
    for (const file of servers) copyFileSync(join(import.meta.dirname, file), join(folder, file))
    return new Installation(folder)
  }

  server(file: string): string {
    return join(this.#folder, file)
  }

  version(packageName: string): string {
    const manifest = readFileSync(join(this.#folder, 'node_modules', packageName, 'package.json'), 'utf8')
    return (JSON.parse(manifest) as { version: string }).version
  }
}

function install(folder: string): void {
  const half = `${folder}.${process.pid}`
  mkdirSync(half, { recursive: true })
  copyFileSync(join(import.meta.dirname, 'packages.json'), join(half, 'package.json'))
  console.log(`Installing the peers in ${folder} …`)
  const { status, stderr, error } = spawnSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: half,
    encoding: 'utf8',
  })
  if (status !== 0) {
    rmSync(half, { recursive: true, force: true })
    throw new Error(`npm could not install the peers: ${error?.message ?? stderr.trim()}`)
  }
  renameSync(half, folder)
}
