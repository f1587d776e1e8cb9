import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Config } from '../../config/config.ts'
import { Secrets } from '../../domain/ids-and-secrets.ts'
import { numberBlocks } from '../../storage/postgres/block-numbers.ts'
import { readMigrations } from '../../storage/sql/migrations.ts'
import { readKeyCheck, readSealedTexts, secretKeyFits } from '../../storage/sql/secret-key-check.ts'
import { identityFile, queueFile, schemaOf } from '../../storage/sqlite/database-files.ts'
import { lockDataDirectory } from '../data-directory.ts'
import { secretKeysOf } from '../keys.ts'
import { configured, exitCodes, failed, misconfigured, reasonOf, refuse, StartFault } from '../start-fault.ts'
import { unusableDatabase } from '../unusable-file.ts'
import {
  identityStreams,
  numbersByDay,
  queueCounts,
  queueStreams,
  type Row,
  type Stream,
  type Value,
} from './streams.ts'
import { openTarget, TableDigest, type Target } from './target.ts'

/**
 * `gatehouse migrate --from <data dir>`: copies a stopped service's data directory into the empty database at
 * `DATABASE_URL`, in batches. The service can't start on that database until row counts and digests of every table
 * match. Running the same command again resumes an interrupted migration. Never writes to the data directory.
 *
 * @throws StartFault if either side is unsuitable, or if the copy differs.
 */
export async function migrateFrom(folder: string): Promise<number> {
  process.umask(0o077)
  const config = configured()
  if (config.databaseUrls === undefined) {
    throw misconfigured(
      'DATABASE_URL is missing; set it to the URL of the empty database to fill, such as postgres://user:password@host:5432/gatehouse',
    )
  }
  const dataDir = resolve(folder)
  for (const { name } of [identityFile, queueFile]) {
    const path = join(dataDir, name)
    refuse(unusableDatabase(path))
    if (existsSync(path)) continue
    throw failed(`there is nothing to migrate: ${path} does not exist`)
  }
  judgeKeys(config, dataDir)
  const held = lockDataDirectory(dataDir)
  try {
    await fill(config, config.databaseUrls, dataDir)
  } catch (error) {
    if (error instanceof StartFault) throw error
    throw failed(`the migration was interrupted (${reasonOf(error)}); run the same command again to continue`, error)
  } finally {
    held.release()
  }
  return exitCodes.ok
}

/** Rejects a configuration without the data's keys: tokens, cookies and credentials would become invalid. */
function judgeKeys({ secretKey, previousSecretKeys }: Config, dataDir: string): void {
  const given = [secretKey, ...previousSecretKeys]
  if ((secretKeysOf(dataDir) ?? []).every((key) => given.includes(key))) return
  throw misconfigured(
    `${join(dataDir, 'secret.key')} has a key that is neither SECRET_KEY nor in SECRET_KEY_PREVIOUS; set ` +
      'SECRET_KEY to its first line and SECRET_KEY_PREVIOUS to the others, for this command and for every node',
  )
}

/** Rejects a configuration without the secret key that created the data, even one that is in no file. */
function judgeKeyCheck({ secretKey = '', previousSecretKeys }: Config, identity: DatabaseSync): void {
  const checks = identity.prepare(readKeyCheck).all()
  const sealed = identity.prepare(readSealedTexts).all()
  if (secretKeyFits(new Secrets(secretKey, previousSecretKeys), checks, sealed)) return
  throw misconfigured(
    'SECRET_KEY is not the secret key that the data to migrate was created with; set that key, for this command and for every node',
  )
}

async function fill(config: Config, urls: readonly string[], dataDir: string): Promise<void> {
  const identity = openSource(join(dataDir, identityFile.name), identityFile.migrations)
  judgeKeyCheck(config, identity)
  const queue = openSource(join(dataDir, queueFile.name), queueFile.migrations)
  const target = await openTarget(urls)
  try {
    const streams = [...identityStreams(identity), ...queueStreams(queue)]
    const begun = await target.begin(dataDir, streams)
    if (begun) process.stdout.write('Continuing the interrupted migration.\n')
    await target.makePartitions(numbersByDay(queue))
    await copy(streams, target)
    const rows = await verify(streams, target)
    await target.finish([...continueNumbers(identity), ...queueCounts])
    process.stdout.write(
      `All ${rows} rows are in the database of DATABASE_URL and match. Start the nodes with the same SECRET_KEY; ` +
        `keep ${dataDir} until you trust the new database.\n`,
    )
  } finally {
    await target.close()
    identity.close()
    queue.close()
  }
}

/** @throws StartFault if the file has another release's schema. */
function openSource(path: string, migrations: URL): DatabaseSync {
  const db = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
  const [schema, known] = [schemaOf(db), readMigrations(migrations).length]
  if (schema === known) return db
  db.close()
  throw failed(
    schema > known
      ? `${path} was written by a newer release (schema ${schema}, this one knows ${known}); migrate with that one`
      : `${path} was written by an earlier release (schema ${schema}, this one has ${known}); start and stop this release on it once, without DATABASE_URL`,
  )
}

const rowsPerBatch = 1_000
const bytesPerBatch = 4 * 1_048_576

/** Copies rows that the target doesn't have yet. Each batch is a transaction, so a second call can resume. */
async function copy(streams: readonly Stream[], target: Target): Promise<void> {
  for (const stream of streams) {
    process.stdout.write(`Copying ${stream.name}\n`)
    for (const batch of batches(stream.rows(await target.lastPosition(stream)))) await target.insert(batch)
  }
}

/** Compares and prints row counts and digests per table. Returns the total count. Throws StartFault if one differs. */
async function verify(streams: readonly Stream[], target: Target): Promise<number> {
  let rows = 0
  for (const stream of streams) {
    const digests = new Map(stream.tables.map((table) => [table, new TableDigest()]))
    for (const { table, values } of stream.rows(undefined)) digests.get(table)?.add(values)
    for (const [table, expected] of digests) {
      const found = await target.digest(table)
      if (found.rows !== expected.rows || found.text !== expected.text) {
        throw failed(
          `${table.name} differs: ${expected.rows} rows in the data directory, ${found.rows} in the database` +
            `${found.rows === expected.rows ? ', with different contents' : ''}. Was the service started in between? ` +
            'Start again with an empty database',
        )
      }
      process.stdout.write(`${table.name}: ${found.rows} rows, digest ${found.text}\n`)
      rows += found.rows
    }
  }
  return rows
}

function* batches(rows: Iterable<Row>): Iterable<Row[]> {
  let batch: Row[] = []
  let bytes = 0
  for (const row of rows) {
    batch.push(row)
    bytes += row.values.reduce<number>((sum, value) => sum + sizeOf(value), 0)
    if (batch.length < rowsPerBatch && bytes < bytesPerBatch) continue
    yield batch
    batch = []
    bytes = 0
  }
  if (batch.length > 0) yield batch
}

function sizeOf(value: Row['values'][number]): number {
  return typeof value === 'string' || value instanceof Uint8Array ? value.length : 8
}

/** Returns statements that continue SQLite's row numbering in PostgreSQL, without reusing deleted rows' numbers. */
function continueNumbers(db: DatabaseSync): { sql: string; values: readonly Value[] }[] {
  const blocks = Object.entries(numberBlocks).map(([sequence, { table, size }]) => ({
    sql: 'SELECT setval($1::regclass, $2::bigint, false)',
    values: [sequence, Math.floor(lastNumber(db, table) / size) + 1],
  }))
  const blockTables: string[] = Object.values(numberBlocks).map(({ table }) => table)
  const identities = numberedTables(db)
    .filter((table) => !blockTables.includes(table))
    .map((table) => ({
      sql: 'SELECT setval(pg_get_serial_sequence($1, $2)::regclass, $3::bigint, false)',
      values: [table, 'number', lastNumber(db, table) + 1],
    }))
  return [...blocks, ...identities]
}

function numberedTables(db: DatabaseSync): string[] {
  const found = db
    .prepare(
      `SELECT s.name FROM sqlite_schema s JOIN pragma_table_info(s.name) c ON c.name = 'number' AND c.type = 'INTEGER' AND c.pk = 1
         WHERE s.type = 'table' AND s.name NOT LIKE 'sqlite_%'
           AND (SELECT count(*) FROM pragma_table_info(s.name) WHERE pk > 0) = 1`,
    )
    .all()
  return (found as { name: string }[]).map(({ name }) => name)
}

function lastNumber(db: DatabaseSync, table: string): number {
  const row = db
    .prepare(
      `SELECT max(coalesce((SELECT max(number) FROM ${table}), 0),
         coalesce((SELECT seq FROM sqlite_sequence WHERE name = ?), 0)) AS last`,
    )
    .get(table)
  return Number(row?.last)
}
