import { randomBytes } from 'node:crypto'
import { PostgresServer } from '../test/support/postgres/server.ts'
import { moveToClientCore } from './processes.ts'

/** What tells the service to keep its data in PostgreSQL. */
export interface Postgres {
  env: Record<string, string>
  end(): Promise<void>
}

/** A PostgreSQL that syncs as one in use does, on the core of the load: the service has its own for itself. */
export async function startPostgres(): Promise<Postgres> {
  // All that is started from here inherits the core.
  moveToClientCore(process.pid)
  const server = await PostgresServer.fresh({
    settings: ['fsync = on', 'full_page_writes = on', 'shared_buffers = 512MB'],
  })
  const env = { DATABASE_URL: server.url(), SECRET_KEY: randomBytes(32).toString('base64url') }
  return { env, end: () => server.remove() }
}
