import assert from 'node:assert/strict'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Client } from 'pg'
import { migrate, schemaParts } from '../../src/storage/postgres/migrate.ts'
import { readMigrations } from '../../src/storage/sql/migrations.ts'
import { Checkpointer, identityFile, queueFile } from '../../src/storage/sqlite/database-files.ts'
import { SqliteFile } from '../../src/storage/sqlite/sqlite-file.ts'
import { dropDatabase, emptyDatabase } from '../support/postgres/test-database.ts'
import { openClient } from '../support/postgres/with-client.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { rowsOf, schemaOf } from './sqlite-contents.ts'

for (const file of [identityFile, queueFile]) {
  const migrations = readMigrations(file.migrations)
  // Data written by the oldest release that can still be upgraded, and by a later one. See README.md in this folder.
  const dumps = ['first-data', 'later-data'].map((name) =>
    readFileSync(join(import.meta.dirname, name, file.name.replace('.sqlite', '.sql')), 'utf8'),
  )

  describe(`${file.name}: data at any earlier schema is migrated to this release`, () => {
    for (const dump of ['PRAGMA user_version = 0;', ...dumps]) {
      const filledAt = Number(/^PRAGMA user_version = (\d+);/.exec(dump)?.[1])
      for (let schema = filledAt; schema < migrations.length; schema += 1) {
        test(`a file filled at schema ${filledAt} keeps every row at schema ${schema}, and gets the same tables as a new installation`, async (t) => {
          const path = join(temporaryFolder(t), file.name)
          const db = new DatabaseSync(path, { enableForeignKeyConstraints: false })
          db.exec(dump)
          // As an earlier release would have.
          for (const sql of migrations.slice(filledAt, schema)) db.exec(sql)
          db.exec(`PRAGMA user_version = ${schema}`)
          db.close()
          const before = rowsOf(path)
          await open(file, path)
          const after = rowsOf(path)
          for (const [table, rows] of Object.entries(before)) assert.equal(after[table] ?? 0, rows, table)
          const fresh = join(temporaryFolder(t), file.name)
          await open(file, fresh)
          assert.deepEqual(schemaOf(path), schemaOf(fresh))
        })
      }
    }
  })
}

for (const { name, migrations: folder } of schemaParts) {
  describe(`PostgreSQL, ${name}: a database at any earlier schema is migrated to this release`, () => {
    const migrations = readMigrations(folder)
    for (let schema = 0; schema < migrations.length; schema += 1) {
      test(`a database at schema ${schema} gets the same tables as a new installation`, async (t) => {
        const fresh = await connect(t)
        await migrate(fresh, [{ name, migrations: folder }])
        const earlier = await connect(t)
        await migrate(earlier, [{ name, migrations: firstMigrations(t, folder, schema) }])
        await migrate(earlier, [{ name, migrations: folder }])
        assert.deepEqual(await tablesOf(earlier), await tablesOf(fresh))
      })
    }
  })
}

test('a gap in the numbers of migration files, or a duplicate number, is an error that names the file', (t) => {
  for (const second of ['0003-third.sql', '0001-other.sql']) {
    const folder = temporaryFolder(t)
    for (const name of ['0001-first.sql', second]) writeFileSync(join(folder, name), '')
    const said = new RegExp(`migration ${second} in .* should be number 0002`)
    assert.throws(() => readMigrations(pathToFileURL(`${folder}/`)), said)
  }
})

/** Opens the file with this release, which migrates it, then closes it. */
async function open(file: typeof identityFile | typeof queueFile, path: string): Promise<void> {
  await new SqliteFile({ ...file, path, checkpointer: new Checkpointer() }).close()
}

async function connect(t: TestContext): Promise<Client> {
  const url = await emptyDatabase()
  const client = await openClient(t, url)
  t.after(() => dropDatabase(url))
  return client
}

function firstMigrations(t: TestContext, migrations: URL, count: number): URL {
  const folder = temporaryFolder(t)
  cpSync(fileURLToPath(migrations), folder, {
    recursive: true,
    filter: (path) => !/\/\d{4}-[^/]*$/.test(path) || Number(path.replace(/.*\/(\d{4})-[^/]*$/, '$1')) <= count,
  })
  return pathToFileURL(`${folder}/`)
}

/** Returns columns and indexes. There are no daily partitions, since only a running service creates them. */
async function tablesOf(client: Client): Promise<unknown> {
  const columns = await client.query(
    `SELECT table_name, column_name, data_type, column_default, is_nullable FROM information_schema.columns
     WHERE table_schema = 'public' ORDER BY table_name, column_name`,
  )
  const indexes = await client.query(
    "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY indexname",
  )
  return { columns: columns.rows, indexes: indexes.rows }
}
