import { isDeepStrictEqual } from 'node:util'
import {
  type Application,
  type ApplicationStore,
  type AuthenticationRow,
  type ClientSecret,
  type NewClientSecret,
  type OwnedApplication,
  operatorMarksAfter,
} from '../../../domain/applications/application-store.ts'
import { type Environment, redirectUriAddition } from '../../../domain/applications/redirect-uri.ts'
import type { ApplicationId, ClientId, UserId } from '../../../domain/ids.ts'
import { changes, type Database, firstRow, rows, storeLastUses, type Work } from '../database.ts'
import { userExists } from '../existence.ts'
import { newestFirst } from '../newest-first.ts'

interface ApplicationRow {
  id: string
  clientId: string
  ownerId: string | null
  name: string
  websiteUrl: string
  environment: Environment
  firstParty: number
  requirePkce: number
  verified: number
  disabled: number
  redirectUris: string
  createdAtMs: number
}

/** One row per secret. An application without secrets has one row with null in the secret's columns. */
interface OwnedRow extends ApplicationRow {
  number: number | null
  label: string | null
  lastFour: string
  secretCreatedAtMs: number
  lastUsedAtMs: number | null
}

const columns = `applications.id, client_id, owner_id, name, website_url, environment, first_party, require_pkce, verified,
  disabled_at_ms IS NOT NULL AS disabled, redirect_uris, applications.created_at_ms`
const ownedColumns = `${columns}, number, label, last_four, client_secrets.created_at_ms AS secret_created_at_ms,
  last_used_at_ms`
const ownedFrom = `SELECT ${ownedColumns} FROM applications LEFT JOIN client_secrets ON application_id = applications.id
  WHERE deleted_at_ms IS NULL`

export function sqlApplications(database: Database): ApplicationStore {
  return {
    addApplication: ({ ownedMax, ...application }, secret, recording) =>
      database.write({ row: `applications of ${application.ownerId}`, recording }, function* () {
        const taken = yield* firstRow(
          'SELECT 1 FROM applications WHERE id = ? OR client_id = ?',
          application.id,
          application.clientId,
        )
        if (taken !== undefined) return 'id-taken'
        if (yield* ownerUnknown(application.ownerId)) return 'owner-unknown'
        if (ownedMax !== undefined && (yield* ownsAll(application.ownerId, ownedMax))) return 'too-many'
        yield* changes(
          `INSERT INTO applications (id, client_id, owner_id, name, website_url, environment, first_party,
             require_pkce, verified, redirect_uris, created_at_ms, updated_at_ms)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
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
        if (secret !== null) yield* insertSecret(application.id, secret, application.createdAtMs)
        return 'added'
      }),

    findById: (id) => database.read(() => findOwned(id)),

    async findByClientId(clientId) {
      const [row] = await database.queryOnce<ApplicationRow>(
        `SELECT ${columns} FROM applications WHERE client_id = ? AND deleted_at_ms IS NULL`,
        clientId,
      )
      return row && asApplication(row)
    },

    findForAuthentication: (clientId) =>
      database.queryOnce<AuthenticationRow>(
        `SELECT id, number, digest FROM applications LEFT JOIN client_secrets ON application_id = id
         WHERE client_id = ? AND deleted_at_ms IS NULL AND disabled_at_ms IS NULL`,
        clientId,
      ),

    async listApplications({ ownerId, clientId }, request) {
      const page = newestFirst(
        'SELECT id FROM applications WHERE deleted_at_ms IS NULL',
        'applications',
        { ownerId, clientId },
        request,
      )
      const found = await database.queryOnce<OwnedRow>(
        `SELECT ${ownedColumns} FROM (${page.sql}) AS page JOIN applications ON applications.id = page.id
           LEFT JOIN client_secrets ON application_id = applications.id
         ORDER BY applications.created_at_ms DESC, applications.id DESC, number`,
        ...page.values,
      )
      return [...Map.groupBy(found, ({ id }) => id).values()].map(asOwned)
    },
    setDisabled: (id, disabled, nowMs) =>
      database.write({ row: `application ${id}` }, function* () {
        const stored = yield* findOwned(id)
        if (stored === undefined || stored.ownerId === null) return 'unknown'
        if (stored.disabled === disabled) return 'unchanged'
        yield* changes('UPDATE applications SET disabled_at_ms = ? WHERE id = ?', disabled ? nowMs : null, id)
        return 'changed'
      }),

    async listOwned(ownerId) {
      const found = await database.queryOnce<OwnedRow>(
        `${ownedFrom} AND owner_id = ? ORDER BY applications.created_at_ms DESC, applications.id, number`,
        ownerId,
      )
      return [...Map.groupBy(found, ({ id }) => id).values()].map(asOwned)
    },

    changeApplication: (id, ownerId, change, nowMs, recording) =>
      database.write({ row: `application ${id}`, recording }, function* () {
        const stored = yield* findOwned(id)
        if (stored === undefined || (ownerId !== null && stored.ownerId !== ownerId)) return { kind: 'unknown' }
        const application = { ...stored, ...change, ...operatorMarksAfter(stored, change, ownerId !== null) }
        if (yield* ownerUnknown(application.ownerId)) return { kind: 'owner-unknown' }
        if (isDeepStrictEqual(application, stored)) return { kind: 'unchanged', application }
        yield* storeChange(application, nowMs)
        return { kind: 'changed', application }
      }),

    addRedirectUri: (id, ownerId, redirectUri, nowMs, recording) =>
      database.write({ row: `application ${id}`, recording }, function* () {
        const stored = yield* findOwned(id)
        if (stored?.ownerId !== ownerId) return 'unknown'
        const addition = redirectUriAddition(stored, redirectUri)
        if (addition.kind !== 'possible') return addition
        const change = { ...stored, redirectUris: [...stored.redirectUris, redirectUri] }
        yield* storeChange({ ...change, ...operatorMarksAfter(stored, change, true) }, nowMs)
        return { kind: 'added' }
      }),

    replaceSecrets: (id, ownerId, secret, nowMs, recording) =>
      database.write({ row: `application ${id}`, recording }, function* () {
        const stored = yield* findOwned(id)
        if (stored?.ownerId !== ownerId) return 'unknown'
        yield* changes('DELETE FROM client_secrets WHERE application_id = ?', id)
        yield* insertSecret(id, secret, nowMs)
        const application = yield* findOwned(id)
        return application === undefined ? 'unknown' : { application, revoked: stored.secrets }
      }),

    addSecret: (id, ownerId, secret, { atMost, nowMs }, recording) =>
      database.write({ row: `application ${id}`, recording }, function* () {
        const stored = yield* findOwned(id)
        if (stored?.ownerId !== ownerId) return 'unknown'
        if (stored.secrets.length >= atMost) return 'too-many'
        yield* insertSecret(id, secret, nowMs)
        return (yield* findOwned(id)) ?? 'unknown'
      }),

    removeSecret: (id, ownerId, number, recording) =>
      database.write({ row: `application ${id}`, recording }, function* () {
        const stored = yield* findOwned(id)
        if (stored?.ownerId !== ownerId) return 'unknown'
        const left = stored.secrets.filter((secret) => secret.number !== number)
        const revoked = stored.secrets.filter((secret) => secret.number === number)
        if (revoked.length === 0) return 'secret-unknown'
        if (left.length === 0) return 'last-one'
        yield* changes('DELETE FROM client_secrets WHERE number = ?', number)
        return { application: { ...stored, secrets: left }, revoked }
      }),

    recordSecretUse: (lastUsedAtMs) =>
      storeLastUses(database, 'UPDATE client_secrets SET last_used_at_ms = ?2 WHERE number = ?1', lastUsedAtMs),

    deleteApplication: (id, ownerId, nowMs, recording) =>
      database.write({ row: `application ${id}`, recording }, function* () {
        const deleted = yield* changes(
          `UPDATE applications SET deleted_at_ms = ?1, updated_at_ms = ?1, redirect_uris = '[]'
           WHERE id = ?2 AND owner_id = coalesce(?3, owner_id) AND deleted_at_ms IS NULL`,
          nowMs,
          id,
          ownerId,
        )
        if (deleted === 0) return false
        yield* changes('DELETE FROM client_secrets WHERE application_id = ?', id)
        return true
      }),
  }
}

function* findOwned(id: ApplicationId): Work<OwnedApplication | undefined> {
  const found = yield* rows<OwnedRow>(`${ownedFrom} AND applications.id = ? ORDER BY number`, id)
  return found.length === 0 ? undefined : asOwned(found)
}

function* storeChange(changed: Application, nowMs: number): Work<void> {
  yield* changes(
    `UPDATE applications SET owner_id = ?, name = ?, website_url = ?, environment = ?, first_party = ?,
     require_pkce = ?, verified = ?, redirect_uris = ?, updated_at_ms = ? WHERE id = ?`,
    changed.ownerId,
    changed.name,
    changed.websiteUrl,
    changed.environment,
    Number(changed.firstParty),
    Number(changed.requirePkce),
    Number(changed.verified),
    JSON.stringify(changed.redirectUris),
    nowMs,
    changed.id,
  )
}

function* insertSecret(id: ApplicationId, secret: NewClientSecret & { label?: string }, nowMs: number): Work<void> {
  yield* changes(
    'INSERT INTO client_secrets (application_id, label, digest, last_four, created_at_ms) VALUES (?, ?, ?, ?, ?)',
    id,
    secret.label ?? null,
    secret.digest,
    secret.lastFour,
    nowMs,
  )
}

function* ownsAll(ownerId: UserId | null, count: number): Work<boolean> {
  const owned = yield* rows(
    'SELECT 1 FROM applications WHERE owner_id = ? AND deleted_at_ms IS NULL LIMIT ?',
    ownerId,
    count,
  )
  return owned.length === count
}

function* ownerUnknown(ownerId: UserId | null): Work<boolean> {
  return ownerId !== null && !(yield* userExists(ownerId))
}

function asApplication(row: ApplicationRow): Application {
  return {
    id: row.id as ApplicationId,
    clientId: row.clientId as ClientId,
    ownerId: row.ownerId as UserId | null,
    name: row.name,
    websiteUrl: row.websiteUrl,
    environment: row.environment,
    firstParty: row.firstParty === 1,
    requirePkce: row.requirePkce === 1,
    verified: row.verified === 1,
    disabled: row.disabled === 1,
    redirectUris: JSON.parse(row.redirectUris),
    createdAtMs: row.createdAtMs,
  }
}

/**
 * Combines the rows of one application.
 *
 * @param found one or more rows, all of the same application.
 */
function asOwned(found: readonly OwnedRow[]): OwnedApplication {
  const secrets = found.flatMap((row): ClientSecret[] =>
    row.number === null
      ? []
      : [
          {
            number: row.number,
            label: row.label,
            lastFour: row.lastFour,
            createdAtMs: row.secretCreatedAtMs,
            lastUsedAtMs: row.lastUsedAtMs,
          },
        ],
  )
  return { ...asApplication(found[0] as OwnedRow), secrets }
}
