import type { AuthenticationRow } from '../../domain/applications/application-store.ts'
import type { ClientId } from '../../domain/ids.ts'
import { SqlApplications } from '../sql/applications/applications.ts'
import { SqliteDatabase } from './sqlite-database.ts'
import type { SqliteFile } from './sqlite-file.ts'

const rememberedMax = 1_000

/**
 * Applications in SQLite. Caches the digests that clients authenticate with, and clears the cache when any application
 * or client secret changes (decision 0090).
 *
 * This process must be the only writer (decision 0006). Its triggers then see every change before the commit that makes
 * the change readable.
 */
export class SqliteApplications extends SqlApplications {
  #remembered = new Map<ClientId, readonly AuthenticationRow[]>()

  constructor(file: SqliteFile) {
    super(new SqliteDatabase(file))
    const forget = () => {
      // A new map instead of `clear()`: a read that began before the change then fills the old map.
      this.#remembered = new Map()
    }
    for (const table of ['applications', 'client_secrets']) file.onChange(table, forget)
  }

  override async findForAuthentication(clientId: ClientId): Promise<readonly AuthenticationRow[]> {
    const remembered = this.#remembered
    const known = remembered.get(clientId)
    if (known !== undefined) return known
    const found = await super.findForAuthentication(clientId)
    if (found.length > 0 && remembered.size < rememberedMax) remembered.set(clientId, found)
    return found
  }
}
