import type { ApplicationStore, AuthenticationRow } from '../../domain/applications/application-store.ts'
import type { ClientId } from '../../domain/ids.ts'
import { sqlApplications } from '../sql/applications/applications.ts'
import { SqliteDatabase } from './sqlite-database.ts'
import type { SqliteFile } from './sqlite-file.ts'

const cachedClientsMax = 1_000

/**
 * Applications in SQLite. Caches the digests that clients authenticate with, and clears the cache when any application
 * or client secret changes (decision 0090).
 *
 * This process must be the only writer (decision 0006), because the cache is cleared by triggers, which fire only for
 * changes on this process's own connection. Triggers fire before the change is committed, so no read sees the change
 * before the cache is cleared.
 */
export function sqliteApplications(file: SqliteFile): ApplicationStore {
  const applications = sqlApplications(new SqliteDatabase(file))
  let cache = new Map<ClientId, readonly AuthenticationRow[]>()
  const clearCache = () => {
    // Replaces the map instead of clearing it, so that a read that began before the change fills only the old map.
    cache = new Map()
  }
  for (const table of ['applications', 'client_secrets']) file.onChange(table, clearCache)

  return {
    ...applications,

    async findForAuthentication(clientId) {
      const current = cache
      const known = current.get(clientId)
      if (known !== undefined) return known
      const found = await applications.findForAuthentication(clientId)
      if (found.length > 0 && current.size < cachedClientsMax) current.set(clientId, found)
      return found
    },
  }
}
