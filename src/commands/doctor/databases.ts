import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Config } from '../../config/config.ts'
import { readMigrations } from '../../storage/sql/migrations.ts'
import { identityFile, queueFile, schemaOf } from '../../storage/sqlite/database-files.ts'
import { lostDatabase } from '../data-directory.ts'
import { reasonOf } from '../start-fault.ts'
import { unusableDatabase } from '../unusable-file.ts'
import { type Finding, fault, ok } from './finding.ts'

/**
 * Checks that none of the databases is lost, and that they are readable and were not written by a newer release. Only
 * reads, so the service may be running.
 */
export function* examineDatabase({ dataDir }: Config): Iterable<Finding> {
  const lost = lostDatabase(dataDir)
  if (lost !== undefined) return yield fault(`${lost.summary}, so the next start will fail`, lost.remedy)
  for (const { name, migrations } of [identityFile, queueFile]) yield judgeFile(join(dataDir, name), migrations)
}

function judgeFile(path: string, migrations: URL): Finding {
  const unusable = unusableDatabase(path)
  if (unusable !== undefined) return fault(unusable.summary, unusable.remedy)
  if (!existsSync(path)) return ok(`${path} does not exist yet; the first start creates it`)
  try {
    return readDatabase(path, (db) => {
      const { version } = db.prepare('SELECT sqlite_version() AS version').get() as { version: string }
      const read = `${path} is readable by SQLite ${version},`
      return judgeSchema(schemaOf(db), migrations, read, `${path} was written by`)
    })
  } catch (error) {
    const remedy = 'run doctor as the user of the service; if the file is damaged, restore a backup (gatehouse restore)'
    return fault(`${path} can't be read (${reasonOf(error)})`, remedy)
  }
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
