import assert from 'node:assert/strict'
import * as fs from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { outcomeOf, serve, startGatehouse, startInProcess, stopped } from '../support/gatehouse-process.ts'
import { adaWithClient, codeFor, redeem, refresh, signedIn, userinfo } from '../support/people.ts'
import {
  HandlingRuntime,
  operatedEnvironment,
  operatorKey,
  provision as provisionGreeter,
  surfaceUrls,
  WebhookLedger,
} from '../support/service-process-client.ts'
import { onDatabase } from '../support/world.ts'
import { rowsIn } from '../upgrade/sqlite-contents.ts'

type Environment = Awaited<ReturnType<typeof operatedEnvironment>>

describe('our choice: a running service is backed up, and the backup is restored (0038)', () => {
  test('a backup taken under load contains everything acknowledged before it began', async (t) => {
    const env = await operatedEnvironment(t)
    const service = await serve(t, env)
    const runtimeKey = await provisionGreeter(env)
    const client = await adaWithClient(surfaceUrls(env))
    const browser = await signedIn(surfaceUrls(env))
    const tokens = (await redeem(surfaceUrls(env), client, await codeFor(surfaceUrls(env), browser, client))).json

    const ledger = new WebhookLedger()
    const { accepted } = ledger
    let loaded = true
    const senders = [1, 2, 3].map(async () => {
      while (loaded) assert.equal((await ledger.send(env))?.status, 202)
    })
    while (accepted.size < 300) await new Promise((resolve) => setTimeout(resolve, 20))
    const before = new Set(accepted)
    const folder = join(dirname(env.DATA_DIR), 'backup')
    fs.chmodSync(join(env.DATA_DIR, 'secret.key'), 0o644)
    const said = await backup(t, env, folder)
    assert.equal(fs.statSync(join(folder, 'secret.key')).mode & 0o777, 0o600)
    assert.match(said, /^queue\.sqlite: \d+ bytes\nidentity\.sqlite: /)
    const complete = `The backup in ${folder} is complete. It contains the secret key, so keep it secret too.\n`
    assert.ok(said.endsWith(complete))
    const during = accepted.size
    assert.ok(during > before.size, 'the service took webhooks while it was backed up')
    loaded = false
    await Promise.all(senders)
    await stopped(service)

    // As on a medium that was mounted read-only, or copied without its modes.
    fs.chmodSync(join(folder, 'identity.sqlite'), 0o400)
    fs.chmodSync(join(folder, 'secret.key'), 0o644)
    const restored = await operatedEnvironment(t)
    const { exitCode, stdout } = await command(t, restored, 'restore', folder)
    assert.equal(exitCode, 0)
    assert.match(stdout, /^Restored .+\/data as of 20\d\d-.+Z\. Start the service\.\n$/)

    const { events = 0 } = rowsIn(restored.DATA_DIR)
    assert.ok(before.size <= events && events <= during, `${before.size} <= ${events} <= ${during}`)
    for (const name of fs.readdirSync(restored.DATA_DIR)) {
      assert.equal(fs.statSync(join(restored.DATA_DIR, name)).mode & 0o777, 0o600, name)
    }

    await startInProcess(t, restored)
    // The backup may include webhooks accepted while it was running.
    await ledger.assertReceived(t, restored, runtimeKey, before)
    const world = surfaceUrls(restored)
    assert.equal((await userinfo(world, tokens.access_token)).status, 200)
    assert.equal((await refresh(world, client, tokens.refresh_token)).status, 200)
    assert.equal((await browser.get(`${world.baseUrl}/account`)).status, 200, 'the session goes on')
    await signedIn(world)
  })

  test('a backup has both databases as of one instant', async (t) => {
    const env = await operatedEnvironment(t)
    fs.mkdirSync(env.DATA_DIR)
    // Reading this schema takes a while, and the databases are written to meanwhile.
    const tables = Array.from({ length: 3_000 }, (_, n) => `CREATE TABLE t${n} (a, b, c);`).join('')
    const written = 'CREATE TABLE written (times); INSERT INTO written VALUES (0)'
    for (const [name, schema] of Object.entries({ queue: written, identity: tables + written })) {
      using db = new DatabaseSync(join(env.DATA_DIR, `${name}.sqlite`))
      db.exec(`PRAGMA journal_mode = WAL; BEGIN; ${schema}; COMMIT`)
    }
    const writer = `const updates = ['queue', 'identity'].map((name) => {
        const db = new (require('node:sqlite').DatabaseSync)(${JSON.stringify(env.DATA_DIR)} + '/' + name + '.sqlite')
        db.exec('PRAGMA synchronous = OFF')
        return db.prepare('UPDATE written SET times = times + 1')
      })
      for (;;) for (const update of updates) update.run()`
    const worker = new Worker(writer, { eval: true })
    t.after(() => worker.terminate())
    const folder = join(dirname(env.DATA_DIR), 'backup')
    await backup(t, env, folder)
    using db = new DatabaseSync(join(folder, 'queue.sqlite'))
    db.exec(`ATTACH '${join(folder, 'identity.sqlite')}' AS identity`)
    const ahead = db.prepare('SELECT written.times - other.times AS by FROM written, identity.written AS other').get()
    assert.ok(ahead?.by === 0 || ahead?.by === 1, `the queue is ahead by ${ahead?.by} writes`)
  })

  test('IDs and tokens issued after the backup never match other records once the backup is restored', async (t) => {
    const env = await operatedEnvironment(t)
    const service = await startInProcess(t, env)
    const client = await adaWithClient(surfaceUrls(env))
    const browser = await signedIn(surfaceUrls(env))
    const folder = join(dirname(env.DATA_DIR), 'backup')
    await backup(t, env, folder)
    // This token family is created after the backup and refreshed once.
    const lost = (await redeem(surfaceUrls(env), client, await codeFor(surfaceUrls(env), browser, client))).json
    await refresh(surfaceUrls(env), client, lost.refresh_token)
    const lastNumber = await lastAuditNumber(env)
    await service.stop()

    const restored = await operatedEnvironment(t)
    assert.equal((await command(t, restored, 'restore', folder)).exitCode, 0)
    await startInProcess(t, restored)
    const world = surfaceUrls(restored)
    const kept = (await redeem(world, client, await codeFor(world, await signedIn(world), client))).json
    const next = (await refresh(world, client, kept.refresh_token)).json
    // If the restored service gave the new family the number of the lost family, the lost token would count as an older
    // token of the new family. Using it would then revoke the new family.
    const answer = await refresh(world, client, lost.refresh_token)
    assert.equal(answer.status, 400)
    assert.equal(answer.json.error, 'invalid_grant')
    assert.equal((await refresh(world, client, next.refresh_token)).status, 200)
    assert.ok((await lastAuditNumber(restored)) > lastNumber + 1_000, 'a collector of the audit reads no number twice')
  })

  test('keys from the environment are not in the backup, and the command says so', async (t) => {
    const env = { ...(await operatedEnvironment(t)), SECRET_KEY: 'a-secret-key-that-is-given-0000001' }
    await startInProcess(t, env)
    const folder = join(dirname(env.DATA_DIR), 'backup')
    assert.ok((await backup(t, env, folder)).endsWith(`has none: keep SECRET_KEY as well.\n`))
    assert.deepEqual(fs.readdirSync(folder).sort(), ['backup.json', 'identity.sqlite', 'queue.sqlite'])
    const target = await operatedEnvironment(t)
    for (const name of ['backup', 'restore'] as const) {
      assert.deepEqual(await command(t, { ...target, ...onDatabase('postgres://127.0.0.1:1/none') }, name, folder), {
        exitCode: 64,
        stdout: '',
        stderr:
          'gatehouse: with DATABASE_URL all data is in PostgreSQL; back it up and restore it with the tools of PostgreSQL (see docs/operations.md)\n',
      })
    }
    const restored = await command(t, target, 'restore', folder)
    assert.match(restored.stdout, /start the service with the same SECRET_KEY\.\n$/)
  })
})

describe('our choice: a backup or restore that can’t be done is refused and changes nothing (0038)', () => {
  test('a backup is refused if there is no data, or if the target folder exists or can’t be created', async (t) => {
    const env = await operatedEnvironment(t)
    const folder = join(dirname(env.DATA_DIR), 'backup')
    fs.mkdirSync(`${folder}.unfinished`)
    const error = `gatehouse: there is nothing to back up: ${env.DATA_DIR}/queue.sqlite does not exist; check DATA_DIR\n`
    assert.deepEqual(await command(t, env, 'backup', folder), { exitCode: 1, stdout: '', stderr: error })
    assert.deepEqual(fs.readdirSync(dirname(env.DATA_DIR)), [], 'what an interrupted backup left is removed, too')
    fs.mkdirSync(folder)
    const taken = await command(t, env, 'backup', folder)
    assert.equal(taken.stderr, `gatehouse: ${folder} already exists; name a new folder\n`)
    assert.deepEqual(fs.readdirSync(folder), [])
    const { stderr } = await command(t, env, 'backup', '/proc/gatehouse')
    assert.match(stderr, /^gatehouse: the backup can't be written to \/proc\/gatehouse: ENOENT[^\n]+\n$/)
  })

  test('a restore into a directory that is in use or has data is refused', async (t) => {
    const env = await operatedEnvironment(t)
    const service = await startInProcess(t, env)
    const folder = join(dirname(env.DATA_DIR), 'backup')
    await backup(t, env, folder)
    assert.match((await command(t, env, 'restore', folder)).stderr, /is in use by another Gatehouse \(process \d+\)/)
    await service.stop()
    const files = fs.readdirSync(env.DATA_DIR).sort()
    assert.equal(
      (await command(t, env, 'restore', folder)).stderr,
      `gatehouse: DATA_DIR ${env.DATA_DIR} already holds data (identity.sqlite, queue.sqlite, secret.key); ` +
        'move it away, or set an empty DATA_DIR\n',
    )
    assert.deepEqual(fs.readdirSync(env.DATA_DIR).sort(), files)
    for (const name of ['identity.sqlite', 'queue.sqlite', 'secret.key']) fs.rmSync(join(env.DATA_DIR, name))
    fs.writeFileSync(join(env.DATA_DIR, 'queue.sqlite-wal'), '')
    assert.match((await command(t, env, 'restore', folder)).stderr, /already holds data \(queue\.sqlite-wal\)/)
  })

  test('a restore from a folder that is not a backup, is incomplete, or is from a newer release is refused', async (t) => {
    const env = await operatedEnvironment(t)
    await startInProcess(t, env)
    const folder = join(dirname(env.DATA_DIR), 'backup')
    await backup(t, env, folder)

    const target = await operatedEnvironment(t)
    const refusal = async (from: string) => {
      const { exitCode, stderr } = await command(t, target, 'restore', from)
      assert.equal(exitCode, 1)
      assert.ok(!fs.existsSync(join(target.DATA_DIR, 'identity.sqlite')))
      return stderr
    }
    assert.equal(await refusal(env.DATA_DIR), `gatehouse: ${env.DATA_DIR} is not a backup: it has no backup.json\n`)
    const identity = join(folder, 'identity.sqlite')
    const whole = fs.readFileSync(identity)
    fs.appendFileSync(identity, 'x')
    const damaged = `gatehouse: ${folder} is damaged: identity.sqlite does not match its checksum\n`
    assert.equal(await refusal(folder), damaged)
    fs.writeFileSync(identity, whole)
    const manifest = join(folder, 'backup.json')
    fs.writeFileSync(manifest, fs.readFileSync(manifest, 'utf8').replace('"format": 2', '"format": 3'))
    const newer = `gatehouse: ${manifest} was written by a newer release; restore with that release\n`
    assert.equal(await refusal(folder), newer)
  })

  test('a backup of the data left by kill -9 is complete', async (t) => {
    const env = await operatedEnvironment(t)
    const service = await serve(t, env)
    const key = await provisionGreeter(env)
    const answer = await fetch(`${env.API_URL}/greeter/hooks`, { method: 'POST', body: 'still in the log' })
    assert.equal(answer.status, 202)
    service.signal('SIGKILL')
    await service.exited
    const folder = join(dirname(env.DATA_DIR), 'backup')
    await backup(t, env, folder)
    const restored = await operatedEnvironment(t)
    assert.equal((await command(t, restored, 'restore', folder)).exitCode, 0)
    await startInProcess(t, restored)
    await new HandlingRuntime(t, restored, key).has(['still in the log'])
  })
})

function command(t: TestContext, env: Environment, name: 'backup' | 'restore', folder: string) {
  return outcomeOf(startGatehouse(t, [name, folder], env))
}

async function backup(t: TestContext, env: Environment, folder: string): Promise<string> {
  const { stdout, ...outcome } = await command(t, env, 'backup', folder)
  assert.deepEqual(outcome, { exitCode: 0, stderr: '' })
  return stdout
}

async function lastAuditNumber(env: Environment): Promise<number> {
  const answer = await fetch(`${env.CONTROL_URL}/v1/audit?after=0&limit=10000`, {
    headers: { authorization: `Bearer ${operatorKey}` },
  })
  return JSON.parse((await answer.text()).trimEnd().split('\n').at(-1) as string).number
}
