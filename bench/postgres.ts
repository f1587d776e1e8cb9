import { randomBytes } from 'node:crypto'
import { PostgresServer } from '../test/support/postgres/server.ts'
import { moveToClientCore } from './processes.ts'

export interface Postgres {
  env: Record<string, string>
  end(): Promise<void>
}

/** Starts PostgreSQL with production sync settings on the client's core, so that the service has a core of its own. */
export async function startPostgres(): Promise<Postgres> {
  // PostgreSQL runs as a child of this process, so it is pinned to the same core.
  moveToClientCore(process.pid)
  const server = await PostgresServer.fresh({
    settings: ['fsync = on', 'full_page_writes = on', 'shared_buffers = 512MB'],
  })
  const env = { DATABASE_URL: server.url(), SECRET_KEY: randomBytes(32).toString('base64url') }
  return { env, end: () => server.remove() }
}
