import assert from 'node:assert/strict'
import { chmodSync, chownSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, type TestContext, test } from 'node:test'
import { PostgresDatabase } from '../../src/storage/postgres/postgres-database.ts'
import { Primary } from '../../src/storage/postgres/primary.ts'
import { raw } from '../../src/storage/sql/sql.ts'
import { ended, freshEnvironment, serve, startFailure, startGatehouse, stopped } from '../support/gatehouse-process.ts'
import { unprivileged } from '../support/postgres/programs.ts'
import { PostgresServer } from '../support/postgres/server.ts'
import { onDatabase } from '../support/world.ts'

/** Certificates for 127.0.0.1, which are valid until 2126. */
const certificates = join(import.meta.dirname, '../support/postgres/tls')
const authority = join(certificates, 'authority.pem')
const otherAuthority = join(certificates, 'other.pem')

let folder: string
let withTls: PostgresServer
let withoutTls: PostgresServer

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-tls-'))
  chmodSync(folder, 0o755)
  for (const name of ['server.pem', 'server.key']) {
    const path = join(folder, name)
    copyFileSync(join(certificates, name), path)
    chmodSync(path, 0o600)
    if (unprivileged.uid !== undefined) chownSync(path, unprivileged.uid, unprivileged.gid)
  }
  const settings = [
    'ssl = on',
    `ssl_cert_file = '${join(folder, 'server.pem')}'`,
    `ssl_key_file = '${join(folder, 'server.key')}'`,
  ]
  const servers = [PostgresServer.fresh({ settings }), PostgresServer.fresh()]
  ;[withTls, withoutTls] = (await Promise.all(servers)) as [PostgresServer, PostgresServer]
})
after(async () => {
  await Promise.all([withTls.remove(), withoutTls.remove()])
  rmSync(folder, { recursive: true, force: true })
})

function urlOf(server: PostgresServer, parameters: string, host = '127.0.0.1'): string {
  return `${server.url().replace('127.0.0.1', host)}${parameters}`
}

const isEncrypted = 'SELECT ssl::int AS tls FROM pg_stat_ssl WHERE pid = pg_backend_pid()'

/** Returns whether the first connection, and one of the pool, use TLS. Both must agree. */
async function connectsEncrypted(t: TestContext, url: string): Promise<boolean> {
  const primary = new Primary([url])
  const client = await primary.connect('tls test')
  const { rows } = await client.query(isEncrypted).finally(() => client.end())
  const database = new PostgresDatabase({ primary, connections: 1 })
  t.after(() => database.close())
  assert.deepEqual(await database.queryOnce(raw(isEncrypted)), rows)
  return rows[0].tls === 1
}

function warningsDuring(t: TestContext): string[] {
  const warnings: string[] = []
  const note = (warning: Error) => warnings.push(warning.message)
  process.on('warning', note)
  t.after(() => process.off('warning', note))
  return warnings
}

describe('sslmode in DATABASE_URL means what it means to libpq, and prints nothing', () => {
  for (const { parameters, encrypted, host, plainServer } of [
    { parameters: '', encrypted: false },
    { parameters: '?sslmode=disable', encrypted: false },
    { parameters: '?sslmode=prefer', encrypted: true },
    { parameters: '?sslmode=prefer', encrypted: false, plainServer: true },
    { parameters: '?sslmode=allow', encrypted: false, plainServer: true },
    { parameters: '?sslmode=require', encrypted: true },
    { parameters: `?sslmode=require&sslrootcert=${authority}`, encrypted: true },
    { parameters: `?sslmode=verify-ca&sslrootcert=${authority}`, encrypted: true },
    { parameters: `?sslmode=verify-ca&sslrootcert=${authority}`, encrypted: true, host: 'localhost' },
    { parameters: `?sslmode=verify-full&sslrootcert=${authority}`, encrypted: true },
    { parameters: `?sslrootcert=${authority}`, encrypted: true },
  ]) {
    const shown = parameters.replace(authority, 'ca') || 'no parameter'
    const server = plainServer
      ? 'a server without TLS'
      : `a server with TLS at ${host ?? 'the address in its certificate'}`
    test(`${shown} connects to ${server}, ${encrypted ? 'encrypted' : 'in plain text'}`, async (t) => {
      const warnings = warningsDuring(t)
      const on = plainServer ? withoutTls : withTls
      assert.equal(await connectsEncrypted(t, urlOf(on, parameters, host)), encrypted)
      assert.deepEqual(warnings, [])
    })
  }

  test('the process writes nothing to standard error but its last line', async (t) => {
    const env = { ...(await freshEnvironment(t)), ...onDatabase(urlOf(withTls, '?sslmode=require')) }
    const started = await serve(t, { ...env, OPERATOR_KEY: 'o'.repeat(32) })
    await stopped(started)
    assert.match(started.stderr(), /^Gatehouse is ready: [^\n]+\n$/)
  })

  const otherHost = /Hostname\/IP does not match certificate's altnames/
  for (const [parameters, host, reason] of [
    [`?sslmode=require&sslrootcert=${otherAuthority}`, '127.0.0.1', /unable to verify the first certificate/],
    [`?sslmode=verify-ca&sslrootcert=${otherAuthority}`, '127.0.0.1', /unable to verify the first certificate/],
    ['?sslmode=verify-full', '127.0.0.1', /unable to verify the first certificate/],
    [`?sslmode=verify-full&sslrootcert=${authority}`, 'localhost', otherHost],
    [`?sslrootcert=${authority}`, 'localhost', otherHost],
  ] as const) {
    test(`${parameters.replace(/\/\S+\//, '')} does not connect to ${host}, and says why`, async () => {
      const failure = { name: 'DatabaseUnreachable', message: reason }
      await assert.rejects(new Primary([urlOf(withTls, parameters, host)]).connect('tls test'), failure)
    })
  }

  test('?sslmode=require does not connect to a server without TLS; serve and doctor say why', async (t) => {
    const env = { ...(await freshEnvironment(t)), ...onDatabase(urlOf(withoutTls, '?sslmode=require')) }
    const started = startGatehouse(t, ['serve'], env)
    await started.waitForOutput('gatehouse: waiting for the database')
    assert.match(started.stderr(), /The server does not support SSL connections/)
    const doctor = await ended(startGatehouse(t, ['doctor'], env), 1)
    assert.match(doctor.stdout, /The server does not support SSL connections/)
  })

  for (const [parameters, line] of Object.entries({
    '?sslmode=always':
      'sslmode in DATABASE_URL must be one of disable, allow, prefer, require, verify-ca, verify-full; got "always"',
    '?sslmode=verify-ca':
      'sslmode=verify-ca in DATABASE_URL needs sslrootcert, the file with the certificate of the authority',
    '?sslmode=require&sslrootcert=system':
      'sslrootcert=system in DATABASE_URL needs sslmode=verify-full; got "require"',
    '?sslmode=verify-full&sslrootcert=/nowhere/ca.pem':
      "sslrootcert in DATABASE_URL must be a file that this user can read (ENOENT: no such file or directory, access '/nowhere/ca.pem')",
  })) {
    test(`${parameters} stops the start with 78`, async (t) => {
      const env = { ...(await freshEnvironment(t)), ...onDatabase(`postgres://u@127.0.0.1:1/x${parameters}`) }
      assert.deepEqual(await startFailure(t, env), [78, `gatehouse: ${line}\n`])
    })
  }
})
