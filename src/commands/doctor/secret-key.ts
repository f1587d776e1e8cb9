import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Config } from '../../config/config.ts'
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
import { secretKeyPath, secretKeysOf } from '../keys.ts'
import { type Finding, fault } from './finding.ts'

type Ask = (sql: string) => Promise<readonly object[]>

/** Checks that the SQLite data in the data directory was created with the configured secret key. */
export async function examineKeyOfFile(config: Config): Promise<readonly Finding[]> {
  const path = join(config.dataDir, identityFile.name)
  if (!existsSync(path)) return []
  const db = new DatabaseSync(path, { readOnly: true, timeout: 5_000, open: false })
  try {
    db.open()
    // Data with an older schema gets its check value when the service next starts.
    if (schemaOf(db) !== readMigrations(identityFile.migrations).length) return []
    return await examineSecretKey(config, async (sql) => db.prepare(sql).all())
  } catch {
    // `examineDatabase` reports unreadable files.
    return []
  } finally {
    if (db.isOpen) db.close()
  }
}

/** Performs the check from {@link examineKeyOfFile} on an open database whose tables exist. */
export async function examineSecretKey(config: Config, ask: Ask): Promise<readonly Finding[]> {
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
