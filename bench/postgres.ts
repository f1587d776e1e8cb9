import { randomBytes } from 'node:crypto'
import { PostgresServer } from '../test/support/postgres/server.ts'
import { moveToClientCore } from './processes.ts'

export interface Postgres {
  env: Record<string, string>
  end(): Promise<void>
}

/** Starts a PostgreSQL with production sync settings on the client's core. The service has its own core. */
export async function startPostgres(): Promise<Postgres> {
  // Child processes inherit the core.
  moveToClientCore(process.pid)
  const server = await PostgresServer.fresh({
    settings: ['fsync = on', 'full_page_writes = on', 'shared_buffers = 512MB'],
  })
  const env = { DATABASE_URL: server.url(), SECRET_KEY: randomBytes(32).toString('base64url') }
  return { env, end: () => server.remove() }
}
