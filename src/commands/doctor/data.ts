import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Config, keyMinCharacters } from '../../config/config.ts'
import { Secrets } from '../../domain/secret.ts'
import { readMigrations } from '../../storage/sql/migrations.ts'
import { readKeyCheck, readSealedTexts, secretKeyFits } from '../../storage/sql/secret-key-check.ts'
import { identityFile, queueFile, schemaOf } from '../../storage/sqlite/database-files.ts'
import { lostDatabase } from '../data-directory.ts'
import { keysIn, operatorKeyPath, otherSecretKey, secretKeyPath, secretKeysOf } from '../keys.ts'
import { reasonOf } from '../start-fault.ts'
import { unusableDatabase } from '../unusable-file.ts'
import { type Finding, fault, ok, warning } from './finding.ts'

/** Only reads, so the service may be running. */
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
    const read = `${path} is readable by SQLite ${process.versions.sqlite},`
    return judgeSchema(readDatabase(path, schemaOf), migrations, read, `${path} was written by`)
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

/** A key with fewer is certainly not random. */
const distinctCharactersMin = 12

export function* examineKeys(config: Config): Iterable<Finding> {
  const { dataDir, databaseUrls, secretKey } = config
  const path = secretKeyPath(config)
  const identity = join(dataDir, identityFile.name)
  yield* examineModes(config)
  yield* examineKeyFile(path)
  if (secretKey === undefined && !existsSync(path) && existsSync(identity)) {
    const summary = `${dataDir} holds data, but there is neither SECRET_KEY nor ${path}, so the next start will fail`
    yield fault(summary, 'restore the key from your backup; without one, see docs/operations.md, "Lost secret key"')
  }
  if (secretKey !== undefined && new Set(secretKey).size < distinctCharactersMin) {
    const remedy = 'rotate to a random one, such as from openssl rand -base64 32; see docs/operations.md, "Keys"'
    yield warning('SECRET_KEY has few different characters, so it can be guessed', remedy)
  }
  if (databaseUrls === undefined && existsSync(identity) && unusableDatabase(identity) === undefined) {
    yield* examineKeyOfFile(config, identity)
  }
  yield* examineKeyFile(operatorKeyPath(config))
}

function* examineModes({ dataDir, databaseUrls }: Config): Iterable<Finding> {
  // Windows has no file modes.
  if (process.platform === 'win32' || !existsSync(dataDir)) return
  const files = readdirSync(dataDir).map((name) => join(dataDir, name))
  // With PostgreSQL, only the files are checked: the directory contains no data, and a platform such as Kubernetes may
  // set its mode.
  for (const path of databaseUrls === undefined ? [dataDir, ...files] : files) {
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats === undefined || (stats.mode & 0o077) === 0) continue
    const mode = (stats.mode & 0o777).toString(8).padStart(4, '0')
    const summary = `${path} has mode ${mode}, so other users of this machine can access it`
    yield fault(summary, `chmod ${stats.isDirectory() ? '700' : '600'} ${path}`)
  }
}

function* examineKeyFile(path: string): Iterable<Finding> {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return
  const remedy = 'restore the key from your backup'
  if (!stats.isFile()) return yield fault(`${path} is not a file`, remedy)
  try {
    const characters = Math.min(...keysIn(path).map((key) => key.length))
    if (characters >= keyMinCharacters) return
    yield fault(`${path} has a key of ${characters} characters, which is too short`, remedy)
  } catch (error) {
    const chown = 'chown it to the owner of the data directory, and run doctor and the service as that user'
    yield fault(`${path} can't be read (${reasonOf(error)})`, chown)
  }
}

function examineKeyOfFile(config: Config, identity: string): Finding[] {
  try {
    return readDatabase(identity, (db) => {
      // Data with an older schema gets its check value when the service next starts.
      if (schemaOf(db) !== readMigrations(identityFile.migrations).length) return []
      return judgeSecretKey(config, db.prepare(readKeyCheck).all(), db.prepare(readSealedTexts).all())
    })
  } catch {
    // `examineDatabase` reports unreadable files.
    return []
  }
}

/** Judges whether data was created with the configured secret key, from the rows of its two statements. */
export function judgeSecretKey(config: Config, checks: readonly object[], sealed: readonly object[]): Finding[] {
  const [key, ...previous] = config.secretKey === undefined ? (secretKeysOf(config.dataDir) ?? []) : [config.secretKey]
  if (key === undefined) return []
  const secrets = new Secrets(key, [...previous, ...config.previousSecretKeys])
  if (secretKeyFits(secrets, checks, sealed)) return []
  const summary = `${otherSecretKey(config)}, so the next start will fail`
  const remedy = 'restore that key from your backup, or add it to SECRET_KEY_PREVIOUS if it was rotated'
  return [{ ...fault(summary, remedy), about: 'keys' }]
}
