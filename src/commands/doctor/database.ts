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
export function examineDatabase(config: Config): readonly Finding[] {
  const lost = lostDatabase(config.dataDir)
  if (lost !== undefined) return [fault('database', `${lost.summary}, so the next start will fail`, lost.remedy)]
  return [identityFile, queueFile].map((file) => {
    const path = join(config.dataDir, file.name)
    const unusable = unusableDatabase(path)
    if (unusable !== undefined) return fault('database', unusable.summary, unusable.remedy)
    return examineFile(path, readMigrations(file.migrations).length)
  })
}

function examineFile(path: string, known: number): Finding {
  if (!existsSync(path)) return ok('database', `${path} does not exist yet; the first start creates it`)
  try {
    const db = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
    try {
      const { version } = db.prepare('SELECT sqlite_version() AS version').get() as { version: string }
      return judgeSchema(path, schemaOf(db), known, version)
    } finally {
      db.close()
    }
  } catch (error) {
    return fault(
      'database',
      `${path} can't be read (${reasonOf(error)})`,
      'run doctor as the user of the service; if the file is damaged, restore a backup (gatehouse restore)',
    )
  }
}

function judgeSchema(path: string, schema: number, known: number, sqlite: string): Finding {
  if (schema > known) {
    return fault(
      'database',
      `${path} was written by a newer release (schema ${schema}, this one knows ${known})`,
      'run that release, or restore the backup from before the upgrade',
    )
  }
  const state =
    schema === known
      ? `schema ${schema}`
      : `schema ${schema}, which the next start upgrades to ${known}; make a backup first`
  return ok('database', `${path} is readable by SQLite ${sqlite}, ${state}`)
}
