import { existsSync } from 'node:fs'
import { join } from 'node:path'
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

/** A Citus coordinator and its workers, on loopback. */
export class CitusCluster {
  readonly coordinator: PostgresServer
  readonly workers: PostgresServer[]

  private constructor(coordinator: PostgresServer, workers: PostgresServer[]) {
    this.coordinator = coordinator
    this.workers = workers
  }

  static async start(workers = 2): Promise<CitusCluster> {
    const servers = await Promise.all(Array.from({ length: workers + 1 }, startServer))
    const [coordinator, ...others] = servers
    return new CitusCluster(coordinator as PostgresServer, others)
  }

  /** URLs of all servers, the coordinator first. */
  get urls(): string[] {
    return [this.coordinator, ...this.workers].map((server) => server.url())
  }

  /** Starts another server, which is not yet a worker of any database. */
  async startWorker(): Promise<PostgresServer> {
    const worker = await startServer()
    this.workers.push(worker)
    return worker
  }

  async remove(): Promise<void> {
    await Promise.all([this.coordinator, ...this.workers].map((server) => server.remove()))
  }
}

function startServer(): Promise<PostgresServer> {
  return PostgresServer.fresh({ settings, programs: programsIn(findPrograms()) })
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
