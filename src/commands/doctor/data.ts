import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Client } from 'pg'
import type { Config } from '../../config/config.ts'
import { Secrets } from '../../domain/ids-and-secrets.ts'
import { areConnectionsExhausted } from '../../domain/readiness.ts'
import { schemaParts, unfinishedMigration } from '../../storage/postgres/migrate.ts'
import { Primary } from '../../storage/postgres/primary.ts'
import { readMigrations } from '../../storage/sql/migrations.ts'
import { readKeyCheck, readSealedTexts, secretKeyFits } from '../../storage/sql/secret-key-check.ts'
import { identityFile, queueFile, schemaOf } from '../../storage/sqlite/database-files.ts'
import { lostDatabase } from '../data-directory.ts'
import { lostSecretKey, operatorKeyPath, otherSecretKey, secretKeyPath, secretKeysOf, unusableKeys } from '../keys.ts'
import { reasonOf } from '../start-fault.ts'
import { unusableDatabase } from '../unusable-file.ts'
import { type Finding, fault, faults, ok, warning } from './finding.ts'

/** Only reads, so the service may be running. */
export function* examineDatabase(config: Config): Iterable<Finding> {
  const lost = lostDatabase(config.dataDir)
  if (lost !== undefined) return yield* faults(lost)
  for (const file of [identityFile, queueFile]) yield* examineFile(config, file)
}

function* examineFile(config: Config, { name, migrations }: typeof identityFile | typeof queueFile): Iterable<Finding> {
  const path = join(config.dataDir, name)
  const unusable = unusableDatabase(path)
  if (unusable !== undefined) return yield* faults(unusable)
  if (!existsSync(path)) return yield ok(`${path} does not exist yet; the first start creates it`)
  try {
    using db = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
    const schema = schemaOf(db)
    yield judgeSchema(schema, migrations, `${path} (SQLite ${process.versions.sqlite})`)
    // Data with an older schema gets its check value when the service next starts.
    if (name === identityFile.name && schema === readMigrations(migrations).length) {
      yield* judgeSecretKey(config, db.prepare(readKeyCheck).all(), db.prepare(readSealedTexts).all())
    }
  } catch (error) {
    const remedy = 'run doctor as the user of the service; if the file is damaged, restore a backup (gatehouse restore)'
    yield fault(`${path} can't be read (${reasonOf(error)})`, remedy)
  }
}

function judgeSchema(schema: number, migrations: URL, what: string): Finding {
  const known = readMigrations(migrations).length
  if (schema > known) {
    const summary = `${what} is from a newer release (schema ${schema}, this one knows ${known})`
    return fault(summary, 'run that release, or restore the backup from before the upgrade')
  }
  const upgrade = schema < known ? `, which the next start upgrades to ${known}; make a backup first` : ''
  return ok(`${what} has schema ${schema}${upgrade}`)
}

/** A key with fewer is certainly not random. */
const distinctCharactersMin = 12

export function* examineKeys(config: Config): Iterable<Finding> {
  const { secretKey, operatorKey } = config
  yield* examineModes(config)
  if (secretKey === undefined) yield* faults(unusableKeys(secretKeyPath(config)) ?? lostSecretKey(config))
  if (secretKey !== undefined && new Set(secretKey).size < distinctCharactersMin) {
    const remedy = 'rotate to a random one, such as from openssl rand -base64 32; see docs/operations.md, "Keys"'
    yield warning('SECRET_KEY has few different characters, so it can be guessed', remedy)
  }
  if (operatorKey === undefined) yield* faults(unusableKeys(operatorKeyPath(config)))
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

/** Judges whether data was created with the configured secret key, from the rows of its two statements. */
function judgeSecretKey(config: Config, checks: readonly object[], sealed: readonly object[]): Finding[] {
  const { secretKey, dataDir } = config
  if (secretKey === undefined && unusableKeys(secretKeyPath(config)) !== undefined) return []
  const [key, ...previous] = secretKey === undefined ? (secretKeysOf(dataDir) ?? []) : [secretKey]
  if (key === undefined) return []
  const secrets = new Secrets(key, [...previous, ...config.previousSecretKeys])
  if (secretKeyFits(secrets, checks, sealed)) return []
  return [{ level: 'fault', ...otherSecretKey(config), about: 'keys' }]
}

const databaseTimeoutMs = 5_000
/** PostgreSQL 15.0, as a number in the server's own format. */
const oldestVersion = 150_000

/** Checks the shared database. Only reads. */
export async function* examineDatabaseServer(config: Config, urls: readonly string[]): AsyncIterable<Finding> {
  let hasPrimary = false
  for (const url of urls) {
    try {
      hasPrimary = (yield* examineHost(config, url)) || hasPrimary
    } catch (error) {
      const summary = `${new URL(url).host} can't be queried (${reasonOf(error)})`
      const remedy = areConnectionsExhausted(error)
        ? "raise PostgreSQL's max_connections, or the limit of the role or database"
        : 'check DATABASE_URL, that PostgreSQL is running, and that pg_hba.conf allows this machine'
      if (urls.length === 1) return yield fault(summary, remedy)
      yield warning(summary, remedy)
    }
  }
  if (!hasPrimary) yield fault('no host of DATABASE_URL accepts writes', 'promote a standby, or start the primary')
}

/** Returns whether the host accepts writes. */
async function* examineHost(config: Config, url: string): AsyncGenerator<Finding, boolean> {
  const primary = new Primary([url])
  const client = await primary.open(url, {
    connectionTimeoutMillis: databaseTimeoutMs,
    query_timeout: databaseTimeoutMs,
    application_name: 'gatehouse doctor',
  })
  try {
    await primary.refuseTransactionPooler(url, client)
    const { rows } = await client.query(
      `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number,
         current_setting('transaction_read_only') = 'off' AS writable, current_setting('synchronous_commit') AS commit,
         has_schema_privilege(current_schema(), 'CREATE') AS "mayCreate",
         to_regclass('${unfinishedMigration}') IS NOT NULL AS "isHalfFilled",
         to_regclass('schema_parts') IS NOT NULL AS "hasTables", to_regclass('secret_key_check') IS NOT NULL AS "hasCheck"`,
    )
    const { version, number, writable, commit, hasCheck } = rows[0]
    const { host } = new URL(url)
    if (number < oldestVersion) yield fault(`${host} is PostgreSQL ${version}`, 'upgrade it to 15 or later')
    else if (commit === 'off') {
      const remedy = 'set synchronous_commit to on for this database, or to remote_apply with a synchronous standby'
      yield fault(`${host} confirms commits before they are on disk (synchronous_commit is off)`, remedy)
    } else yield ok(`${host} is PostgreSQL ${version}, and ${writable ? 'accepts writes' : 'read-only'}`)
    // A standby's tables are a copy of the primary's.
    if (writable) yield* examineSchema(client, rows[0])
    if (hasCheck) {
      const checks = await client.query(readKeyCheck)
      yield* judgeSecretKey(config, checks.rows, (await client.query(readSealedTexts)).rows)
    }
    return writable
  } finally {
    await client.end().catch(() => {})
  }
}

async function* examineSchema(client: Client, found: Record<string, boolean>): AsyncIterable<Finding> {
  if (!found.mayCreate) {
    const remedy = 'make it the owner of the database, or let it create tables in the first schema of its search_path'
    return yield fault('the user of DATABASE_URL may not create tables', remedy)
  }
  if (found.isHalfFilled) {
    return yield fault('the database is half filled', 'run the same gatehouse migrate again until it has finished')
  }
  if (!found.hasTables) return yield ok('the database has no tables yet; the first start creates them')
  const { rows } = await client.query('SELECT part, version FROM schema_parts')
  for (const { name, migrations } of schemaParts) {
    const schema = Number(rows.find(({ part }) => part === name)?.version ?? 0)
    yield judgeSchema(schema, migrations, `part "${name}"`)
  }
}
