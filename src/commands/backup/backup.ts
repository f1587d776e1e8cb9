import { createHash } from 'node:crypto'
import { createReadStream, existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { pipeline } from 'node:stream/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Config } from '../../config/config.ts'
import { systemClock } from '../../domain/clock.ts'
import { identityFile, queueFile } from '../../storage/sqlite/database-files.ts'
import { makeFolder, refuseOtherOwner } from '../data-directory.ts'
import { operatorKeyPath, secretKeyPath } from '../keys.ts'
import { configured, exitCodes, failed, reasonOf, refuse, StartFault } from '../start-fault.ts'
import { copyPrivately, sync, unusableDatabase } from '../unusable-file.ts'

/**
 * `gatehouse backup <folder>`: writes a consistent copy of both databases and the generated keys to a new folder. Works
 * while the service is running. The folder gets its final name only once it is complete and on disk.
 *
 * @throws StartFault if there is nothing to back up, the folder exists, or it can't be written.
 */
export async function backUp(folder: string, version: string): Promise<number> {
  // Makes backup files readable only by their owner.
  process.umask(0o077)
  const config = configuredForFiles()
  refuseOtherOwner(config.dataDir)
  const target = resolve(folder)
  if (existsSync(target)) {
    throw failed(`${target} already exists; name a new folder`)
  }
  const unfinished = `${target}.unfinished`
  createFolder(unfinished, target)
  try {
    const files = await write(config, unfinished)
    const madeAt = new Date(systemClock.nowMs()).toISOString()
    const manifest: Manifest = { format, gatehouse: version, madeAt, files }
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

/** @throws StartFault with `DATABASE_URL`, because the service then doesn't use the data in `DATA_DIR`. */
export function configuredForFiles(): Config {
  const config = configured()
  if (config.databaseUrls === undefined) return config
  throw new StartFault(exitCodes.usage, [
    'with DATABASE_URL all data is in PostgreSQL; back it up and restore it with the tools of PostgreSQL (see docs/operations.md)',
  ])
}

function createFolder(unfinished: string, target: string): void {
  try {
    rmSync(unfinished, { recursive: true, force: true })
    makeFolder(unfinished)
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
  for (const { name, db } of openSnapshots(config.dataDir)) {
    await copySnapshot(db, join(folder, name))
    db.close()
  }
  const keys = keyFiles(config).filter((name) => existsSync(join(config.dataDir, name)))
  for (const name of keys) copyPrivately(join(config.dataDir, name), join(folder, name))

  const described: FileInBackup[] = []
  for (const name of [...databases.map((database) => database.name), ...keys]) {
    const path = join(folder, name)
    described.push({ name, bytes: statSync(path).size, sha256: await sha256Of(path) })
  }
  return described
}

function printSummary(config: Config, target: string, files: readonly FileInBackup[]): void {
  for (const { name, bytes } of files) process.stdout.write(`${name}: ${bytes} bytes\n`)
  process.stdout.write(`The backup in ${target} is complete.`)
  process.stdout.write(
    files.some(({ name }) => name === 'secret.key')
      ? ' It contains the secret key, so keep it secret too.\n'
      : ` It does not contain the secret key, because ${config.dataDir} has none: keep SECRET_KEY as well.\n`,
  )
}

export const databases = [queueFile, identityFile] as const

/** Returns the names of the key files. Keys set in the environment have no file. */
export function keyFiles(config: Config): string[] {
  return [secretKeyPath(config), operatorKeyPath(config)].map((path) => basename(path))
}

/** Copies all pages in one step. A multi-step copy would restart at each commit of the running service. */
const allPages = 2 ** 31 - 1

/**
 * Opens both databases to read them as of one instant, at which a crash would lose nothing. The service may keep writing.
 * If it wrote to the identity database in between, begins again.
 */
function openSnapshots(dataDir: string): { name: string; db: DatabaseSync }[] {
  const open = (name: string) => new DatabaseSync(join(dataDir, name), { readOnly: true, timeout: 5_000 })
  const snapshots = databases.map(({ name }) => ({ name, db: open(name) }))
  using observer = open(identityFile.name)
  const version = observer.prepare('PRAGMA data_version')
  for (;;) {
    const before = version.get()
    // The first read begins the transaction and so determines what the copy contains.
    for (const { db } of snapshots) db.exec('BEGIN; SELECT count(*) FROM sqlite_schema')
    if (isDeepStrictEqual(version.get(), before)) return snapshots
    for (const { db } of snapshots) db.exec('ROLLBACK')
  }
}

/** Writes the snapshot to a new file that has no write-ahead log. Throws StartFault if it is damaged. */
async function copySnapshot(snapshot: DatabaseSync, path: string): Promise<void> {
  await backup(snapshot, path, { rate: allPages })
  using copy = new DatabaseSync(path)
  copy.exec('PRAGMA journal_mode = DELETE')
  const [verdict] = copy.prepare('PRAGMA quick_check(1)').all() as { quick_check: string }[]
  if (verdict?.quick_check !== 'ok') throw failed(`${path} is damaged: ${verdict?.quick_check}`)
}

export const manifestName = 'backup.json'
const format = 2

/** The contents of a backup. Written last, so a folder without a manifest is not a backup. */
export interface Manifest {
  format: number
  gatehouse: string
  /** When the backup was created, as ISO 8601 in UTC. */
  madeAt: string
  files: readonly FileInBackup[]
}

export interface FileInBackup {
  name: string
  bytes: number
  sha256: string
}

/** Reads a backup's manifest and compares checksums. Throws StartFault if the folder is not a complete backup. */
export async function readVerifiedManifest(folder: string): Promise<Manifest> {
  const path = join(folder, manifestName)
  let manifest: Manifest
  try {
    manifest = JSON.parse(readFileSync(path, 'utf8')) as Manifest
  } catch (error) {
    if (error instanceof SyntaxError) throw failed(`${path} is not valid JSON`, error)
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    if (isMissing) throw failed(`${folder} is not a backup: it has no ${manifestName}`, error)
    throw failed(`${path} can't be read (${reasonOf(error)})`, error)
  }
  if (manifest.format > format) throw failed(`${path} was written by a newer release; restore with that release`)
  for (const file of manifest.files) {
    const found = await sha256Of(join(folder, file.name)).catch((error) => {
      throw failed(`${folder} is incomplete: ${file.name} can't be read`, error)
    })
    if (found !== file.sha256) throw failed(`${folder} is damaged: ${file.name} does not match its checksum`)
  }
  return manifest
}

export async function sha256Of(path: string): Promise<string> {
  const digest = createHash('sha256')
  await pipeline(createReadStream(path), digest)
  return digest.digest('hex')
}
