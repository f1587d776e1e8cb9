import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { Config } from '../../config/config.ts'
import { systemClock } from '../../domain/clock.ts'
import { configured } from '../configured.ts'
import { refuseOtherOwner } from '../data-owner.ts'
import { exitCodes, failed, reasonOf, StartFault } from '../start-fault.ts'
import { refuse, unusableDatabase } from '../unusable-file.ts'
import {
  copySnapshot,
  countRows,
  databases,
  type FileInBackup,
  keyFiles,
  manifestName,
  manifestOf,
  openSnapshot,
  sha256Of,
  sync,
} from './files.ts'

/**
 * `gatehouse backup <folder>`: writes a consistent copy of both databases and the generated keys to a new folder. Works
 * while the service is running. The folder gets its final name only once it is complete and on disk.
 *
 * @throws StartFault if there is nothing to back up, the folder exists, or it can't be written.
 */
export async function backUp(folder: string, version: string): Promise<number> {
  // Makes backup files readable only by their owner.
  process.umask(0o077)
  const config = configured()
  if (config.databaseUrls !== undefined) {
    throw new StartFault(exitCodes.usage, [
      'with DATABASE_URL all data is in PostgreSQL; back it up with the tools of PostgreSQL (see docs/operations.md)',
    ])
  }
  refuseOtherOwner(config.dataDir)
  const target = resolve(folder)
  if (existsSync(target)) {
    throw failed(`${target} already exists; name a new folder`)
  }
  const unfinished = `${target}.unfinished`
  createFolder(unfinished, target)
  try {
    const files = await write(config, unfinished)
    const manifest = manifestOf(version, systemClock.nowMs(), files)
    writeFileSync(join(unfinished, manifestName), `${JSON.stringify(manifest, undefined, 2)}\n`)
    for (const name of [...files.map((file) => file.name), manifestName]) sync(join(unfinished, name))
    sync(unfinished)
    renameSync(unfinished, target)
    sync(dirname(target))
    printSummary(config, target, files)
    return exitCodes.ok
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    if (error instanceof StartFault) throw error
    throw notWritten(target, error)
  }
}

/** @throws StartFault */
function createFolder(unfinished: string, target: string): void {
  try {
    rmSync(unfinished, { recursive: true, force: true })
    mkdirSync(unfinished, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw notWritten(target, error)
  }
}

function notWritten(target: string, error: unknown): StartFault {
  return failed(`the backup can't be written to ${target}: ${reasonOf(error)}`, error)
}

async function write(config: Config, folder: string): Promise<FileInBackup[]> {
  const paths = databases.map(({ name }) => join(config.dataDir, name))
  const missing = paths.find((path) => !existsSync(path))
  if (missing !== undefined) {
    throw failed(`there is nothing to back up: ${missing} does not exist; check DATA_DIR`)
  }
  for (const path of paths) refuse(unusableDatabase(path))
  const snapshots: { name: string; db: DatabaseSync }[] = []
  try {
    // Take both snapshots before the first copy starts, because copying can take a long time.
    for (const { name } of databases) snapshots.push({ name, db: openSnapshot(join(config.dataDir, name)) })
    for (const { name, db } of snapshots) await copySnapshot(db, join(folder, name))
  } finally {
    for (const { db } of snapshots) db.close()
  }
  const keys = keyFiles(config).filter((name) => existsSync(join(config.dataDir, name)))
  for (const name of keys) copyFileSync(join(config.dataDir, name), join(folder, name))

  const described: FileInBackup[] = []
  for (const name of [...databases.map((database) => database.name), ...keys]) {
    const path = join(folder, name)
    const rows = keys.includes(name) ? {} : { rows: countRows(path) }
    described.push({ name, bytes: statSync(path).size, sha256: await sha256Of(path), ...rows })
  }
  return described
}

function printSummary(config: Config, target: string, files: readonly FileInBackup[]): void {
  for (const { name, bytes, rows } of files) {
    const counted = rows === undefined ? '' : `, ${Object.values(rows).reduce((sum, count) => sum + count, 0)} rows`
    process.stdout.write(`${name}: ${bytes} bytes${counted}\n`)
  }
  process.stdout.write(`The backup in ${target} is complete.`)
  process.stdout.write(
    files.some(({ name }) => name === 'secret.key')
      ? ' It contains the secret key, so keep it secret too.\n'
      : ` It does not contain the secret key, because ${config.dataDir} has none: keep SECRET_KEY as well.\n`,
  )
}
