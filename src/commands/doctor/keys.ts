import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Config, keyMinCharacters } from '../../config/config.ts'
import { Secrets } from '../../domain/secret.ts'
import { readMigrations } from '../../storage/sql/migrations.ts'
import {
  type KeyCheckRow,
  readKeyCheck,
  readSealedTexts,
  type SealedTextRow,
  secretKeyFits,
} from '../../storage/sql/secret-key-check.ts'
import { identityFile, schemaOf } from '../../storage/sqlite/database-files.ts'
import { operatorKeyPath, secretKeyPath, secretKeysOf } from '../keys.ts'
import { unusableDatabase } from '../unusable-file.ts'
import { type Finding, fault, orOk, warning } from './finding.ts'

/** Minimum number of distinct characters. A key with fewer is certainly not random. */
const distinctCharactersMin = 12

/**
 * Checks that the keys and the data exist, are readable only by their owner, and belong together.
 *
 * @param keyOfData findings from `examineKeyOfFile` or from `examineKeyOfData`.
 */
export function examineKeys(config: Config, keyOfData: readonly Finding[]): readonly Finding[] {
  return orOk(
    [...examineModes(config), ...examineSecretKey(config), ...keyOfData, ...examineFile(operatorKeyPath(config))],
    'keys',
    existsSync(config.dataDir)
      ? 'keys and data are only accessible to their user'
      : 'none yet; the first start creates those that are not set',
  )
}

function examineModes({ dataDir, databaseUrls }: Config): Finding[] {
  // Windows has no file modes.
  if (process.platform === 'win32' || !existsSync(dataDir)) return []
  const files = readdirSync(dataDir).map((name) => join(dataDir, name))
  // With PostgreSQL, only the files are checked: the directory contains no data, and a platform such as Kubernetes may
  // set its mode.
  return (databaseUrls === undefined ? [dataDir, ...files] : files).flatMap((path) => {
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats === undefined || (stats.mode & 0o077) === 0) return []
    const mode = (stats.mode & 0o777).toString(8).padStart(4, '0')
    return fault(
      'keys',
      `${path} has mode ${mode}, so other users of this machine can access it`,
      `chmod ${stats.isDirectory() ? '700' : '600'} ${path}`,
    )
  })
}

function examineSecretKey(config: Config): Finding[] {
  const path = secretKeyPath(config)
  const findings = examineFile(path)
  const given = config.secretKey
  const kept = existsSync(path)
  if (given === undefined && !kept && existsSync(join(config.dataDir, 'identity.sqlite'))) {
    findings.push(
      fault(
        'keys',
        `${config.dataDir} holds data, but there is neither SECRET_KEY nor ${path}, so the next start will fail`,
        'restore the key from your backup before the next start',
      ),
    )
  }
  if (given !== undefined && new Set(given).size < distinctCharactersMin) {
    findings.push(
      warning(
        'keys',
        'SECRET_KEY has few different characters, so it can be guessed',
        'rotate to a random one, such as from openssl rand -base64 32; see docs/operations.md, "Keys"',
      ),
    )
  }
  return findings
}

function examineFile(path: string): Finding[] {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return []
  if (!stats.isFile()) return [fault('keys', `${path} is not a file`, 'restore the key from your backup')]
  try {
    const keys = readFileSync(path, 'utf8')
      .trim()
      .split(/\s*\n\s*/)
    const characters = Math.min(...keys.map((key) => key.length))
    if (characters >= keyMinCharacters) return []
    return [
      fault(
        'keys',
        `${path} has a key of ${characters} characters, which is too short`,
        'restore the key from your backup',
      ),
    ]
  } catch (error) {
    return [
      fault(
        'keys',
        `${path} can't be read (${(error as Error).message})`,
        'chown it to the owner of the data directory, and run doctor and the service as that user',
      ),
    ]
  }
}

type Ask = (sql: string) => Promise<readonly object[]>

/** Checks that the SQLite data in the data directory was created with the configured secret key. */
export async function examineKeyOfFile(config: Config): Promise<readonly Finding[]> {
  const path = join(config.dataDir, identityFile.name)
  if (!existsSync(path) || unusableDatabase(path) !== undefined) return []
  const db = new DatabaseSync(path, { readOnly: true, timeout: 5_000, open: false })
  try {
    db.open()
    // Data with an older schema gets its check value when the service next starts.
    if (schemaOf(db) !== readMigrations(identityFile.migrations).length) return []
    return await examineKeyOfData(config, async (sql) => db.prepare(sql).all())
  } catch {
    // `examineDatabase` reports unreadable files.
    return []
  } finally {
    if (db.isOpen) db.close()
  }
}

/** Performs the check from {@link examineKeyOfFile} on an open database whose tables exist. */
export async function examineKeyOfData(config: Config, ask: Ask): Promise<readonly Finding[]> {
  const [key, ...previous] = config.secretKey === undefined ? (secretKeysOf(config.dataDir) ?? []) : [config.secretKey]
  if (key === undefined) return []
  const [stored] = (await ask(readKeyCheck)) as readonly KeyCheckRow[]
  const sealed = (await ask(readSealedTexts)) as readonly SealedTextRow[]
  if (secretKeyFits(new Secrets(key, [...previous, ...config.previousSecretKeys]), stored, sealed)) return []
  const name = config.secretKey === undefined ? secretKeyPath(config) : 'SECRET_KEY'
  const data = config.databaseUrls === undefined ? `the data in ${config.dataDir}` : 'the database of DATABASE_URL'
  return [
    fault(
      'keys',
      `${name} is not the secret key that ${data} was created with, so the next start will fail`,
      'restore that key from your backup, or add it to SECRET_KEY_PREVIOUS if it was rotated',
    ),
  ]
}
