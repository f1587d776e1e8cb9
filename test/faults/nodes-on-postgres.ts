import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { operatedEnvironment } from '../support/from-outside.ts'
import { type GatehouseProcess, serve, startGatehouse } from '../support/gatehouse-process.ts'
import { PostgresServer, type PostgresServerOptions } from '../support/postgres/server.ts'

const secretKey = 'a-secret-key-for-this-test-only-0001'

/** A PostgreSQL of the test's own, so that it can be stopped; removed with the test. */
export async function openPostgres(t: TestContext, options: PostgresServerOptions = {}): Promise<PostgresServer> {
  const server = await PostgresServer.fresh(options)
  t.after(() => server.remove())
  return server
}

/** One of the nodes of a platform, as its own process. */
export interface NodeProcess {
  env: Record<string, string>
  process: GatehouseProcess
}

/** A node whose database can't be reached; resolves once it says so. */
export async function startWaitingNode(t: TestContext, databaseUrl: string) {
  const own = await operatedEnvironment(t)
  const env: Record<string, string> = { ...own, DATABASE_URL: databaseUrl, SECRET_KEY: secretKey }
  const process = startGatehouse(t, ['serve'], env)
  await process.says('waiting for the database (')
  return {
    env,
    process,
    /** Returns the failure of each host in `/readyz`. */
    async failures(): Promise<unknown> {
      const answer = await fetch(`${env.CONTROL_URL}/readyz`)
      assert.equal(answer.status, 503)
      return ((await answer.json()) as { database: unknown }).database
    },
  }
}

/** Starts a node on the database at that address, with a data directory and ports of its own; resolves when it is ready. */
export async function startNode(t: TestContext, databaseUrl: string): Promise<NodeProcess> {
  const env = { ...(await operatedEnvironment(t)), DATABASE_URL: databaseUrl, SECRET_KEY: secretKey }
  return { env, process: await serve(t, env) }
}
