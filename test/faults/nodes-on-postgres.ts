import type { TestContext } from 'node:test'
import { freshEnvironment, type GatehouseProcess, startGatehouse } from '../gatehouse-process.ts'
import type { Reached } from '../people.ts'
import { PostgresServer, type PostgresServerOptions } from '../postgres/server.ts'
import { operatorKey } from './from-outside.ts'

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

/** Starts a node on the database at that address, with a data directory and ports of its own; resolves when it is ready. */
export async function startNode(t: TestContext, databaseUrl: string): Promise<NodeProcess> {
  const env = {
    ...(await freshEnvironment(t)),
    DATABASE_URL: databaseUrl,
    SECRET_KEY: secretKey,
    OPERATOR_KEY: operatorKey,
  }
  return { env, process: await startAgain(t, env) }
}

/** Starts a node that has ended, in its place. */
export async function startAgain(t: TestContext, env: Record<string, string>): Promise<GatehouseProcess> {
  const process = startGatehouse(t, ['serve'], env)
  await process.says('ready')
  return process
}

/** Where the surfaces of a node are. */
export function reached(env: Record<string, string>): Reached {
  const { BASE_URL = '', PORTAL_URL = '', CONTROL_URL = '' } = env
  return { baseUrl: BASE_URL, portalUrl: PORTAL_URL, controlUrl: CONTROL_URL, operatorKey }
}
