import { existsSync, globSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { readMigrations } from '../../storage/sql/migrations.ts'
import { identityFile, schemaOf } from '../../storage/sqlite/database-files.ts'
import { lockDataDirectory } from '../data-directory.ts'
import { exitCodes, failed, reasonOf, StartFault } from '../start-fault.ts'
import { copyPrivately, sync } from '../unusable-file.ts'
import { configuredForFiles, databases, keyFiles, type Manifest, readVerifiedManifest, sha256Of } from './backup.ts'

/** Added to each table's highest row number: more than a backup can lack. Tokens' 48 bits allow 280,000 restores. */
const numberJump = 1_000_000_000

/**
 * `gatehouse restore <folder>`: restores a backup into an empty `DATA_DIR` while the service is stopped. First checks
 * the files against the manifest, then copies them and checks the copies before renaming them.
 *
 * Advances all row numbers: those of rows added after the backup (a token, an audit entry) must not be reused.
 *
 * @throws StartFault if the backup is incomplete or from a newer release, or the directory is in use or holds data.
 */
export async function restore(folder: string): Promise<number> {
  process.umask(0o077)
  const config = configuredForFiles()
  const source = resolve(folder)
  const manifest = await readVerifiedManifest(source)
  const wasThere = existsSync(config.dataDir)
  const held = lockDataDirectory(config.dataDir)
  let restored = false
  try {
    refuseData(config.dataDir, keyFiles(config))
    const written = manifest.files.map((file) => ({ ...file, path: join(config.dataDir, `${file.name}.restoring`) }))
    try {
      for (const { name, path, sha256 } of written) {
        copyPrivately(join(source, name), path)
        if ((await sha256Of(path)) !== sha256) throw failed(`${name} changed while it was copied; nothing was restored`)
      }
      prepare(config.dataDir, manifest)
      for (const { path } of written) sync(path)
      for (const { name, path } of written) renameSync(path, join(config.dataDir, name))
    } catch (error) {
      for (const { path } of written) rmSync(path, { force: true })
      if (error instanceof StartFault) throw error
      throw failed(`${config.dataDir} can't be written: ${reasonOf(error)}`, error)
    }
    sync(config.dataDir)
    restored = true
  } finally {
    held.release()
    // The service would mistake an empty directory for a first start.
    if (!restored && !wasThere) rmSync(config.dataDir, { recursive: true })
  }
  printSummary(config.dataDir, manifest)
  return exitCodes.ok
}

/** SQLite would apply a write-ahead log or journal that is left of other data. */
function refuseData(dataDir: string, keys: readonly string[]): void {
  const present = globSync(['*.sqlite', '*.sqlite-*', ...keys], { cwd: dataDir }).sort()
  if (present.length === 0) return
  throw failed(`DATA_DIR ${dataDir} already holds data (${present.join(', ')}); move it away, or set an empty DATA_DIR`)
}

function prepare(dataDir: string, manifest: Manifest): void {
  for (const { name, migrations } of databases) {
    const path = join(dataDir, `${name}.restoring`)
    if (!existsSync(path)) throw failed(`the backup has no ${name}`)
    using db = new DatabaseSync(path)
    const known = readMigrations(migrations).length
    if (schemaOf(db) > known) {
      const written = `${name} was written by a newer release (schema ${schemaOf(db)}, this one knows ${known})`
      throw failed(`${written}; restore with Gatehouse ${manifest.gatehouse}`)
    }
    if (name === identityFile.name) advanceNumbers(db)
  }
}

/** Advances the numbers of every AUTOINCREMENT table, including tables that were empty when the backup was taken. */
function advanceNumbers(db: DatabaseSync): void {
  db.exec(`
    INSERT INTO sqlite_sequence (name, seq)
      SELECT name, 0 FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%'
      AND name NOT IN (SELECT name FROM sqlite_sequence);
    UPDATE sqlite_sequence SET seq = seq + ${numberJump}`)
}

function printSummary(dataDir: string, { files, madeAt }: Manifest): void {
  process.stdout.write(`Restored ${dataDir} as of ${madeAt}. `)
  process.stdout.write(
    files.some(({ name }) => name === 'secret.key')
      ? 'Start the service.\n'
      : 'The backup has no secret key: start the service with the same SECRET_KEY.\n',
  )
}
