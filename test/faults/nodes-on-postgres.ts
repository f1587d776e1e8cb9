import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { serve, startGatehouse, startInProcess } from '../support/gatehouse-process.ts'
import { openCitusCluster } from '../support/postgres/citus-cluster.ts'
import { citusServers, distributedDatabase } from '../support/postgres/distributed-database.ts'
import { PostgresServer, type PostgresServerOptions } from '../support/postgres/server.ts'
import { operatedEnvironment } from '../support/service-process-client.ts'

/**
 * Starts a PostgreSQL server for this test alone, so that the test can stop it. Removes the server after the test. In
 * `npm run test:citus`, it is a coordinator with two workers.
 */
export async function openPostgres(t: TestContext, options: PostgresServerOptions = {}): Promise<PostgresServer> {
  if (citusServers.length > 0) {
    const cluster = await openCitusCluster(t)
    await distributedDatabase('postgres', cluster.urls)
    return cluster.coordinator
  }
  const server = await PostgresServer.fresh(options)
  t.after(() => server.remove())
  return server
}

async function nodeEnvironment(t: TestContext, databaseUrl: string): Promise<Record<string, string>> {
  const SECRET_KEY = 'a-secret-key-for-this-test-only-0001'
  return { ...(await operatedEnvironment(t)), DATABASE_URL: databaseUrl, SECRET_KEY }
}

/** Starts a node whose database is unreachable. Resolves once the node has logged this. */
export async function startWaitingNode(t: TestContext, databaseUrl: string) {
  const env = await nodeEnvironment(t, databaseUrl)
  const process = startGatehouse(t, ['serve'], env)
  await process.waitForOutput('waiting for the database (')
  return {
    env,
    process,
    async failures(): Promise<unknown> {
      const answer = await fetch(`${env.CONTROL_URL}/readyz`)
      assert.equal(answer.status, 503)
      return ((await answer.json()) as { database: unknown }).database
    },
  }
}

/**
 * Starts a node on the database in this process, for tests that need neither its output nor its end. A test that
 * succeeds must stop the node, because the hooks remove the database before they would stop the node.
 */
export async function startNodeInProcess(t: TestContext, databaseUrl: string) {
  const env = await nodeEnvironment(t, databaseUrl)
  return { env, ...(await startInProcess(t, env)) }
}

/** Starts a node on the database, with its own data directory and ports. Resolves once the node is ready. */
export async function startNode(t: TestContext, databaseUrl: string) {
  const env = await nodeEnvironment(t, databaseUrl)
  return { env, process: await serve(t, env) }
}
