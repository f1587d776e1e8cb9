import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { ended, startGatehouse, startInProcess } from '../support/gatehouse-process.ts'
import { provision } from '../support/people.ts'
import { emptyDatabase } from '../support/postgres/test-database.ts'
import { operatedEnvironment, surfaceUrls } from '../support/service-process-client.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { keys } from '../support/world.ts'
import { migrate } from './migration.ts'

describe('our choice: a migration that can’t be done is refused and changes nothing (0038)', () => {
  test('a migration is refused without a database or data', async (t) => {
    const dataDir = temporaryFolder(t)
    const nowhere = await ended(startGatehouse(t, ['migrate', '--from', dataDir], {}), 78)
    assert.match(nowhere.stderr, /^gatehouse: DATABASE_URL is missing; set it to the URL of the empty database to fill/)
    assert.deepEqual(await migrate(t, dataDir, 'postgres://127.0.0.1:1/none'), {
      exitCode: 1,
      stdout: '',
      stderr: `gatehouse: there is nothing to migrate: ${dataDir}/identity.sqlite does not exist\n`,
    })
  })

  test('a migration is refused if the service runs, the key or schema doesn’t match, or the database is unreachable or has data', async (t) => {
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

    const unreachable = await migrate(t, dataDir, 'postgres://somebody:hidden@127.0.0.1:1/none')
    assert.match(
      unreachable.stderr,
      /^gatehouse: no host of DATABASE_URL accepts writes \(127\.0\.0\.1:1: .*ECONNREFUSED/,
    )
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
