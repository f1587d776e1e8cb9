import { randomBytes } from 'node:crypto'
import { PostgresServer } from '../test/support/postgres/server.ts'
import { moveToClientCore } from './processes.ts'

/**
 * Calls `measureThere` with the settings of a service on a new PostgreSQL, which has production sync settings and runs on
 * the client's core, so that the service has a core of its own.
 *
 * In production, the write-ahead log reuses its files. A new server would fill each new one with zeros first, and all
 * commits would wait for that, for up to 80 ms once a second.
 */
export async function onPostgres(measureThere: (env: Record<string, string>) => Promise<void>): Promise<void> {
  // PostgreSQL runs as a child of this process, so it is pinned to the same core.
  moveToClientCore(process.pid)
  const server = await PostgresServer.fresh({
    settings: ['fsync = on', 'full_page_writes = on', 'shared_buffers = 512MB', 'wal_init_zero = off'],
  })
  try {
    await measureThere({ DATABASE_URL: server.url(), SECRET_KEY: randomBytes(32).toString('base64url') })
  } finally {
    await server.remove()
  }
}
