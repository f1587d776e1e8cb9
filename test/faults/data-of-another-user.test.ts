import assert from 'node:assert/strict'
import * as fs from 'node:fs'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import {
  ended,
  freshEnvironment,
  startAndStop,
  startFailure,
  startGatehouse,
  stopped,
} from '../support/gatehouse-process.ts'
import { isRoot, needsRoot, openServiceData, serviceUser, startAsService } from '../support/service-user.ts'

function stateOf(folder: string): string[] {
  return fs
    .readdirSync(folder)
    .sort()
    .map((name) => {
      const { uid, mode, size } = fs.statSync(join(folder, name))
      return `${name} ${uid} ${(mode & 0o777).toString(8)} ${size}`
    })
}

test('our choice: each command that writes rejects root and every user except the owner, and changes nothing', async (t) => {
  const env = await openServiceData(t)
  if (env === undefined) return t.skip(needsRoot)
  const backup = join(dirname(env.DATA_DIR), 'backup')
  const before = stateOf(env.DATA_DIR)
  const line = `the data in ${env.DATA_DIR} belongs to user ${serviceUser}, but this is user 0; run the command as user ${serviceUser}`
  assert.deepEqual(await startFailure(t, env), [78, `gatehouse: ${line}\n`])
  for (const words of [['rotate-secret-key'], ['backup', backup]]) {
    assert.equal((await ended(startGatehouse(t, words, env), 78)).stderr, `gatehouse: ${line}\n`, words.join(' '))
  }
  const doctor = await ended(startGatehouse(t, ['doctor'], env), 1)
  assert.ok(doctor.stdout.startsWith(`fault    data      ${line}\n`), doctor.stdout)
  assert.deepEqual(stateOf(env.DATA_DIR), before)
  assert.ok(!fs.existsSync(backup))
})

test('our choice: the owner can rotate the key, back up and restore, and the service starts afterwards', async (t) => {
  const env = await openServiceData(t)
  if (env === undefined) return t.skip(needsRoot)
  const backup = join(dirname(env.DATA_DIR), 'backup')
  const keyFile = join(env.DATA_DIR, 'secret.key')
  fs.chmodSync(keyFile, 0o400)
  for (const words of [['rotate-secret-key'], ['backup', backup]]) {
    await ended(startAsService(t, words, env), 0)
  }
  assert.equal(fs.statSync(keyFile).mode & 0o777, 0o400)
  fs.renameSync(env.DATA_DIR, `${env.DATA_DIR}.before`)
  fs.mkdirSync(env.DATA_DIR, { mode: 0o700 })
  fs.chownSync(env.DATA_DIR, serviceUser, serviceUser)
  await ended(startGatehouse(t, ['restore', backup], env), 78)
  assert.deepEqual(fs.readdirSync(env.DATA_DIR), [])
  await ended(startAsService(t, ['restore', backup], env), 0)
  const service = startAsService(t, ['serve'], env)
  await service.ready()
  await stopped(service)
  const key = (folder: string) => fs.readFileSync(join(folder, 'secret.key'), 'utf8')
  assert.equal(key(env.DATA_DIR), key(`${env.DATA_DIR}.before`))
})

test('our choice: a backup into a folder that the owner can’t write to fails with the reason, and without a stack trace', async (t) => {
  if (!isRoot) return t.skip(needsRoot)
  const env = await freshEnvironment(t)
  const target = join(dirname(env.DATA_DIR), 'backup')
  const started = await ended(startAsService(t, ['backup', target], env), 1)
  assert.match(started.stderr, /^gatehouse: the backup can't be written to [^\n]+backup: EACCES[^\n]+\n$/)
})

test('our choice: a restore from a folder that the user can’t read reports that, instead of a missing backup', async (t) => {
  if (!isRoot) return t.skip(needsRoot)
  const env = await freshEnvironment(t)
  fs.chownSync(dirname(env.DATA_DIR), serviceUser, serviceUser)
  const copied = join(dirname(env.DATA_DIR), 'backup')
  fs.mkdirSync(copied, { mode: 0o700 })
  fs.writeFileSync(join(copied, 'backup.json'), '{}')
  const started = await ended(startAsService(t, ['restore', copied], env), 1)
  const path = join(copied, 'backup.json')
  assert.equal(started.stderr, `gatehouse: ${path} can't be read (EACCES: permission denied, open '${path}')\n`)
})

test('our choice: a key file of another user stops the start, and the message and doctor say whose it must be', async (t) => {
  const env = await openServiceData(t)
  if (env === undefined) return t.skip(needsRoot)
  const path = join(env.DATA_DIR, 'secret.key')
  fs.chownSync(path, 0, 0)
  const reason = `${path} can't be read (EACCES: permission denied, open '${path}')`
  const remedy = 'chown it to the user of the service, and run every command as that user'
  const started = await ended(startAsService(t, ['serve'], env), 78)
  assert.equal(started.stderr, `gatehouse: ${reason}; ${remedy}\n`)
  const doctor = await ended(startAsService(t, ['doctor'], env), 1)
  assert.ok(doctor.stdout.includes(`fault    keys      ${reason}\n                   remedy: ${remedy}\n`))
})

test('our choice: a rotated key file keeps its mode, and a symbolic link to the file stays a link', async (t) => {
  const env = await freshEnvironment(t)
  const path = join(env.DATA_DIR, 'secret.key')
  const elsewhere = join(dirname(env.DATA_DIR), 'kept.key')
  fs.mkdirSync(env.DATA_DIR, { mode: 0o700 })
  fs.writeFileSync(elsewhere, `${'k'.repeat(40)}\n`)
  fs.chmodSync(elsewhere, 0o440)
  fs.symlinkSync(elsewhere, path)
  await ended(startGatehouse(t, ['rotate-secret-key'], env), 0)
  assert.match(fs.readFileSync(elsewhere, 'utf8'), /^[A-Za-z0-9_-]{43}\nk{40}\n$/)
  assert.equal(fs.statSync(elsewhere).mode & 0o777, 0o440)
  assert.equal(fs.readFileSync(path, 'utf8'), fs.readFileSync(elsewhere, 'utf8'))
})

test('our choice: a data directory that links to a missing folder is rejected, and the folder is not created', async (t) => {
  const env = await freshEnvironment(t)
  const away = `${env.DATA_DIR}.away`
  fs.symlinkSync(away, env.DATA_DIR)
  const line = `gatehouse: DATA_DIR "${env.DATA_DIR}" is a link to "${away}", which does not exist; move the data back, or remove the link to start without data\n`
  assert.deepEqual(await startFailure(t, env), [78, line])
  assert.equal((await ended(startGatehouse(t, ['restore', await aBackup(t)], env), 78)).stderr, line)
  assert.ok(!fs.existsSync(away))
})

test('our choice: a failed restore leaves no data directory, and the service does not start after an interrupted restore', async (t) => {
  const env = await freshEnvironment(t)
  const backup = await aBackup(t)
  // The files match the manifest, but the identity database is missing.
  const manifestPath = join(backup, 'backup.json')
  const manifest = JSON.parse(fs.readFileSync(manifestPath, 'utf8'))
  manifest.files = manifest.files.filter(({ name }: { name: string }) => name !== 'identity.sqlite')
  fs.writeFileSync(manifestPath, JSON.stringify(manifest))
  const failed = await ended(startGatehouse(t, ['restore', backup], env), 1)
  assert.equal(failed.stderr, 'gatehouse: the backup has no identity.sqlite\n')
  assert.ok(!fs.existsSync(env.DATA_DIR), 'an empty directory is left')

  fs.mkdirSync(env.DATA_DIR, { mode: 0o700 })
  fs.writeFileSync(join(env.DATA_DIR, 'identity.sqlite.restoring'), '')
  const error = `gatehouse: a restore into ${env.DATA_DIR} did not finish (it left identity.sqlite.restoring); empty the directory and run gatehouse restore again\n`
  assert.deepEqual(await startFailure(t, env), [78, error])
})

/** Returns the folder of a backup of a newly started service. */
async function aBackup(t: TestContext): Promise<string> {
  const env = await freshEnvironment(t)
  await startAndStop(t, env)
  const folder = join(dirname(env.DATA_DIR), 'backup')
  await ended(startGatehouse(t, ['backup', folder], env), 0)
  fs.rmSync(env.DATA_DIR, { recursive: true })
  return folder
}
