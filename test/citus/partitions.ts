import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { type TestContext, test } from 'node:test'
import { Client } from 'pg'
import type { BotId } from '../../src/domain/ids-and-secrets.ts'
import { StoreUnavailable } from '../../src/domain/store-unavailable.ts'
import { Primary } from '../../src/storage/postgres/primary.ts'
import type { PostgresQueue } from '../../src/storage/postgres/queue/postgres-queue.ts'
import { dayMs } from '../../src/storage/postgres/queue/retention.ts'
import { firstNumberOf } from '../../src/storage/queue/stored-events.ts'
import { claimOf, holder, newEvent, roomy, startMs } from '../contract/queue-scene.ts'
import { eventually } from '../support/eventually.ts'
import { freshEnvironment, startGatehouse } from '../support/gatehouse-process.ts'
import { openCitusCluster } from '../support/postgres/citus-cluster.ts'
import { distributedDatabase, moveShards } from '../support/postgres/distributed-database.ts'
import { unprivileged } from '../support/postgres/programs.ts'
import { openQueueNode } from '../support/postgres/queue.ts'
import { withClient } from '../support/postgres/with-client.ts'

const botIds = Array.from({ length: 16 }, (_, n) => `bot-${n}` as BotId)
const tomorrowMs = startMs + dayMs
const overmorrowMs = startMs + 2 * dayMs

// Partitions of finished events on Citus, where the coordinator and each worker commit a new one.

test('if the coordinator is killed after a worker has prepared a partition and before its own commit, nodes can create it', async (t) => {
  const { cluster, url } = await openCluster(t)
  const [one, other] = cluster.workers
  const commit = await beginPartition(t, url)
  other.freeze()
  commit()
  await eventually(() => holds(one.url(), 'SELECT 1 FROM pg_prepared_xacts'))
  await cluster.coordinator.kill()
  other.thaw()
  await cluster.coordinator.start()
  const queue = await eventually(() => openQueue(t, url, tomorrowMs).catch(() => undefined), 90_000)
  await finishEvents(queue, overmorrowMs)
})

test('if the coordinator is killed after its own commit of a partition and before those of its workers, they commit it too', async (t) => {
  const { cluster, url } = await openCluster(t)
  const commit = await beginPartition(t, url)
  // The commit waits for a standby that doesn't exist.
  await configure(url, "SET synchronous_standby_names = 'nobody'")
  commit()
  await eventually(() => holds(url, "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'"))
  await cluster.coordinator.kill()
  await cluster.coordinator.start()
  await configure(url, 'RESET synchronous_standby_names')
  const queue = await eventually(() => openQueue(t, url, tomorrowMs).catch(() => undefined), 90_000)
  await finishEvents(queue, overmorrowMs)
})

test('if the coordinator loses commits, nodes create later partitions and name the command that recovers lost ones with their events', async (t) => {
  const { cluster, url } = await openCluster(t)
  const { coordinator } = cluster
  const older = `${coordinator.dataDir}-older`
  await coordinator.stop()
  execFileSync('cp', ['-R', coordinator.dataDir, older], unprivileged)
  await coordinator.start()
  const before = await openQueue(t, url, tomorrowMs)
  const finished = await finishEvents(before, overmorrowMs)
  await coordinator.stop()
  execFileSync('rm', ['-R', coordinator.dataDir])
  execFileSync('mv', [older, coordinator.dataDir])
  await coordinator.start()

  await assert.rejects(
    openQueue(t, url, tomorrowMs),
    /^Error: a worker has a partition that the coordinator lost \(relation ".*" already exists\); run gatehouse distribute$/,
  )
  await before.prune(overmorrowMs, 100)
  assert.ok(await holds(url, `SELECT 1 FROM pg_class WHERE relname = 'queue_done_${dayOf(overmorrowMs + dayMs)}'`))
  const unchanged = 'The queue was already distributed.\n'
  const recovered = `${unchanged}Recovered partitions of finished events that only workers had.\n`
  // The first call is interrupted after the events have left the lost partition.
  const name = `queue_done_${dayOf(overmorrowMs)}`
  await withClient(url, (client) => client.query(`CREATE TABLE ${name} ()`))
  assert.deepEqual(await distribute(t, url), [1, unchanged])
  await withClient(url, (client) => client.query(`DROP TABLE ${name}`))
  assert.deepEqual(await distribute(t, url), [0, recovered])
  assert.deepEqual(await distribute(t, url), [0, unchanged])
  // A superuser ran it, and only the owner can drop them.
  const ofOthers = "SELECT 1 FROM pg_tables WHERE tablename LIKE 'queue_done%' AND tableowner <> 'nodes'"
  assert.equal(await holds(url, ofOthers), undefined)
  const after = await openQueue(t, url, tomorrowMs)
  assert.deepEqual(await statesOf(after, finished), finished)
  await finishEvents(after, overmorrowMs)
})

test('after shards have moved to a new worker, new partitions are created there and old ones dropped', async (t) => {
  const { cluster, url } = await openCluster(t)
  const queue = await openQueue(t, url, startMs)
  const finished = await finishEvents(queue, startMs)
  const worker = await cluster.startWorker()
  await moveShards(url, worker.url())
  assert.deepEqual(await statesOf(queue, finished), finished)
  await queue.prune(overmorrowMs, 100)
  const acknowledged = finished.filter(({ state }) => state === 'done')
  assert.deepEqual(
    (await statesOf(queue, finished)).filter(({ state }) => state !== 'dead'),
    acknowledged.map((event) => ({ ...event, state: undefined })),
  )
  await finishEvents(queue, overmorrowMs)
  // Otherwise, Citus drops the moved shards later.
  await withClient(url, (client) => client.query('CALL citus_cleanup_orphaned_resources()'))
  const dropped = `queue_done_${dayOf(startMs)}%`
  for (const server of [cluster.coordinator, ...cluster.workers, worker]) {
    assert.equal(await holds(server.url(), `SELECT 1 FROM pg_class WHERE relname LIKE '${dropped}'`), undefined)
  }
  assert.ok(
    await holds(worker.url(), `SELECT 1 FROM pg_class WHERE relname LIKE 'queue_done_${dayOf(overmorrowMs)}_%'`),
  )
})

/** Starts a cluster whose queue has partitions for today and tomorrow. */
async function openCluster(t: TestContext) {
  const cluster = await openCitusCluster(t)
  const url = await distributedDatabase('postgres', cluster.urls)
  await withClient(url, async (client) => {
    await client.query('CREATE ROLE nodes LOGIN')
    await client.query('GRANT CREATE ON SCHEMA public TO nodes')
    await client.query('ALTER TABLE queue_done OWNER TO nodes')
  })
  await openQueue(t, url, startMs)
  return { cluster, url }
}

async function openQueue(t: TestContext, url: string, nowMs: number): Promise<PostgresQueue> {
  const queue = await openQueueNode({ primary: new Primary([url]), limits: roomy, nowMs })
  t.after(() => queue.close())
  return queue
}

/** Creates a partition for the day after tomorrow, as nodes do. Returns a function that sends the commit. */
async function beginPartition(t: TestContext, url: string): Promise<() => void> {
  const client = new Client({ connectionString: url })
  // The coordinator is killed.
  client.on('error', () => {})
  await client.connect()
  t.after(() => client.end())
  const day = dayOf(overmorrowMs)
  const [from, to] = [firstNumberOf(day * dayMs), firstNumberOf((day + 1) * dayMs)]
  await client.query('BEGIN')
  await client.query(`CREATE TABLE queue_done_${day} (LIKE queue_done INCLUDING ALL)`)
  await client.query(`ALTER TABLE queue_done ATTACH PARTITION queue_done_${day} FOR VALUES FROM (${from}) TO (${to})`)
  return () => void client.query('COMMIT').catch(() => {})
}

interface Finished {
  botId: BotId
  id: string
  state: string | undefined
}

/**
 * Accepts two events per bot, acknowledges one and dead-letters the other. Tries again while the database is
 * unavailable, as it can be for some seconds after a server was killed.
 */
function finishEvents(queue: PostgresQueue, nowMs: number): Promise<Finished[]> {
  return eventually(async () => {
    try {
      return await tryToFinishEvents(queue, nowMs)
    } catch (error) {
      if (error instanceof StoreUnavailable) return undefined
      throw error
    }
  }, 90_000)
}

async function tryToFinishEvents(queue: PostgresQueue, nowMs: number): Promise<Finished[] | undefined> {
  const accepted: Finished[] = []
  for (const botId of botIds) {
    for (const state of ['done', 'dead']) {
      const outcome = await queue.enqueue(newEvent({ botId, acceptedAtMs: nowMs }))
      if (outcome.kind !== 'accepted') return undefined
      accepted.push({ botId, id: outcome.id, state })
    }
  }
  const stateOf = new Map(accepted.map(({ id, state }) => [id, state]))
  const { deliveries } = await queue.claim(claimOf({ botIds, most: 1_000, nowMs }))
  const acknowledged = deliveries.filter(({ id }) => stateOf.get(id) === 'done').map(({ delivery }) => delivery)
  const dead = deliveries.filter(({ id }) => stateOf.get(id) === 'dead').map(({ delivery }) => delivery)
  await queue.acknowledge(holder, acknowledged, nowMs)
  await queue.fail(
    holder,
    dead.map((delivery) => ({ delivery, failedAtMs: nowMs, dead: true })),
  )
  assert.deepEqual(await statesOf(queue, accepted), accepted)
  return accepted
}

function statesOf(queue: PostgresQueue, events: readonly Finished[]): Promise<Finished[]> {
  return Promise.all(
    events.map(async ({ botId, id }) => ({ botId, id, state: (await queue.log.find(botId, id))?.state })),
  )
}

async function distribute(t: TestContext, url: string): Promise<[exit: number | NodeJS.Signals, output: string]> {
  const env = { ...(await freshEnvironment(t)), DATABASE_URL: url, SECRET_KEY: 'a-secret-key-for-this-test-only-0001' }
  const command = startGatehouse(t, ['distribute'], env)
  return [await command.exited, command.stdout()]
}

function holds(url: string, query: string): Promise<true | undefined> {
  return withClient(url, async (client) => ((await client.query(query)).rowCount === 0 ? undefined : true))
}

async function configure(url: string, change: string): Promise<void> {
  await withClient(url, async (client) => {
    await client.query(`ALTER SYSTEM ${change}`)
    await client.query('SELECT pg_reload_conf()')
  })
}

function dayOf(ms: number): number {
  return Math.floor(ms / dayMs)
}
