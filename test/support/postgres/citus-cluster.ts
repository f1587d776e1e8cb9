import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { programsIn } from './programs.ts'
import { PostgresServer } from './server.ts'

const settings = [
  'shared_preload_libraries = citus',
  "citus.node_conninfo = 'sslmode=disable'",
  // Few shards, so that a test's database is created quickly.
  'citus.shard_count = 8',
  // Moves shards without blocking writes.
  'wal_level = logical',
  'max_worker_processes = 64',
  'max_connections = 400',
]

/** Starts a Citus coordinator and two workers on loopback. Removes them when the test ends. */
export async function openCitusCluster(t: TestContext) {
  const start = async () => {
    const server = await PostgresServer.fresh({ settings, programs: programsIn(findPrograms()) })
    t.after(() => server.remove())
    return server
  }
  const [coordinator, ...workers] = await Promise.all([start(), start(), start()])
  return {
    coordinator,
    workers,
    /** URLs of these servers, the coordinator first. */
    urls: [coordinator, ...workers].map((server) => server.url()),
    /** Starts another server, which is not yet a worker of any database. */
    startWorker: start,
  }
}

/**
 * Returns the folder of PostgreSQL's programs.
 *
 * @throws Error that says what is missing.
 */
function findPrograms(): string {
  const folder = process.env.CITUS_PG_BIN
  if (folder === undefined || folder === '') {
    throw new Error(
      'CITUS_PG_BIN is missing; set it to the folder of the programs of a PostgreSQL with Citus, such as /usr/lib/postgresql/15/bin. docs/scaling.md says how to build Citus',
    )
  }
  if (!existsSync(join(folder, 'initdb'))) throw new Error(`CITUS_PG_BIN has no initdb: ${folder}`)
  return folder
}
