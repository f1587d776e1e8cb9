import {
  closeSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { identityFile, isDiskFull, queueFile, sqliteCodes } from '../storage/sqlite/database-files.ts'
import { type Fault, failed, misconfigured, reasonOf, refuse, type StartFault } from './start-fault.ts'
import { linkTarget, statsOf, sync, unusableDatabase, unusableFile } from './unusable-file.ts'

/** Remedy for files that contain nothing to keep. */
const recreated = 'remove it, and the service creates it again'
const pidFileName = 'gatehouse.pid'
const { name: identity } = identityFile
const { name: queue } = queueFile
export const dataFiles = [identity, queue] as const

/**
 * Creates the directory if it is missing (mode 0700).
 *
 * @throws StartFault if it can't be written or belongs to another user (78), or the disk is full (1).
 */
export function requireWritable(path: string): void {
  refuse(danglingLink(path))
  refuseOtherOwner(path)
  try {
    makeFolder(path)
    rmdirSync(mkdtempSync(join(path, '.probe-')))
  } catch (error) {
    if (isDiskFull(error)) throw fullDisk(path, error)
    throw misconfigured(
      `DATA_DIR ${JSON.stringify(path)} can't be written (${reasonOf(error)}); ` +
        'set it to a directory that this user can create and write',
      error,
    )
  }
}

/**
 * Locks the directory, once it is {@link requireWritable writable} (decision 0006), with SQLite's exclusive lock on the
 * file `lock`. The system releases it when the process ends. It works between containers that share a volume, where
 * process IDs mean nothing.
 *
 * @throws StartFault if the directory can't be written or belongs to another user (78), or another process holds it or
 * the disk is full (1).
 */
export function lockDataDirectory(path: string): { release(): void } {
  requireWritable(path)
  refuse(unusableLock(path))
  const pidFile = join(path, pidFileName)
  const lock = takeLock(path, pidFile)
  try {
    // The PID file is for administrators and service managers. It is never used as a lock, because `kill -9` leaves it
    // behind.
    writeFileSync(pidFile, `${process.pid}\n`)
  } catch (error) {
    lock.close()
    throw isDiskFull(error) ? fullDisk(path, error) : error
  }

  return {
    release() {
      rmSync(pidFile, { force: true })
      lock.close()
    },
  }
}

/** Returns whether a running Gatehouse holds the directory, as far as the user can tell. Changes nothing. */
export function isLocked(path: string): boolean {
  const file = join(path, 'lock')
  if (!existsSync(file)) return false
  try {
    using lock = new DatabaseSync(file, { timeout: 0, readOnly: true })
    lock.prepare('SELECT count(*) FROM sqlite_schema').get()
    return false
  } catch (error) {
    return (error as { errcode?: number }).errcode === sqliteCodes.busy
  }
}

/**
 * Returns what is wrong with a data directory that has only one of the two databases, and how to fix it. An empty
 * `queue.sqlite` counts as present: an interrupted first start leaves one, and operators create one to give up the lost
 * queue.
 */
export function lostDatabase(dataDir: string): Fault | undefined {
  const [hasIdentity, hasQueue] = dataFiles.map((name) => (statsOf(join(dataDir, name))?.size ?? 0) > 0)
  if (hasQueue && !hasIdentity) {
    return {
      summary: `${dataDir} has ${queue}, but ${identity} is lost`,
      remedy: `restore both from a backup, or move ${queue} away to start without any data`,
    }
  }
  if (hasIdentity && !existsSync(join(dataDir, queue))) {
    return {
      summary: `${dataDir} has ${identity}, but ${queue} is lost`,
      remedy: `restore both from a backup, or create an empty ${queue} to start without the webhooks in it`,
    }
  }
  return undefined
}

/**
 * Refuses to start with only one of the two databases, or with one that can't be used. On the first start, creates the
 * queue's file first, so that a later start can distinguish an interrupted first start from a lost database.
 *
 * @returns whether this is the first start.
 * @throws StartFault
 */
export function requireBothDatabases(dataDir: string): boolean {
  for (const name of dataFiles) refuse(unusableDatabase(join(dataDir, name)))
  refuse(lostDatabase(dataDir))
  const path = join(dataDir, queue)
  if (existsSync(path)) return false
  try {
    closeSync(openSync(path, 'a', 0o600))
    sync(dataDir)
    return true
  } catch (error) {
    throw failed(`${path} can't be created (${reasonOf(error)})`, error)
  }
}

/** Returns what keeps the service from using the directory, whatever its databases and keys are. */
export function unusableDirectory(path: string): Fault | undefined {
  if (statsOf(path)?.isDirectory() === false) {
    return { summary: `${path} is no directory`, remedy: 'set DATA_DIR to one that the service user can write' }
  }
  return danglingLink(path) ?? unusableLock(path) ?? halfRestored(path)
}

/** Returns a fault for a dangling symbolic link: the service would take a new, empty target for a first start. */
function danglingLink(path: string): Fault | undefined {
  const target = existsSync(path) ? undefined : linkTarget(path)
  if (target === undefined) return undefined
  return {
    summary: `DATA_DIR ${JSON.stringify(path)} is a link to ${JSON.stringify(target)}, which does not exist`,
    remedy: 'move the data back, or remove the link to start without data',
  }
}

function unusableLock(path: string): Fault | undefined {
  const [lock, pidFile] = ['lock', pidFileName].map((name) =>
    unusableFile(join(path, name), { write: true, otherwise: recreated }),
  )
  return lock ?? pidFile
}

/** Returns a fault for what an unfinished restore has left behind. It would otherwise look like a first start. */
export function halfRestored(path: string): Fault | undefined {
  const [left] = globSync('*.restoring', { cwd: path })
  if (left === undefined) return undefined
  const summary = `a restore into ${path} did not finish (it left ${left})`
  return { summary, remedy: 'empty the directory and run gatehouse restore again' }
}

/**
 * Creates the folder and its missing parents, mode 0700. Avoids mkdir's `recursive` option, which never returns if the
 * system reports an existing folder as missing, as in /proc.
 */
export function makeFolder(path: string): void {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  mkdirSync(path, { mode: 0o700 })
}

function takeLock(path: string, pidFile: string): DatabaseSync {
  const lock = new DatabaseSync(join(path, 'lock'), { timeout: 0, open: false })
  try {
    lock.open()
    // The file stays empty, so it doesn't need a journal.
    lock.exec('PRAGMA journal_mode = OFF; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
    return lock
  } catch (error) {
    if (lock.isOpen) lock.close()
    if (isDiskFull(error)) throw fullDisk(path, error)
    const { errcode } = error as { errcode?: number }
    if (errcode === sqliteCodes.busy) {
      const line = `DATA_DIR ${JSON.stringify(path)} is in use by another Gatehouse${holder(pidFile)}; stop that one, or set another DATA_DIR`
      throw failed(line, error)
    }
    const line =
      errcode === sqliteCodes.notADatabase
        ? `${join(path, 'lock')} is not empty; ${recreated}`
        : `DATA_DIR ${JSON.stringify(path)} has a file "lock" that can't be locked (${reasonOf(error)}); ` +
          'set it to a directory on a local disk whose files this user can write'
    throw misconfigured(line, error)
  }
}

/** The service manager restarts the service, because space can be freed while it is down. */
function fullDisk(path: string, error: unknown): StartFault {
  return failed(`DATA_DIR ${JSON.stringify(path)} can't be written (${reasonOf(error)}); free disk space`, error)
}

function holder(pidFile: string): string {
  try {
    return ` (process ${Number.parseInt(readFileSync(pidFile, 'utf8'), 10)})`
  } catch {
    return ''
  }
}

/** Rejects another user's data with a StartFault, even for root: the service couldn't read what root writes. */
export function refuseOtherOwner(dataDir: string): void {
  const line = otherOwner(dataDir)
  if (line !== undefined) throw misconfigured(line)
}

/** Returns an error message if the data belongs to another user. */
export function otherOwner(dataDir: string): string | undefined {
  // Windows has no user IDs.
  const user = process.getuid?.()
  if (user === undefined) return undefined
  const owner = ownerOfData(dataDir, user)
  if (owner === undefined || owner === user) return undefined
  return `the data in ${dataDir} belongs to user ${owner}, but this is user ${user}; run the command as user ${owner}`
}

function ownerOfData(dataDir: string, user: number): number | undefined {
  for (const name of [...dataFiles, 'secret.key', 'operator.key']) {
    const owner = statsOf(join(dataDir, name))?.uid
    if (owner !== undefined) return owner
  }
  // Without data, the directory's owner matters only if the current user is root, which can write to any directory.
  // Other users may have access through a group, as is common for volumes.
  return user === 0 ? statsOf(dataDir)?.uid : undefined
}
