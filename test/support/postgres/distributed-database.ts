import type { Client } from 'pg'
import { distributeQueue } from '../../../src/storage/postgres/distribute.ts'
import { migrate } from '../../../src/storage/postgres/migrate.ts'
import { withClient } from './with-client.ts'

/**
 * Set by `npm run test:citus`: the URLs of the Citus servers, separated by commas. The first one is the coordinator.
 */
export const citusVariable = 'GATEHOUSE_TEST_CITUS'

export const citusServers: readonly string[] = process.env[citusVariable]?.split(',') ?? []

/**
 * Creates a database with this release's tables, whose queue is distributed over the workers, or uses an existing empty
 * one. Returns its URL.
 */
export async function distributedDatabase(name: string, servers = citusServers): Promise<string> {
  const urls = servers.map((url) => url.replace(/[^/]*$/, name))
  if (name !== 'postgres') {
    await Promise.all(servers.map((url) => withClient(url, (client) => client.query(`CREATE DATABASE ${name}`))))
  }
  await Promise.all(urls.map((url) => withClient(url, (client) => client.query('CREATE EXTENSION citus'))))
  const [coordinator = '', ...workers] = urls
  await withClient(coordinator, async (client) => {
    await client.query('SELECT citus_set_coordinator_host($1, $2)', addressOf(coordinator))
    for (const worker of workers) await addWorker(client, worker)
    await migrate(client)
    await distributeQueue(client)
  })
  return coordinator
}

/** Adds a worker to the coordinator's cluster, and waits until its share of the shards has moved to it. */
export async function moveShards(coordinator: string, worker: string): Promise<void> {
  await withClient(worker, (client) => client.query('CREATE EXTENSION citus'))
  await withClient(coordinator, async (client) => {
    await addWorker(client, worker)
    await client.query('SELECT citus_rebalance_start()')
    await client.query('SELECT citus_rebalance_wait()')
  })
}

async function addWorker(client: Client, url: string): Promise<void> {
  await client.query('SELECT citus_add_node($1, $2)', addressOf(url))
}

function addressOf(url: string): [string, number] {
  const { hostname, port } = new URL(url)
  return [hostname, Number(port)]
}
