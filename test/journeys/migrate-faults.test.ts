import assert from 'node:assert/strict'
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import { migratePrimary } from '../../src/storage/postgres/migrate.ts'
import { Primary } from '../../src/storage/postgres/primary.ts'
import { ended, startFailure, startGatehouse, startInProcess } from '../support/gatehouse-process.ts'
import { provision } from '../support/people.ts'
import { emptyDatabase } from '../support/postgres/test-database.ts'
import { withClient } from '../support/postgres/with-client.ts'
import { operatedEnvironment, surfaceUrls } from '../support/service-process-client.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { keys } from '../support/world.ts'
import { rowsIn } from '../upgrade/sqlite-contents.ts'
import { counted, filledDirectory, migrate, startMigration } from './migration.ts'

describe('our choice: a migration that was interrupted continues, and is verified (0038)', () => {
  test('a killed migration continues where it stopped when it is run again', async (t) => {
    const { dataDir } = await filledDirectory(t)
    manySessions(dataDir, 20_000)
    const url = await emptyDatabase()
    const count = async () => (await counted(url, ['sessions']).catch(() => ({ sessions: 0 }))).sessions ?? 0
    for (const least of [1_000, 9_000]) {
      const process = startMigration(t, dataDir, url)
      while ((await count()) < least) await new Promise((resolve) => setTimeout(resolve, 2))
      process.signal('SIGKILL')
      await process.exited
    }
    const before = await count()
    const { exitCode, stdout } = await migrate(t, dataDir, url)
    assert.equal(exitCode, 0)
    if (before < 20_000) assert.match(stdout, /^Continuing the interrupted migration\.\n/)
    assert.equal(await count(), rowsIn(dataDir).sessions)
  })

  test('an invalid row aborts the migration, which continues once the row is fixed, also by a later release, unless other rows have changed since; no node starts before the migration is complete', async (t) => {
    const { dataDir } = await filledDirectory(t)
    manySessions(dataDir, 2_500)
    const source = withStraySession(t, dataDir)
    const url = await emptyDatabase()
    const broken = await migrate(t, dataDir, url)
    assert.equal(broken.exitCode, 1)
    assert.match(
      broken.stderr,
      /^gatehouse: the migration was interrupted \(.*foreign key.*\); run the same command again to continue\n$/,
    )
    const start = () => migratePrimary(new Primary([url]))
    await assert.rejects(start(), /half filled: run the same gatehouse migrate again/)

    const elsewhere = temporaryFolder(t)
    cpSync(dataDir, elsewhere, { recursive: true })
    const halfFilled = `gatehouse: the database of DATABASE_URL is half filled from ${dataDir}; continue with --from ${dataDir}, or use an empty database\n`
    assert.equal((await migrate(t, elsewhere, url)).stderr, halfFilled)
    source.exec("DELETE FROM sessions WHERE number = 9000000; UPDATE users SET name = name || '!' WHERE id = 'ada'")
    // The earlier release, which was interrupted, had no such column.
    const tables = ['queue_events', 'queue_done', 'queue_dead']
    const older = tables.map((table) => `ALTER TABLE ${table} DROP COLUMN test`).join(';')
    await withClient(url, (client) =>
      client.query(`${older}; UPDATE schema_parts SET version = 2 WHERE part = 'dispatch'`),
    )
    const changed = await migrate(t, dataDir, url)
    assert.equal(changed.exitCode, 1)
    assert.match(
      changed.stderr,
      /^gatehouse: users differs: \d+ rows in the data directory, \d+ in the database, with different contents\. /,
    )
    await assert.rejects(start(), /half filled: run the same gatehouse migrate again/)
    source.exec("UPDATE users SET name = rtrim(name, '!') WHERE id = 'ada'")
    // The last step waits for this lock, and no earlier one does.
    await withClient(url, async (client) => {
      await client.query('BEGIN; LOCK TABLE users IN SHARE UPDATE EXCLUSIVE MODE')
      const { exited } = startMigration(t, dataDir, url)
      const end = "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE relation = 'users'::regclass AND NOT granted"
      while ((await client.query(end)).rowCount === 0) await new Promise((resolve) => setTimeout(resolve, 20))
      assert.equal(await exited, 1)
    })
    assert.equal((await migrate(t, dataDir, url)).exitCode, 0)
    await start()
  })
})

describe('our choice: a migration that can’t be done is refused and changes nothing (0038)', () => {
  test('a migration is refused without a database or data', async (t) => {
    const dataDir = temporaryFolder(t)
    const nowhere = await ended(startGatehouse(t, ['migrate', '--from', dataDir], {}), 78)
    assert.match(nowhere.stderr, /^gatehouse: DATABASE_URL is missing; set it to the URL of the empty database to fill/)
    const stderr = `gatehouse: there is nothing to migrate: ${dataDir}/identity.sqlite does not exist\n`
    assert.deepEqual(await migrate(t, dataDir, 'postgres://127.0.0.1:1/none'), { exitCode: 1, stdout: '', stderr })
  })

  test('a migration is refused if the service runs, the key (in secret.key or not) or schema doesn’t match, or the database is unreachable or has data', async (t) => {
    const env = { ...(await operatedEnvironment(t)), SECRET_KEY: keys.secretKey }
    const { stop } = await startInProcess(t, env)
    await provision(surfaceUrls(env), 'PUT', '/v1/users/ada', { name: 'Ada' })
    const dataDir = env.DATA_DIR
    const url = await emptyDatabase()
    assert.match((await migrate(t, dataDir, url)).stderr, /is in use by another Gatehouse \(process \d+\)/)
    await stop()
    writeFileSync(join(dataDir, 'secret.key'), `${'k'.repeat(40)}\n`)
    const otherKey = await migrate(t, dataDir, url)
    assert.equal(otherKey.exitCode, 78)
    assert.match(otherKey.stderr, /secret\.key has a key that is neither SECRET_KEY nor in SECRET_KEY_PREVIOUS/)
    rmSync(join(dataDir, 'secret.key'))
    const SECRET_KEY = 'other-secret-key-of-the-test-01234567'
    assert.deepEqual(await migrate(t, dataDir, url, { SECRET_KEY, DATA_DIR: `${dataDir}-other` }), {
      exitCode: 78,
      stdout: '',
      stderr:
        'gatehouse: SECRET_KEY is not the secret key that the data to migrate was created with; set that key, for this command and for every node\n',
    })

    const unreachable = await migrate(t, dataDir, 'postgres://somebody:hidden@127.0.0.1:1/none')
    const noHost = /^gatehouse: no host of DATABASE_URL accepts writes \(127\.0\.0\.1:1: .*ECONNREFUSED/
    assert.match(unreachable.stderr, noHost)
    assert.ok(!unreachable.stderr.includes('hidden'))

    assert.equal((await migrate(t, dataDir, url)).exitCode, 0)
    assert.equal((await startFailure(t, { ...env, DATABASE_URL: url, SECRET_KEY }))[0], 78, 'the key check is copied')
    const { stderr } = await migrate(t, dataDir, url)
    assert.equal(stderr, 'gatehouse: the database of DATABASE_URL already holds data (in users); use an empty one\n')
    const source = new DatabaseSync(join(dataDir, 'identity.sqlite'))
    source.exec('PRAGMA user_version = 3')
    source.close()
    const { stderr: earlier } = await migrate(t, dataDir, await emptyDatabase())
    assert.match(earlier, /was written by an earlier release \(schema 3, this one has \d+\)/)
  })
})

/** Adds a session of an unknown user. Returns the database that it is in. */
function withStraySession(t: TestContext, dataDir: string): DatabaseSync {
  const source = new DatabaseSync(join(dataDir, 'identity.sqlite'), { enableForeignKeyConstraints: false })
  t.after(() => source.close())
  source.exec(`INSERT INTO sessions (number, digest, surface, user_id, created_at_ms, expires_at_ms)
    SELECT 9000000, zeroblob(32), 'portal', 'nobody', 0, 0`)
  return source
}

function manySessions(dataDir: string, many: number): void {
  using db = new DatabaseSync(join(dataDir, 'identity.sqlite'))
  db.exec(`
    WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < ${many})
    INSERT INTO sessions (number, digest, surface, user_id, created_at_ms, expires_at_ms)
      SELECT 1000 + n, randomblob(32), 'portal', 'ada', 0, 1 FROM counted`)
}
