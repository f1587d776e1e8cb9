import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, type TestContext, test } from 'node:test'
import {
  type Environment,
  ended,
  freshEnvironment,
  serve,
  startAndStop,
  startFailure,
  startGatehouse,
  startInProcess,
} from '../support/gatehouse-process.ts'
import { giveToService, isRoot, needsRoot, serviceUser, startAsService } from '../support/service-user.ts'

const databases = ['identity.sqlite', 'queue.sqlite']
const logs = databases.map((name) => `${name}-wal`)
const besides = [...logs, ...databases.map((name) => `${name}-shm`)]
const files = [...databases, ...besides, 'operator.key', 'secret.key', 'lock', 'gatehouse.pid']
const text = 'this is neither a database nor a log, whatever its name says\n'.repeat(100)

let killed: string

/** Data as a killed service leaves it, with a log beside each database. */
before(async (t) => {
  killed = fs.mkdtempSync(join(tmpdir(), 'gatehouse-killed-'))
  const env = await freshEnvironment(t as TestContext)
  const service = await serve(t as TestContext, env)
  service.signal('SIGKILL')
  await service.exited
  fs.cpSync(env.DATA_DIR, killed, { recursive: true })
  for (const name of files) assert.ok(fs.existsSync(join(killed, name)), name)
})
after(() => fs.rmSync(killed, { recursive: true, force: true }))

/** Copies the data of the killed service. */
async function killedData(t: TestContext) {
  const env = await freshEnvironment(t)
  fs.cpSync(killed, env.DATA_DIR, { recursive: true })
  fs.chmodSync(env.DATA_DIR, 0o700)
  return env
}

describe('a file in the data directory that the service can’t use ends the start with 78, and with one line that names the file and the remedy', () => {
  const restore = 'restore both databases from a backup'
  const again = 'remove it, and the service creates it again'
  const back = 'move the file back there, or remove the link'
  const remedies: [file: RegExp, remedy: string][] = [
    [/sqlite(-wal)?$/, restore],
    [/-shm$/, 'remove it'],
    [/key$/, 'restore the key from your backup'],
    [/lock|pid/, again],
  ]
  const remedyOf = (name: string) => remedies.find(([of]) => of.test(name))?.[1]
  const asText = (path: string) => fs.writeFileSync(path, text)
  for (const [names, what, damage, problem, remedy] of [
    [files, 'is a directory', fs.mkdirSync, 'is a directory', undefined],
    [files, 'is a link to a missing file', link, 'is a link to "/nowhere/kept", which does not exist', back],
    [databases, 'is a text file', asText, "can't be read (file is not a database)", restore],
    [logs, 'is a text file', asText, "can't be read (file is not a write-ahead log)", restore],
    [['queue.sqlite'], 'is damaged behind its header', damageBody, "can't be used (file is not a database)", restore],
    [['lock'], 'is a text file', asText, 'is not empty', again],
  ] satisfies [string[], string, (path: string) => unknown, string, string | undefined][]) {
    for (const name of names) {
      test(`${name} ${what}`, async (t) => {
        const env = await killedData(t)
        const path = join(env.DATA_DIR, name)
        fs.rmSync(path)
        damage(path)
        const line = `gatehouse: ${path} ${problem}; ${remedy ?? remedyOf(name)}\n`
        assert.deepEqual(await startFailure(t, env), [78, line])
        if (!problem.startsWith("can't be read")) return
        // A backup reads the databases and their logs, too.
        const backup = await ended(startGatehouse(t, ['backup', join(env.DATA_DIR, 'copy')], env), 78)
        assert.equal(backup.stderr, line)
      })
    }
  }

  for (const [name, mode] of [
    ['identity.sqlite', 0o444],
    ['queue.sqlite', 0],
    ['identity.sqlite-wal', 0o444],
    ['queue.sqlite-shm', 0o444],
    ['secret.key', 0],
    ['operator.key', 0o200],
    ['lock', 0o444],
    ['gatehouse.pid', 0o444],
  ] as const) {
    test(`${name} has mode ${mode.toString(8).padStart(4, '0')}`, async (t) => {
      const env = await killedData(t)
      const path = join(env.DATA_DIR, name)
      fs.chmodSync(path, mode)
      const reason = name.endsWith('key')
        ? `can't be read (EACCES: permission denied, open '${path}')`
        : `can't be written (EACCES: permission denied, access '${path}')`
      const failure = [78, `gatehouse: ${path} ${reason}; run chmod u+rw ${path}\n`]
      assert.deepEqual(await unprivilegedFailure(t, env), failure)
    })
  }

  test('the data directory is on a file system that is mounted read-only', async (t) => {
    if (!isRoot) return t.skip(needsRoot)
    const env = await killedData(t)
    try {
      execFileSync('mount', ['--bind', '-o', 'ro', env.DATA_DIR, env.DATA_DIR], { stdio: 'pipe' })
    } catch {
      return t.skip('this machine does not let root mount a file system')
    }
    const [exitCode, line] = await startFailure(t, env).finally(() => execFileSync('umount', [env.DATA_DIR]))
    assert.equal(exitCode, 78)
    assert.match(line, /^gatehouse: DATA_DIR "[^"]+" can't be written \(EROFS: [^\n]+; set it to a directory [^\n]+\n$/)
  })

  test('the service starts with empty files beside its databases', async (t) => {
    const env = await killedData(t)
    for (const name of [...besides, 'lock', 'gatehouse.pid']) fs.writeFileSync(join(env.DATA_DIR, name), '')
    await startInProcess(t, env)
  })
})

function link(path: string): void {
  fs.symlinkSync('/nowhere/kept', path)
}

function damageBody(path: string): void {
  for (const end of ['-wal', '-shm']) fs.rmSync(`${path}${end}`)
  fs.writeFileSync(path, Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.from(text)]))
}

/** Like `startFailure`. Modes don't stop root, so root starts a process of the service's user. */
async function unprivilegedFailure(t: TestContext, env: Environment) {
  if (!isRoot) return startFailure(t, env)
  fs.chownSync(join(env.DATA_DIR, '..'), serviceUser, serviceUser)
  giveToService(env.DATA_DIR)
  const started = startAsService(t, ['serve'], env)
  return [await started.exited, started.stderr()]
}

/** The data of a stopped service. */
async function stoppedData(t: TestContext) {
  const env = await killedData(t)
  await startAndStop(t, env)
  const folder = env.DATA_DIR
  return { env, folder, identity: join(folder, 'identity.sqlite'), queue: join(folder, 'queue.sqlite') }
}

async function assertDoctorSays(t: TestContext, env: Record<string, string>, line: string): Promise<void> {
  const doctor = await ended(startGatehouse(t, ['doctor'], env), 1)
  assert.ok(doctor.stdout.includes(line), doctor.stdout)
}

describe('our choice: startup fails with exit code 78 if one of the two databases is lost (0006)', () => {
  test('without identity.sqlite, or with an empty one, nothing is created; once it is back, or a link to it, the service starts', async (t) => {
    const { env, folder, identity } = await stoppedData(t)
    fs.renameSync(identity, `${identity}.away`)
    const problem = `${folder} has queue.sqlite, but identity.sqlite is lost`
    const remedy = 'restore both from a backup, or move queue.sqlite away to start without any data'
    const refusal = [78, `gatehouse: ${problem}; ${remedy}\n`]
    assert.deepEqual(await startFailure(t, env), refusal)
    assert.ok(!fs.existsSync(identity))
    await assertDoctorSays(t, env, problem)
    fs.writeFileSync(identity, '')
    assert.deepEqual(await startFailure(t, env), refusal)
    assert.equal(fs.statSync(identity).size, 0)
    // SQLite keeps the log of a linked file beside the link's target.
    fs.rmSync(identity)
    fs.symlinkSync(`${identity}.away`, identity)
    await startAndStop(t, env)
  })

  test('without queue.sqlite the service starts only after the operator has created an empty one', async (t) => {
    const { env, folder, queue } = await stoppedData(t)
    fs.rmSync(queue)
    const problem = `${folder} has identity.sqlite, but queue.sqlite is lost`
    const remedy = 'restore both from a backup, or create an empty queue.sqlite to start without the webhooks in it'
    assert.deepEqual(await startFailure(t, env), [78, `gatehouse: ${problem}; ${remedy}\n`])
    assert.ok(!fs.existsSync(queue))
    await assertDoctorSays(t, env, problem)
    fs.writeFileSync(queue, '')
    await startAndStop(t, env)
    assert.ok(fs.statSync(queue).size > 0)
  })

  test('a first start that was interrupted between the databases is not taken for a loss', async (t) => {
    const { env, queue } = await stoppedData(t)
    // The first start creates queue.sqlite before identity.sqlite, and fills it after it.
    fs.truncateSync(queue)
    fs.rmSync(`${queue}-wal`, { force: true })
    fs.rmSync(`${queue}-shm`, { force: true })
    await startAndStop(t, env)
  })
})
