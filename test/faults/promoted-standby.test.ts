import assert from 'node:assert/strict'
import { chownSync, cpSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { freePorts } from '../support/free-ports.ts'
import { unprivileged } from '../support/postgres/programs.ts'
import type { PostgresServer } from '../support/postgres/server.ts'
import { ask } from '../support/postgres/with-client.ts'
import { provision, WebhookLedger } from '../support/service-process-client.ts'
import { atOnce } from '../support/together.ts'
import { openPostgres, startNodeInProcess, startWaitingNode } from './nodes-on-postgres.ts'

const wanted = 400

test('when the primary is killed under load and its synchronous standby is promoted, each accepted webhook is handled once, without a node restart', async (t) => {
  const primary = await openPostgres(t, { settings: ['synchronous_standby_names = standby'] })
  const standby = await openStandby(t, primary)
  const url = `postgres://postgres@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/postgres`
  const { env, stop } = await startNodeInProcess(t, url)
  const key = await provision(env)

  const ledger = new WebhookLedger()
  let refused = 0
  let killed: Promise<void> | undefined
  const fail = async () => {
    await primary.kill()
    await ask(standby.url(), 'SELECT pg_promote()')
  }
  await atOnce(4, async () => {
    while (ledger.accepted.size < wanted) {
      const answer = await ledger.send(env)
      if (answer?.status !== 202) {
        assert.deepEqual([answer?.status, answer?.text], [503, '{"error": "Webhook gateway unavailable."}'])
        refused += 1
        await wait(50)
      }
      if (ledger.accepted.size >= wanted / 2) killed ??= fail()
    }
  })
  await killed
  assert.ok(refused > 0, 'there was a time without a primary')
  await ledger.assertReceived(t, env, key)
  await stop()
})

test('a node starts with whichever host accepts writes, and reports the reasons if none does', async (t) => {
  const primary = await openPostgres(t, { settings: ['synchronous_standby_names = standby'] })
  const standby = await openStandby(t, primary)
  const [away] = await freePorts(1)
  const urlOf = (ports: readonly (number | undefined)[]) =>
    `postgres://postgres@${ports.map((port) => `127.0.0.1:${port}`).join()}/postgres`
  for (const first of [away, standby.port]) {
    const node = await startNodeInProcess(t, urlOf([first, primary.port]))
    await node.stop()
  }
  const waiting = await startWaitingNode(t, urlOf([away, standby.port]))
  await waiting.process.waitForOutput('Connection to a read-only server')
  assert.deepEqual(await waiting.failures(), [
    { host: `127.0.0.1:${away}`, reason: `connect ECONNREFUSED 127.0.0.1:${away}` },
    { host: `127.0.0.1:${standby.port}`, reason: 'Connection to a read-only server' },
  ])
})

/**
 * Opens a synchronous standby on a copy of the primary's data. Stops the primary during the copy. Resolves once the
 * primary waits for the standby.
 */
async function openStandby(t: TestContext, primary: PostgresServer): Promise<PostgresServer> {
  await primary.stop()
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-standby-'))
  const dataDir = join(folder, 'data')
  cpSync(primary.dataDir, dataDir, { recursive: true, preserveTimestamps: true })
  writeFileSync(join(dataDir, 'standby.signal'), '')
  const { uid, gid } = unprivileged as { uid?: number; gid?: number }
  if (uid !== undefined && gid !== undefined) {
    const names = readdirSync(dataDir, { recursive: true, encoding: 'utf8' })
    for (const path of [folder, dataDir, ...names.map((name) => join(dataDir, name))]) chownSync(path, uid, gid)
  }
  await primary.start()
  const from = `host=127.0.0.1 port=${primary.port} user=postgres application_name=standby`
  const standby = await openPostgres(t, { dataDir, settings: [`primary_conninfo = '${from}'`] })
  const synchronous = "SELECT 1 FROM pg_stat_replication WHERE application_name = 'standby' AND sync_state = 'sync'"
  while ((await ask(primary.url(), synchronous)).length === 0) await wait(50)
  return standby
}
