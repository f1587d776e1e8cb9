import assert from 'node:assert/strict'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import { ended, freshEnvironment, startGatehouse, startInProcess } from '../support/gatehouse-process.ts'
import { emptyDatabase } from '../support/postgres/test-database.ts'
import { emptyDirectory, migrate, secretKey } from './migration.ts'

describe('our choice: a migration that can’t be done is refused and changes nothing (0038)', () => {
  test('a migration is refused without a data directory, a database or data', async (t) => {
    const dataDir = emptyDirectory(t)
    const none = await ended(startGatehouse(t, ['migrate'], {}), 64)
    assert.match(none.stderr, /^migrate needs --from, the data directory to copy\.\n/)
    const nowhere = await ended(startGatehouse(t, ['migrate', '--from', dataDir], {}), 78)
    assert.match(nowhere.stderr, /^gatehouse: DATABASE_URL is missing; set it to the URL of the empty database to fill/)
    assert.deepEqual(await migrate(t, dataDir, 'postgres://127.0.0.1:1/none'), {
      exitCode: 1,
      stdout: '',
      stderr: `gatehouse: there is nothing to migrate: ${dataDir}/identity.sqlite does not exist\n`,
    })
  })

  test('a migration is refused if the service runs, the key or schema doesn’t match, or the database is unreachable or has data', async (t) => {
    const { dataDir, stop } = await usedDirectory(t)
    const url = await emptyDatabase()
    assert.match((await migrate(t, dataDir, url)).stderr, /is in use by another Gatehouse \(process \d+\)/)
    await stop()
    writeFileSync(join(dataDir, 'secret.key'), `${'k'.repeat(40)}\n`)
    const otherKey = await migrate(t, dataDir, url)
    assert.equal(otherKey.exitCode, 78)
    assert.match(otherKey.stderr, /secret\.key has a key that is neither SECRET_KEY nor in SECRET_KEY_PREVIOUS/)
    rmSync(join(dataDir, 'secret.key'))

    const unreachable = await migrate(t, dataDir, 'postgres://somebody:hidden@127.0.0.1:1/none')
    assert.match(unreachable.stderr, /^gatehouse: DATABASE_URL can't be used \(127\.0\.0\.1:1: .*ECONNREFUSED/)
    assert.ok(!unreachable.stderr.includes('hidden'))

    assert.equal((await migrate(t, dataDir, url)).exitCode, 0)
    assert.equal(
      (await migrate(t, dataDir, url)).stderr,
      'gatehouse: the database of DATABASE_URL already holds data (in users); use an empty one\n',
    )
    const source = new DatabaseSync(join(dataDir, 'identity.sqlite'))
    source.exec('PRAGMA user_version = 3')
    source.close()
    assert.match(
      (await migrate(t, dataDir, await emptyDatabase())).stderr,
      /was written by an earlier release \(schema 3, this one has \d+\)/,
    )
  })
})

/** Starts a service and returns its data directory. */
async function usedDirectory(t: TestContext): Promise<{ dataDir: string; stop: () => Promise<void> }> {
  const env = await freshEnvironment(t)
  const { stop } = await startInProcess(t, { ...env, SECRET_KEY: secretKey })
  const user = { name: 'Ada' }
  const key = readFileSync(join(env.DATA_DIR, 'operator.key'), 'utf8').trim()
  const put = await fetch(`${env.CONTROL_URL}/v1/users/ada`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(user),
  })
  assert.equal(put.status, 201)
  return { dataDir: env.DATA_DIR, stop }
}
