import assert from 'node:assert/strict'
import { chmodSync, mkdirSync } from 'node:fs'
import { describe, test } from 'node:test'
import { Client } from 'pg'
import { doctor } from '../support/doctor.ts'
import { freshEnvironment } from '../support/gatehouse-process.ts'
import { emptyDatabase, migratedDatabase } from '../support/postgres/test-database.ts'
import { freePorts } from '../support/world.ts'

describe('our choice: gatehouse doctor on PostgreSQL (0085)', () => {
  const onDatabase = (url: string) => ({ DATABASE_URL: url, SECRET_KEY: 'a key of the tests, long enough to be one' })

  test('doctor reports a writable server with its version', async (t) => {
    const url = await emptyDatabase()
    const env = { ...(await freshEnvironment(t)), ...onDatabase(url) }
    const { exitCode, text, of } = await doctor(t, env)
    assert.equal(exitCode, 0, text)
    const [server = '', ...schema] = of('database')
    assert.match(server, /^ok: 127\.0\.0\.1:\d+ is PostgreSQL 1\d\.\d+, and accepts writes$/)
    assert.deepEqual(schema, ['ok: the database has no tables yet; the first start creates them'])
  })

  test('doctor reports the schema versions of the tables, and reports tables from a newer release as a fault', async (t) => {
    const url = await migratedDatabase()
    const env = { ...(await freshEnvironment(t)), ...onDatabase(url) }
    const client = new Client({ connectionString: url })
    await client.connect()
    const { rows } = await client.query<{ version: number }>('SELECT version FROM schema_parts ORDER BY part DESC')
    const [identity = 0, dispatch = 0] = rows.map(({ version }) => version)
    assert.deepEqual((await doctor(t, env)).of('database').slice(1), [
      `ok: the tables of identity have schema ${identity}`,
      `ok: the tables of dispatch have schema ${dispatch}`,
    ])
    await client.query("UPDATE schema_parts SET version = version + 1 WHERE part = 'identity'")
    await client.end()
    const { exitCode, of, remedy } = await doctor(t, env)
    assert.equal(exitCode, 1)
    const [finding = ''] = of('database').slice(1)
    const versions = `schema ${identity + 1}, this one knows ${identity}`
    assert.equal(finding, `fault: the tables of identity are from a newer release (${versions})`)
    assert.equal(remedy(finding), 'remedy: run that release, or restore the backup from before the upgrade')
  })

  test('doctor reports a half-completed migration as a fault', async (t) => {
    const url = await emptyDatabase()
    const env = { ...(await freshEnvironment(t)), ...onDatabase(url) }
    const client = new Client({ connectionString: url })
    await client.connect()
    await client.query('CREATE TABLE unfinished_migration (id integer)')
    await client.end()
    const { exitCode, of } = await doctor(t, env)
    assert.equal(exitCode, 1)
    assert.deepEqual(of('database').slice(1), ['fault: the database is half filled'])
  })

  test('with DATABASE_URL doctor checks neither the mode nor the disk space of DATA_DIR', async (t) => {
    const url = await emptyDatabase()
    const env = {
      ...(await freshEnvironment(t)),
      ...onDatabase(url),
      OPERATOR_KEY: 'a key of operators, long enough to be one',
    }
    mkdirSync(env.DATA_DIR)
    chmodSync(env.DATA_DIR, 0o777)
    const { exitCode, text, of } = await doctor(t, env)
    assert.equal(exitCode, 0, text)
    assert.deepEqual([of('data'), of('disk')], [[], []])
  })

  test('an unreachable server is reported as a fault, and doctor does not print its password', async (t) => {
    const [port] = await freePorts(1)
    const env = { ...(await freshEnvironment(t)), ...onDatabase(`postgres://gate:hidden@127.0.0.1:${port}/gatehouse`) }
    const { exitCode, text, of, remedy } = await doctor(t, env)
    assert.equal(exitCode, 1, text)
    const [finding = ''] = of('database')
    assert.match(finding, /^fault: 127\.0\.0\.1:\d+ can't be queried \(/)
    assert.match(remedy(finding), /check DATABASE_URL/)
    assert.doesNotMatch(text, /hidden/)
  })
})
