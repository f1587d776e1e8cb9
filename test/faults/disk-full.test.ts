import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import {
  ended,
  serve,
  startAndStop,
  startFailure,
  startGatehouse,
  startInProcess,
} from '../support/gatehouse-process.ts'
import { operatedEnvironment, provision, WebhookLedger } from '../support/service-process-client.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { mountSmallDisk } from './small-disk.ts'

const smallMiB = 24
const bodyBytes = 200_000

/**
 * Returns a disk of 24 MiB, a program that writes only to that disk, and a function that enlarges the disk.
 *
 * If no file system can be mounted, a limit on file sizes makes writes fail instead.
 */
function smallDisk(t: TestContext): { folder: string; program: [string, ...string[]]; enlarge: () => void } {
  const node: [string, ...string[]] = [process.execPath, join(import.meta.dirname, '../../src/main.ts')]
  const disk = mountSmallDisk(t, smallMiB)
  if (disk !== undefined) {
    t.diagnostic('the disk is a file system in memory')
    return { ...disk, program: node }
  }
  t.diagnostic('no file system can be mounted here, so the size of files is limited instead')
  const folder = temporaryFolder(t)
  const limit = `ulimit -f ${smallMiB * 512}; exec "$@"`
  return { folder, program: ['sh', '-c', limit, 'sh', ...node], enlarge: () => {} }
}

test('on a full disk webhooks get 503 and no accepted webhook is lost; once space is freed and the service restarts, each is handled once', async (t) => {
  const { folder, program, enlarge } = smallDisk(t)
  const env: Record<string, string> = { ...(await operatedEnvironment(t)), DATA_DIR: folder }
  const first = await serve(t, env, program)
  const key = await provision(env)

  const ledger = new WebhookLedger()
  const send = async () => {
    const answer = await ledger.send(env, bodyBytes)
    if (answer?.status !== 202)
      assert.deepEqual([answer?.status, answer?.text], [503, '{"error": "Webhook gateway unavailable."}'])
    return answer?.status
  }
  for (let refused = 0; refused < 5; ) if ((await send()) === 503) refused += 1
  assert.ok(ledger.accepted.size > 10, 'the disk was full from the start')
  assert.ok(ledger.accepted.size * bodyBytes < 200 * 1_048_576)

  enlarge()
  first.signal('SIGTERM')
  await first.exited
  const second = await startInProcess(t, env)
  await eventually(async () => ((await send()) === 202 ? true : undefined))
  await ledger.assertReceived(t, env, key)
  // Before the hooks that remove the disk.
  await second.stop()
})

test('on a full disk, rotate-secret-key reports the error and leaves the key file unchanged', async (t) => {
  const disk = mountSmallDisk(t, 4)
  if (disk === undefined) return t.skip('no file system can be mounted here: run the tests as root to see this')
  const env = { DATA_DIR: disk.folder }
  const path = join(disk.folder, 'secret.key')
  writeFileSync(path, `${'k'.repeat(43)}\n`, { mode: 0o600 })
  disk.fill()
  const full = await ended(startGatehouse(t, ['rotate-secret-key'], env), 1)
  assert.equal(full.stderr, `gatehouse: ${path} can't be written (ENOSPC: no space left on device, write)\n`)
  assert.deepEqual([readFileSync(path, 'utf8'), existsSync(`${path}.new`)], [`${'k'.repeat(43)}\n`, false])
})

test('a start on a full disk fails with exit code 1, which systemd restarts, and succeeds once there is space', async (t) => {
  const disk = mountSmallDisk(t, smallMiB)
  if (disk === undefined) return t.skip('no file system can be mounted here: run the tests as root to see this')
  const env = { ...(await operatedEnvironment(t)), DATA_DIR: disk.folder }
  disk.fill()
  const full = await ended(startGatehouse(t, ['serve'], env), 1)
  assert.match(full.stderr, /^gatehouse: DATA_DIR "[^"]+" can't be written \(.+\); free disk space\n$/)
  disk.free()
  await startAndStop(t, env)
  disk.fill()
  const [exitCode, message] = await startFailure(t, env)
  assert.equal(exitCode, 1, message)
  disk.free()
  await startAndStop(t, env)
})
