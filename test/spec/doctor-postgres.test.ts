import assert from 'node:assert/strict'
import { chmodSync, mkdirSync } from 'node:fs'
import { describe, test } from 'node:test'
import { doctor } from '../support/doctor.ts'
import { freshEnvironment } from '../support/gatehouse-process.ts'
import { emptyDatabase } from '../support/postgres/test-database.ts'
import { freePorts } from '../support/world.ts'

describe('our choice: gatehouse doctor on PostgreSQL (0085)', () => {
  const onDatabase = (url: string) => ({ DATABASE_URL: url, SECRET_KEY: 'a key of the tests, long enough to be one' })

  test('doctor reports a writable server with its version', async (t) => {
    const url = await emptyDatabase()
    const env = { ...(await freshEnvironment(t)), ...onDatabase(url) }
    const { exitCode, text, of } = await doctor(t, env)
    assert.equal(exitCode, 0, text)
    assert.match(of('database').join(), /^ok: 127\.0\.0\.1:\d+ is PostgreSQL 1\d\.\d+, and accepts writes$/)
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
