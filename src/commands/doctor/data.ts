import { accessSync, constants, existsSync, statfsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Config } from '../../config/config.ts'
import { readMigrations } from '../../storage/sql/migrations.ts'
import { identityFile, queueFile, schemaOf } from '../../storage/sqlite/database-files.ts'
import { lostDatabase } from '../data-directory.ts'
import { reasonOf } from '../start-fault.ts'
import { unusableDatabase } from '../unusable-file.ts'
import { type Finding, fault, ok, warning } from './finding.ts'

const unsafe = [fault, 'its locks and syncs do not meet the requirements of SQLite'] as const

/** Unsuitable file systems, keyed by their Linux type number (statfs(2)). */
const fileSystems = new Map<number, readonly [name: string, judge: typeof fault, loses: string]>([
  [0x6969, ['NFS', ...unsafe]],
  [0xff534d42, ['CIFS', ...unsafe]],
  [0xfe534d42, ['SMB', ...unsafe]],
  [0x01021994, ['tmpfs', warning, 'it is in memory, and lost when the machine restarts']],
  [0x794c7630, ['overlay', warning, 'it is deleted with its container']],
])

/** Checks that the data directory is writable, on durable storage, and has enough free space. */
export function examineDirectory({ dataDir, queueMaxBytes }: Config): Finding[] {
  const place = nearestExisting(dataDir)
  try {
    accessSync(place, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const remedy = 'set it to a directory that this user can create and write, or run as a user that can'
    return [fault(`DATA_DIR ${dataDir} can't be written (${reasonOf(error)})`, remedy)]
  }
  const findings: Finding[] = []
  const { type, bavail, bsize } = statfsSync(place)
  // Only Linux identifies file systems by these numbers.
  const [name, judge, loses] = (process.platform === 'linux' && fileSystems.get(type >>> 0)) || []
  if (judge !== undefined) {
    const remedy = 'set DATA_DIR to a directory on a local disk, or a volume on one'
    findings.push(judge(`${dataDir} is on ${name}: ${loses}`, remedy))
  }
  const [freeBytes, neededBytes] = [bavail * bsize, 2 * queueMaxBytes]
  if (freeBytes < neededBytes) {
    const needed = `a full queue with its finished events may need ${gib(neededBytes)}`
    const remedy = 'free some space, or lower QUEUE_MAX_BYTES'
    findings.push(warning(`${dataDir} has ${gib(freeBytes)} free, but ${needed}`, remedy))
  }
  return findings.length > 0 ? findings : [ok(`${dataDir} is writable and has ${gib(freeBytes)} free`)]
}

/** Returns the path, or its nearest existing parent. */
export function nearestExisting(path: string): string {
  return existsSync(path) ? path : nearestExisting(dirname(path))
}

function gib(bytes: number): string {
  return `${(bytes / 1_073_741_824).toFixed(1)} GiB`
}

/**
 * Checks that none of the databases is lost, and that they are readable and were not written by a newer release. Only
 * reads, so the service may be running.
 */
export function examineDatabase({ dataDir }: Config): Finding[] {
  const lost = lostDatabase(dataDir)
  if (lost !== undefined) return [fault(`${lost.summary}, so the next start will fail`, lost.remedy)]
  return [identityFile, queueFile].map((file) => {
    const path = join(dataDir, file.name)
    const unusable = unusableDatabase(path)
    if (unusable !== undefined) return fault(unusable.summary, unusable.remedy)
    if (!existsSync(path)) return ok(`${path} does not exist yet; the first start creates it`)
    try {
      return readDatabase(path, (db) => {
        const { version } = db.prepare('SELECT sqlite_version() AS version').get() as { version: string }
        const read = `${path} is readable by SQLite ${version},`
        return judgeSchema(schemaOf(db), file.migrations, read, `${path} was written by`)
      })
    } catch (error) {
      const remedy =
        'run doctor as the user of the service; if the file is damaged, restore a backup (gatehouse restore)'
      return fault(`${path} can't be read (${reasonOf(error)})`, remedy)
    }
  })
}

export function readDatabase<Result>(path: string, read: (db: DatabaseSync) => Result): Result {
  const db = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
  try {
    return read(db)
  } finally {
    db.close()
  }
}

/**
 * Judges the schema of a database, or of a part of one.
 *
 * @param usable start of the sentence if this release can use the schema.
 * @param newer start of the sentence if it is from a newer release.
 */
export function judgeSchema(schema: number, migrations: URL, usable: string, newer: string): Finding {
  const known = readMigrations(migrations).length
  if (schema > known) {
    const summary = `${newer} a newer release (schema ${schema}, this one knows ${known})`
    return fault(summary, 'run that release, or restore the backup from before the upgrade')
  }
  const upgrade = schema < known ? `, which the next start upgrades to ${known}; make a backup first` : ''
  return ok(`${usable} schema ${schema}${upgrade}`)
}
