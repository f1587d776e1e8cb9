import type { StatementSync } from 'node:sqlite'
import type {
  AddApplicationOutcome,
  Application,
  ApplicationStore,
  AuthenticationRow,
  NewClientSecret,
  OwnedApplication,
  StoredApplicationChange,
} from '../../domain/applications/application-store.ts'
import type { Environment } from '../../domain/applications/redirect-uri.ts'
import { verifiedAfter } from '../../domain/applications/verified-mark.ts'
import type { ApplicationId, ClientId, UserId } from '../../domain/ids.ts'
import type { SqliteFile } from './sqlite-file.ts'

interface ApplicationRow {
  id: string
  client_id: string
  owner_id: string | null
  name: string
  website_url: string
  environment: Environment
  first_party: number
  require_pkce: number
  verified: number
  redirect_uris: string
  created_at_ms: number
}

interface OwnedRow extends ApplicationRow {
  /** JSON of {@link ClientSecret}s. */
  secrets: string
}

const columns = `applications.id, client_id, owner_id, name, website_url, environment, first_party, require_pkce, verified,
  redirect_uris, applications.created_at_ms`
const ownedFrom = `SELECT ${columns}, (
    SELECT json_group_array(json_object('number', number, 'label', label, 'lastFour', last_four,
      'createdAtMs', client_secrets.created_at_ms, 'lastUsedAtMs', last_used_at_ms) ORDER BY number)
    FROM client_secrets WHERE application_id = applications.id
  ) AS secrets FROM applications WHERE deleted_at_ms IS NULL`

/** Applications in SQLite. */
export class SqliteApplications implements ApplicationStore {
  readonly #file: SqliteFile
  // Prepared by name: it stands on the way of every token request, and even a look-up by text would count.
  readonly #forAuthentication: StatementSync

  constructor(file: SqliteFile) {
    this.#file = file
    this.#forAuthentication = file.statement(
      `SELECT id, number, digest FROM applications LEFT JOIN client_secrets ON application_id = id
       WHERE client_id = ? AND deleted_at_ms IS NULL`,
    )
  }

  addApplication(application: Application, secret: NewClientSecret | null): Promise<AddApplicationOutcome> {
    return this.#file.write(() => {
      const taken = this.#file
        .statement('SELECT 1 FROM applications WHERE id = ? OR client_id = ?')
        .get(application.id, application.clientId)
      if (taken !== undefined) return 'id-taken'
      if (this.#ownerUnknown(application.ownerId)) return 'owner-unknown'
      this.#file
        .statement(
          `INSERT INTO applications (id, client_id, owner_id, name, website_url, environment, first_party,
             require_pkce, verified, redirect_uris, created_at_ms, updated_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        )
        .run(
          application.id,
          application.clientId,
          application.ownerId,
          application.name,
          application.websiteUrl,
          application.environment,
          Number(application.firstParty),
          Number(application.requirePkce),
          Number(application.verified),
          JSON.stringify(application.redirectUris),
          application.createdAtMs,
          application.createdAtMs,
        )
      if (secret !== null) this.#insertSecret(application.id, secret, application.createdAtMs)
      return 'added'
    })
  }

  async findById(id: ApplicationId): Promise<OwnedApplication | undefined> {
    return this.#findOwned(id)
  }

  async findByClientId(clientId: ClientId): Promise<Application | undefined> {
    const row = this.#file
      .statement(`SELECT ${columns} FROM applications WHERE client_id = ? AND deleted_at_ms IS NULL`)
      .get(clientId) as ApplicationRow | undefined
    return row && asApplication(row)
  }

  async findForAuthentication(clientId: ClientId): Promise<AuthenticationRow[]> {
    this.#file.readTogether()
    return this.#forAuthentication.all(clientId) as unknown as AuthenticationRow[]
  }

  async listOwned(ownerId: UserId): Promise<OwnedApplication[]> {
    const rows = this.#file
      .statement(`${ownedFrom} AND owner_id = ? ORDER BY applications.created_at_ms DESC, applications.id`)
      .all(ownerId)
    return (rows as unknown as OwnedRow[]).map(asOwned)
  }

  changeApplication(
    id: ApplicationId,
    ownerId: UserId | null,
    change: StoredApplicationChange,
    nowMs: number,
  ): Promise<OwnedApplication | 'unknown' | 'owner-unknown'> {
    return this.#file.write(() => {
      const stored = this.#findOwned(id)
      if (stored === undefined || (ownerId !== null && stored.ownerId !== ownerId)) return 'unknown'
      const changed = { ...stored, ...change, verified: verifiedAfter(stored, change, ownerId !== null) }
      if (this.#ownerUnknown(changed.ownerId)) return 'owner-unknown'
      this.#file
        .statement(
          `UPDATE applications SET owner_id = ?, name = ?, website_url = ?, environment = ?, first_party = ?,
             require_pkce = ?, verified = ?, redirect_uris = ?, updated_at_ms = ? WHERE id = ?`,
        )
        .run(
          changed.ownerId,
          changed.name,
          changed.websiteUrl,
          changed.environment,
          Number(changed.firstParty),
          Number(changed.requirePkce),
          Number(changed.verified),
          JSON.stringify(changed.redirectUris),
          nowMs,
          id,
        )
      return changed
    })
  }

  replaceSecrets(
    id: ApplicationId,
    ownerId: UserId,
    secret: NewClientSecret,
    nowMs: number,
  ): Promise<OwnedApplication | 'unknown'> {
    return this.#file.write(() => {
      if (this.#findOwned(id)?.ownerId !== ownerId) return 'unknown'
      this.#file.statement('DELETE FROM client_secrets WHERE application_id = ?').run(id)
      this.#insertSecret(id, secret, nowMs)
      return this.#findOwned(id) ?? 'unknown'
    })
  }

  addSecret(
    id: ApplicationId,
    ownerId: UserId,
    secret: NewClientSecret & { label: string },
    { atMost, nowMs }: { atMost: number; nowMs: number },
  ): Promise<OwnedApplication | 'unknown' | 'too-many'> {
    return this.#file.write(() => {
      const stored = this.#findOwned(id)
      if (stored?.ownerId !== ownerId) return 'unknown'
      if (stored.secrets.length >= atMost) return 'too-many'
      this.#insertSecret(id, secret, nowMs)
      return this.#findOwned(id) ?? 'unknown'
    })
  }

  removeSecret(
    id: ApplicationId,
    ownerId: UserId,
    number: number,
  ): Promise<OwnedApplication | 'unknown' | 'secret-unknown' | 'last-one'> {
    return this.#file.write(() => {
      const stored = this.#findOwned(id)
      if (stored?.ownerId !== ownerId) return 'unknown'
      const left = stored.secrets.filter((secret) => secret.number !== number)
      if (left.length === stored.secrets.length) return 'secret-unknown'
      if (left.length === 0) return 'last-one'
      this.#file.statement('DELETE FROM client_secrets WHERE number = ?').run(number)
      return { ...stored, secrets: left }
    })
  }

  recordSecretUse(lastUsedAtMs: ReadonlyMap<number, number>): Promise<void> {
    return this.#file.write(() => {
      const update = this.#file.statement('UPDATE client_secrets SET last_used_at_ms = ? WHERE number = ?')
      for (const [number, atMs] of lastUsedAtMs) update.run(atMs, number)
    })
  }

  deleteApplication(id: ApplicationId, ownerId: UserId, nowMs: number): Promise<boolean> {
    return this.#file.write(() => {
      const { changes } = this.#file
        .statement(
          `UPDATE applications SET deleted_at_ms = ?, updated_at_ms = ?
           WHERE id = ? AND owner_id = ? AND deleted_at_ms IS NULL`,
        )
        .run(nowMs, nowMs, id, ownerId)
      if (changes === 0) return false
      this.#file.statement('DELETE FROM client_secrets WHERE application_id = ?').run(id)
      return true
    })
  }

  #findOwned(id: ApplicationId): OwnedApplication | undefined {
    const row = this.#file.statement(`${ownedFrom} AND applications.id = ?`).get(id) as OwnedRow | undefined
    return row && asOwned(row)
  }

  #insertSecret(id: ApplicationId, secret: NewClientSecret & { label?: string }, nowMs: number): void {
    this.#file
      .statement(
        'INSERT INTO client_secrets (application_id, label, digest, last_four, created_at_ms) VALUES (?, ?, ?, ?, ?)',
      )
      .run(id, secret.label ?? null, secret.digest, secret.lastFour, nowMs)
  }

  #ownerUnknown(ownerId: UserId | null): boolean {
    return ownerId !== null && this.#file.statement('SELECT 1 FROM users WHERE id = ?').get(ownerId) === undefined
  }
}

function asApplication(row: ApplicationRow): Application {
  return {
    id: row.id as ApplicationId,
    clientId: row.client_id as ClientId,
    ownerId: row.owner_id as UserId | null,
    name: row.name,
    websiteUrl: row.website_url,
    environment: row.environment,
    firstParty: row.first_party === 1,
    requirePkce: row.require_pkce === 1,
    verified: row.verified === 1,
    redirectUris: JSON.parse(row.redirect_uris),
    createdAtMs: row.created_at_ms,
  }
}

function asOwned(row: OwnedRow): OwnedApplication {
  return { ...asApplication(row), secrets: JSON.parse(row.secrets) }
}
