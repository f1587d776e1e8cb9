import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { doctor } from '../support/doctor.ts'
import { freePorts } from '../support/free-ports.ts'
import {
  ended,
  freshEnvironment,
  startAndStop,
  startFailure,
  startGatehouse,
  startInProcess,
} from '../support/gatehouse-process.ts'
import { serve } from '../support/local-server.ts'
import { emptyDatabase, migratedDatabase } from '../support/postgres/test-database.ts'
import { ask } from '../support/postgres/with-client.ts'

describe('our choice: gatehouse doctor checks what the service needs and gives a remedy for each finding (0085)', () => {
  test('without a data directory, doctor reports no fault and creates nothing', async (t) => {
    const env = await freshEnvironment(t)
    const examined = await doctor(t, env)
    assert.deepEqual(examined.of('settings'), ['ok: all settings are valid'])
    assert.deepEqual(examined.of('database'), [
      `ok: ${env.DATA_DIR}/identity.sqlite does not exist yet; the first start creates it`,
      `ok: ${env.DATA_DIR}/queue.sqlite does not exist yet; the first start creates it`,
    ])
    const ports = ['BASE_URL', 'API_URL', 'PORTAL_URL', 'CONTROL_URL'].map((name) => new URL(env[name] as string).port)
    assert.deepEqual(examined.of('ports'), [`ok: ${ports.join(', ')} are free`])
    assert.deepEqual(examined.of('proxy'), ['ok: requests to the public URLs arrive correctly'])
    assert.deepEqual(readdirSync(join(env.DATA_DIR, '..')), [])
  })

  test('doctor reports that the running service is ready, reaches it at its public URLs, and changes no files', async (t) => {
    const env = Object.assign(await freshEnvironment(t), { CONTROL_LISTEN_HOST: hostname() })
    await startInProcess(t, env)
    const healthcheck = [process.execPath, 'deploy/healthcheck.mjs'] as const
    await ended(startGatehouse(t, [], env, healthcheck), 0)
    const before = readdirSync(env.DATA_DIR).sort()
    const examined = await doctor(t, env)
    assert.deepEqual(examined.of('ports'), [`ok: the service is running and ready (${env.CONTROL_URL}/readyz)`])
    const reached = 'ok: the public URLs reach this service; X-Forwarded-For is only checked while it is stopped'
    assert.deepEqual(examined.of('proxy'), [reached])
    assert.deepEqual(examined.of('keys'), ['ok: keys and data are only accessible to their user'])
    assert.match(examined.of('database').join('\n'), /identity\.sqlite \(SQLite [0-9.]+\) has schema \d+\n/)
    assert.deepEqual(readdirSync(env.DATA_DIR).sort(), before)
  })

  test('doctor lists invalid settings one by one, hides secret values and exits with 78', async (t) => {
    const examined = await doctor(t, { ...(await freshEnvironment(t)), SECRET_KEY: 'short', SIGN_UP: 'perhaps' }, 78)
    assert.deepEqual(examined.of('settings'), [
      'fault: SECRET_KEY must be at least 32 characters, or unset to have one generated; got 5 characters',
      'fault: SIGN_UP must be one of open, closed; got "perhaps"',
    ])
    assert.ok(!examined.text.includes('short'))
  })

  const makeFolder = (path: string) => mkdirSync(path, { recursive: true })
  for (const [what, make, finding] of [
    ['is a file', (path) => writeFileSync(path, ''), 'is no directory'],
    ['is a dangling link', (path) => symlinkSync('/moved', path), 'is a link to "/moved", which does not exist'],
    ['has a lock that is a directory', (path) => makeFolder(join(path, 'lock')), 'is a directory'],
    ['is half restored', (path) => makeFolder(join(path, 'x.restoring')), 'did not finish (it left x.restoring)'],
  ] satisfies [string, (path: string) => unknown, string][]) {
    test(`a data directory that ${what} is the only finding, with exit code 78`, async (t) => {
      const env = await freshEnvironment(t)
      make(env.DATA_DIR)
      const { text } = await doctor(t, env, 78)
      const [line = '', remedy, ...more] = text.split(/\n\s*/)
      assert.ok(line.startsWith('fault    data      ') && line.includes(env.DATA_DIR) && line.endsWith(finding), line)
      assert.match(remedy ?? '', /^remedy: ./)
      assert.deepEqual(more, [''])
    })
  }

  test('a key file that is too short or accessible to other users is reported as a fault', async (t) => {
    const env = await freshEnvironment(t)
    await startAndStop(t, env)
    const secretKey = join(env.DATA_DIR, 'secret.key')

    chmodSync(secretKey, 0o640)
    const open = await doctor(t, env, 1)
    const [finding = ''] = open.of('keys')
    assert.equal(finding, `fault: ${secretKey} has mode 0640, so other users of this machine can access it`)
    assert.equal(open.remedy(finding), `remedy: chmod 600 ${secretKey}`)

    chmodSync(secretKey, 0o600)
    const kept = readFileSync(secretKey, 'utf8').trim()
    writeFileSync(secretKey, 'short\n')
    const tooShort = `fault: ${secretKey} has a key of 5 characters, but a key needs at least 32`
    assert.deepEqual((await doctor(t, env, 1)).of('keys'), [tooShort])
    // A file that is not used is no fault.
    const key = readFileSync(join(env.DATA_DIR, 'operator.key'), 'utf8').trim()
    writeFileSync(join(env.DATA_DIR, 'operator.key'), 'short\n')
    const given = await doctor(t, { ...env, SECRET_KEY: kept, OPERATOR_KEY: key })
    assert.deepEqual(given.of('keys'), ['ok: keys and data are only accessible to their user'])
  })

  test('data from a newer release, with which the service does not start, a damaged database and a clock set back are reported as faults', async (t) => {
    const env = await freshEnvironment(t)
    await startAndStop(t, env)
    const identity = join(env.DATA_DIR, 'identity.sqlite')
    const queue = join(env.DATA_DIR, 'queue.sqlite')
    const db = new DatabaseSync(identity)
    db.exec('PRAGMA user_version = 900')
    db.close()
    const refused = await startFailure(t, env)
    assert.match(refused.join(), /^1,gatehouse: .*written by a newer release \(schema 900, this one knows \d+\)/)
    writeFileSync(queue, 'this is no database, whatever its name says'.repeat(100))
    const later = new Date(Date.now() + 3_600_000)
    utimesSync(identity, later, later)

    const examined = await doctor(t, env, 1)
    const [newer = '', damaged = ''] = examined.of('database')
    const fault =
      /^fault: .+identity\.sqlite \(SQLite [0-9.]+\) is from a newer release \(schema 900, this one knows \d+\)$/
    assert.match(newer, fault)
    assert.equal(examined.remedy(newer), 'remedy: run that release, or restore the backup from before the upgrade')
    assert.match(damaged, /^fault: .+queue\.sqlite can't be read \(file is not a database\)$/)
    assert.match(String(examined.of('clock')), /^fault: is 3\d\d\d s behind the last write to /)
  })

  test('a port that another process uses is reported as a fault', async (t) => {
    const env = await freshEnvironment(t)
    const port = Number(new URL(env.API_URL as string).port)
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve))
    t.after(() => other.close())
    const examined = await doctor(t, env, 1)
    const [finding = ''] = examined.of('ports')
    assert.equal(finding, `fault: port ${port} of localhost is already in use`)
    assert.equal(examined.remedy(finding), 'remedy: stop the program that listens there, or set API_URL or API_PORT')
  })

  test('a clock that differs from the upstream provider’s is reported as a fault', async (t) => {
    const issuer = await serve(t, (_request, response) => {
      response.setHeader('date', new Date(Date.now() + 3_600_000).toUTCString())
      response.end()
    })
    const upstream = { UPSTREAM_CLIENT_ID: 'gate', UPSTREAM_CLIENT_SECRET: 'secret-of-the-gate' }
    const examined = await doctor(t, { ...(await freshEnvironment(t)), UPSTREAM_ISSUER: issuer, ...upstream }, 1)
    assert.match(String(examined.of('clock')), new RegExp(`^fault: is 3[56]\\d\\d s behind ${new URL(issuer).host}$`))
    assert.ok(!examined.text.includes('secret-of-the-gate'))
  })
})

describe('our choice: gatehouse doctor on PostgreSQL (0085)', () => {
  const onDatabase = (url: string) => ({ DATABASE_URL: url, SECRET_KEY: 'a key of the tests, long enough to be one' })

  test('doctor reports a writable server with its version, and checks neither the mode nor the disk space of DATA_DIR', async (t) => {
    const keys = { ...onDatabase(await emptyDatabase()), OPERATOR_KEY: 'a-key-of-operators-long-enough-to-be-one' }
    const env = { ...(await freshEnvironment(t)), ...keys }
    mkdirSync(env.DATA_DIR)
    chmodSync(env.DATA_DIR, 0o777)
    const { of } = await doctor(t, env)
    const [server = '', ...schema] = of('database')
    assert.match(server, /^ok: 127\.0\.0\.1:\d+ is PostgreSQL 1\d\.\d+, and accepts writes$/)
    assert.deepEqual(schema, ['ok: the database has no tables yet; the first start creates them'])
    assert.deepEqual([of('data'), of('disk')], [[], []])
  })

  test('doctor reports the schema versions of the tables, and reports tables from a newer release, with which the service does not start, as a fault', async (t) => {
    const url = await migratedDatabase()
    const env = { ...(await freshEnvironment(t)), ...onDatabase(url) }
    const rows = (await ask(url, 'SELECT version FROM schema_parts ORDER BY part DESC')) as { version: number }[]
    const [identity = 0, dispatch = 0] = rows.map(({ version }) => version)
    assert.deepEqual((await doctor(t, env)).of('database').slice(1), [
      `ok: part "identity" has schema ${identity}`,
      `ok: part "dispatch" has schema ${dispatch}`,
    ])
    await ask(url, "UPDATE schema_parts SET version = version + 1 WHERE part = 'identity'")
    const { of, remedy } = await doctor(t, env, 1)
    const [finding = ''] = of('database').slice(1)
    const versions = `schema ${identity + 1}, this one knows ${identity}`
    assert.equal(finding, `fault: part "identity" is from a newer release (${versions})`)
    const refused = await startFailure(t, env)
    assert.match(refused.join(), /^1,gatehouse: .*written by a newer release \(identity: schema/)
    assert.equal(remedy(finding), 'remedy: run that release, or restore the backup from before the upgrade')
  })

  test('a database that is read-only, half filled, takes no more connections, or in which the user can’t create tables, is reported as a fault', async (t) => {
    const env = async (url: string) => ({ ...(await freshEnvironment(t)), ...onDatabase(url) })
    const [readOnly, foreign] = [await emptyDatabase(), await emptyDatabase()]
    await ask(readOnly, `ALTER DATABASE ${new URL(readOnly).pathname.slice(1)} SET default_transaction_read_only = on`)
    const reader = await doctor(t, await env(readOnly), 1)
    const [server = '', ...rest] = reader.of('database')
    assert.match(server, /^ok: 127\.0\.0\.1:\d+ is PostgreSQL 1\d\.\d+, and read-only$/)
    assert.deepEqual(rest, ['fault: no host of DATABASE_URL accepts writes'])
    await ask(foreign, 'CREATE TABLE unfinished_migration (id integer)')
    const halfFilled = await doctor(t, await env(foreign), 1)
    assert.deepEqual(halfFilled.of('database').slice(1), ['fault: the database is half filled'])
    await ask(foreign, `ALTER DATABASE ${new URL(foreign).pathname.slice(1)} SET search_path = missing`)
    const stranger = await doctor(t, await env(foreign), 1)
    assert.deepEqual(stranger.of('database').slice(1), ['fault: the user of DATABASE_URL may not create tables'])
    await ask(foreign, 'DROP ROLE IF EXISTS crowded; CREATE ROLE crowded LOGIN CONNECTION LIMIT 0')
    const crowded = await doctor(t, await env(foreign.replace('postgres@', 'crowded@')), 1)
    const [full = ''] = crowded.of('database')
    assert.match(full, /too many connections for role "crowded"/)
    assert.match(crowded.remedy(full), /raise PostgreSQL's max_connections/)
  })

  test('an unreachable server is reported as a fault, and doctor does not print its password', async (t) => {
    const [port] = await freePorts(1)
    const env = { ...(await freshEnvironment(t)), ...onDatabase(`postgres://gate:hidden@127.0.0.1:${port}/gatehouse`) }
    const { text, of, remedy } = await doctor(t, env, 1)
    const [finding = ''] = of('database')
    assert.match(finding, /^fault: 127\.0\.0\.1:\d+ can't be queried \(/)
    assert.match(remedy(finding), /check DATABASE_URL/)
    assert.doesNotMatch(text, /hidden/)
  })
})
