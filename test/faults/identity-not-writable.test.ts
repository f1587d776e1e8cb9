import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { closeSync, cpSync, openSync, symlinkSync, writeFileSync, writeSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { freshEnvironment, startInProcess } from '../support/gatehouse-process.ts'
import { adaWithClient, codeFor, redeem, refresh, revoke, signedIn, userinfo } from '../support/people.ts'
import {
  operatorKey,
  provision,
  release,
  surfaceUrls,
  temporarilyUnavailable,
  WebhookLedger,
} from '../support/service-process-client.ts'
import { mountSmallDisk } from './small-disk.ts'

/** Starts a service with a user and tokens. While writes fail, none of these may change. */
async function openService(t: TestContext, env: Record<string, string>) {
  const gatehouse = await startInProcess(t, { ...env, OPERATOR_KEY: operatorKey })
  const world = surfaceUrls(env)
  const runtimeKey = await provision(env)
  const client = await adaWithClient(world)
  const browser = await signedIn(world)
  const code = await codeFor(world, browser, client)
  const newTokens = async () => (await redeem(world, client, await codeFor(world, browser, client))).json
  const [kept, ended] = [await newTokens(), await newTokens()]
  const ledger = new WebhookLedger()
  const readiness = async () => {
    const answer = await fetch(`${env.CONTROL_URL}/readyz`)
    return { status: answer.status, record: await answer.json() }
  }

  return {
    async assertWritesRefused(reason: string): Promise<void> {
      for (const answer of [
        await redeem(world, client, code),
        await refresh(world, client, kept.refresh_token),
        await revoke(world, { token: ended.access_token }),
        await revoke(world, { token: ended.refresh_token }),
      ]) {
        assert.deepEqual([answer.status, answer.json], [503, temporarilyUnavailable])
        assert.equal(answer.headers.get('retry-after'), '1')
      }
      const unready = { status: 'unavailable', ...release, checks: { identity: 'failing', gateway: 'ok' }, reason }
      assert.deepEqual(await readiness(), { status: 503, record: unready })
    },

    /** Checks requests that only read the identity database, or that need only the queue. */
    async assertOthersServed(): Promise<void> {
      for (const tokens of [kept, ended]) {
        const { status, json } = await userinfo(world, tokens.access_token)
        assert.deepEqual([status, json.sub], [200, 'ada'])
      }
      for (let n = 0; n < 20; n += 1) {
        assert.deepEqual(await ledger.send(env), { status: 202, retryAfter: null, text: '{"ok": true}' })
      }
      assert.equal((await fetch(`${env.API_URL}/health`)).status, 200)
      assert.equal((await fetch(`${env.CONTROL_URL}/livez`)).status, 200)
      assert.equal((await browser.get(`${world.baseUrl}/account`)).status, 200)
    },

    /** Checks that the service recovers by itself, even if no request was sent during the fault. */
    async assertRecovers(): Promise<void> {
      await eventually(async () => ((await readiness()).status === 200 ? true : undefined))
      const redeemed = await redeem(world, client, code)
      assert.equal(redeemed.status, 200, JSON.stringify(redeemed.json))
      assert.equal((await userinfo(world, redeemed.json.access_token)).status, 200)
      assert.equal((await refresh(world, client, kept.refresh_token)).status, 200)
      assert.equal((await revoke(world, { token: ended.refresh_token })).status, 200)
      assert.equal((await userinfo(world, ended.access_token)).status, 401)
      await ledger.assertReceived(t, env, runtimeKey)
      // Before the hooks that remove the disk.
      await gatehouse.stop()
    },
  }
}

test('while the disk is full, identity writes get 503 and change nothing, other requests are served, and the service recovers', async (t) => {
  const disk = mountSmallDisk(t, 16)
  if (disk === undefined) return t.skip('no file system can be mounted here: run the tests as root to see this')
  const env = await freshEnvironment(t)
  await (await startInProcess(t, { ...env, OPERATOR_KEY: operatorKey })).stop()
  // Links the queue's files to another directory, so that only the identity database is on the small disk.
  writeFileSync(join(env.DATA_DIR, 'queue.sqlite-wal'), '')
  const isQueue = (path: string) => basename(path).startsWith('queue.')
  cpSync(env.DATA_DIR, disk.folder, { recursive: true, filter: (path) => !isQueue(path) })
  for (const name of ['queue.sqlite', 'queue.sqlite-wal'])
    symlinkSync(join(env.DATA_DIR, name), join(disk.folder, name))
  const service = await openService(t, { ...env, DATA_DIR: disk.folder })
  disk.fill()
  await service.assertWritesRefused('disk-full')
  await service.assertOthersServed()
  disk.free()
  await service.assertRecovers()
})

test('while the database files are read-only, identity writes get 503 and change nothing, other requests are served, and the service recovers', async (t) => {
  let files: string[] = []
  const allowWrites = (allowed: boolean) => spawnSync('chattr', [allowed ? '-i' : '+i', ...files])
  // Must run before the hook that removes the folder. Hooks run in the order of registration.
  t.after(() => allowWrites(true))
  // Uses a real disk: on an in-memory file system, open files stay writable.
  const env = await freshEnvironment(t, '/var/tmp')
  const service = await openService(t, env)
  files = ['identity.sqlite', 'identity.sqlite-wal'].map((name) => join(env.DATA_DIR, name))
  allowWrites(false)
  if (files.some(isWritable)) return t.skip('no file can be made immutable here: run the tests as root to see this')
  await service.assertWritesRefused('failing')
  await service.assertOthersServed()
  allowWrites(true)
  await service.assertRecovers()
})

function isWritable(path: string): boolean {
  try {
    const fd = openSync(path, 'r+')
    writeSync(fd, '')
    closeSync(fd)
    return true
  } catch {
    return false
  }
}
