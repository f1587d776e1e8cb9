import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { BotId } from '../../src/domain/ids-and-secrets.ts'
import * as limits from '../../src/domain/limits/limits.ts'
import { Primary } from '../../src/storage/postgres/primary.ts'
import { claimOf, newEvent, roomy, startMs } from '../contract/queue-scene.ts'
import { startNode } from '../faults/nodes-on-postgres.ts'
import { eventually } from '../support/eventually.ts'
import { ended, startProgram } from '../support/gatehouse-process.ts'
import { openCitusCluster } from '../support/postgres/citus-cluster.ts'
import { citusVariable, distributedDatabase, moveShards } from '../support/postgres/distributed-database.ts'
import { openQueueNode } from '../support/postgres/queue.ts'
import { withClient } from '../support/postgres/with-client.ts'
import { HandlingRuntime, provision } from '../support/service-process-client.ts'
import { pluck } from '../support/together.ts'
import { WebhookLoad } from '../support/webhook-load.ts'

/**
 * `npm run test:citus`: runs the queue on Citus, a coordinator and two workers on loopback. `CITUS_PG_BIN` is the
 * folder of the programs of a PostgreSQL with Citus; docs/scaling.md says how to build it. Takes about 14 minutes.
 */
const root = join(import.meta.dirname, '../..')
const files = [
  'test/contract/{delivery-queue,event-log}*.test.ts',
  'test/adapters/postgres.{queue-leases,queue-nodes}.test.ts',
  'test/model/{acceptance,delivery-queue}.test.ts',
  'test/spec/{webhook,runtime}*.test.ts',
  'test/faults/nodes.test.ts',
]

test('the contract suite, the specification of gateway and runtime link, and the node faults', async (t) => {
  const found = files.map((pattern) => globSync(pattern, { cwd: root }).sort())
  assert.ok(found.every(({ length }) => length > 0))
  for (const file of found.flat()) {
    await t.test(file, async (t) => {
      // Each file has a cluster, because Citus runs background work for each database that a file leaves behind.
      const cluster = await openCitusCluster(t)
      const { CITUS_PG_BIN = '' } = process.env
      const env = { CITUS_PG_BIN, [citusVariable]: cluster.urls.join(), GATEHOUSE_TEST_STORAGE: 'postgres' }
      await ended(startProgram(t, [process.execPath, '--test', '--test-timeout=300000', file], env), 0)
    })
  }
})

test('a worker is killed in the middle of 10,000 webhooks: none that was answered 202 is lost, and bots on the other worker go on', async (t) => {
  const { cluster, url, runtime, load } = await openLoadedNodes(t)
  await load.untilAccepted(3_000)
  const [, worker] = cluster.workers
  const bots = await botsAt(url, worker.port)
  assert.ok(bots.length > 0 && bots.length < botIds.length)
  const others = new Set(botIds).difference(new Set(bots))
  await worker.kill()
  await load.untilAccepted(2_000, others)
  await worker.start()
  await load.untilAccepted(1_000, new Set(bots))
  await load.untilAccepted(Math.max(0, 10_000 - load.accepted.length))
  await assertHandled(t, load, runtime, 'worker killed')
})

test('while a worker is away, leases of bots on the other worker expire, their retries become due, and their runtime can connect', async (t) => {
  const cluster = await openCitusCluster(t)
  const url = await distributedDatabase('postgres', cluster.urls)
  const queue = await openQueueNode({ primary: new Primary([url]), limits: roomy, nodeId: "it's-one" })
  t.after(() => queue.close())
  for (const botId of botIds) await queue.accept(newEvent({ botId }))
  const { deliveries } = await queue.claim(claimOf({ botIds }))
  assert.equal(deliveries.length, botIds.length)
  const botOf = new Map(deliveries.map(({ delivery, botId }) => [delivery, botId]))
  const expire = async () => {
    const expired = await queue.failExpired(startMs + limits.leaseMs)
    return expired.map(({ delivery }) => botOf.get(delivery)).sort()
  }

  const [, worker] = cluster.workers
  const away = await botsAt(url, worker.port)
  const others = botIds.filter((botId) => !away.includes(botId)).sort()
  await worker.kill()
  assert.deepEqual(await expire(), others)
  assert.deepEqual((await queue.botsWithRetriesDue(startMs + limits.leaseMs, startMs + 3_600_000)).sort(), others)
  const [other] = others
  assert.ok(other)
  await queue.accept(newEvent({ botId: other }))
  const [delivery] = (await queue.claim(claimOf({ botIds: [other], holder: 'runtime/two' }))).deliveries
  const at = { nowMs: startMs, failedAtMs: startMs }
  const listed = [delivery?.delivery ?? '']
  assert.deepEqual(await queue.botsWithEvents(others), others)
  assert.deepEqual(await queue.resume('runtime/two', listed, at), { kept: listed, lost: [] })
  assert.deepEqual(await queue.resume('runtime/two', [], at), { kept: [], lost: [] })
  assert.deepEqual(await queue.renew('runtime/two', listed, startMs), listed)
  await worker.start()
  assert.deepEqual(await eventually(() => expire().catch(() => undefined)), away.sort())
})

test('while a worker is away, a runtime of bots on the other worker connects and gets their webhooks', async (t) => {
  const cluster = await openCitusCluster(t)
  const url = await distributedDatabase('postgres', cluster.urls)
  const [, worker] = cluster.workers
  const away = await botsAt(url, worker.port)
  const others = botIds.filter((botId) => !away.includes(botId))
  const { env } = await startNode(t, url)
  const key = await provision(env, others)
  const send = async (botId: BotId) => {
    const { status } = await fetch(`${env.API_URL}/${botId}/hooks`, { method: 'POST', body: botId })
    assert.equal(status, 202)
  }
  const [first, ...rest] = others
  assert.ok(first)
  await send(first)
  await worker.kill()
  const runtime = new HandlingRuntime(t, env, key)
  await runtime.has([first])
  await Promise.all(rest.map(send))
  await runtime.has(others)
})

test('a worker is added and shards are moved to it under load: no webhook is lost', async (t) => {
  const { cluster, url, runtime, load } = await openLoadedNodes(t)
  await load.untilAccepted(1_000)
  const worker = await cluster.startWorker()
  await moveShards(url, worker.url())
  assert.ok((await botsAt(url, worker.port)).length > 0)
  await load.untilAccepted(1_000)
  await assertHandled(t, load, runtime, 'shards moved to a new worker')
})

const sendersPerNode = 16
/** One for each sender. */
const botIds = Array.from({ length: 2 * sendersPerNode }, (_, n) => `bot-${n}` as BotId)

/** Starts two nodes, a runtime that hosts all bots, and senders at both nodes. */
async function openLoadedNodes(t: TestContext) {
  const cluster = await openCitusCluster(t)
  const url = await distributedDatabase('postgres', cluster.urls)
  const [one, other] = [await startNode(t, url), await startNode(t, url)]
  const runtime = new HandlingRuntime(t, one.env, await provision(one.env, botIds))
  const senders = [one, other].flatMap(({ env }, node) =>
    Array.from({ length: sendersPerNode }, (_, n) => {
      return { apiUrl: env.API_URL as string, botId: botIds[node * sendersPerNode + n] as BotId }
    }),
  )
  const load = new WebhookLoad('load', senders)
  t.after(() => load.stop())
  return { cluster, url, runtime, load }
}

/** Returns the bots whose queues are at the worker with this port. */
async function botsAt(url: string, port: number): Promise<BotId[]> {
  const { rows } = await withClient(url, (client) =>
    client.query<{ bot_id: BotId }>(
      `SELECT bot_id FROM unnest($1::text[]) AS bot_id JOIN pg_dist_placement AS placement
         ON placement.shardid = get_shard_id_for_distribution_column('queue_events', bot_id)
       JOIN pg_dist_node AS node USING (groupid) WHERE node.nodeport = $2`,
      [botIds, port],
    ),
  )
  return rows.map(({ bot_id }) => bot_id)
}

/** Stops the senders, and asserts that the runtime handles each accepted webhook. */
async function assertHandled(t: TestContext, load: WebhookLoad, runtime: HandlingRuntime, title: string) {
  await load.stop()
  await runtime.has(pluck(load.accepted, 'body'))
  t.diagnostic(
    `${title}: ${load.accepted.length} webhooks answered 202, all handled; other responses: ${load.otherResponses()}`,
  )
}
