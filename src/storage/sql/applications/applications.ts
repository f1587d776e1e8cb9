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
import { redirectUriAddition } from '../../../domain/applications/redirect-uri.ts'
import type { TryOutResultStore } from '../../../domain/applications/try-out-results.ts'
import type { ApplicationId, UserId } from '../../../domain/ids-and-secrets.ts'
import { newestFirst, Rows, userExists } from '../rows.ts'
import { type Database, insertInto, raw, sql, storeLastUses, type Work } from '../sql.ts'

/** One row per secret. An application without secrets has one row with null in the secret's columns. */
type OwnedRow = Application &
  Omit<ClientSecret, 'number' | 'createdAtMs'> & {
    number: number | null
    secretCreatedAtMs: number
  }

const columns = `applications.id, client_id, owner_id, name, website_url, environment, first_party, require_pkce, verified,
  disabled_at_ms IS NOT NULL AS disabled, redirect_uris, applications.created_at_ms`
const ownedColumns = `${columns}, number, label, last_four, client_secrets.created_at_ms AS secret_created_at_ms,
  last_used_at_ms`
const held = {
  firstParty: 'flag',
  requirePkce: 'flag',
  verified: 'flag',
  disabled: 'flag',
  redirectUris: 'json',
} as const
const applications = new Rows<Application>('applications', columns, held)
const owned = new Rows<OwnedRow>(
  'applications LEFT JOIN client_secrets ON application_id = applications.id',
  ownedColumns,
  held,
)

export function sqlApplications(database: Database): ApplicationStore {
  return {
    addApplication: ({ ownedMax, ...application }, secret, recording) =>
      database.write({ row: `applications of ${application.ownerId}`, recording }, function* () {
        const { id, clientId, createdAtMs } = application
        if (yield* sql`SELECT 1 FROM applications WHERE id = ${id} OR client_id = ${clientId}`.exists())
          return 'id-taken'
        if (yield* ownerUnknown(application.ownerId)) return 'owner-unknown'
        if (ownedMax !== undefined && (yield* ownsAll(application.ownerId, ownedMax))) return 'too-many'
        const values = { id, clientId, ...changeable(application), createdAtMs, updatedAtMs: createdAtMs }
        yield* applications.insert(values)
        if (secret !== null) yield* insertSecret(id, secret, createdAtMs)
        return 'added'
      }),

    findById: (id) => database.read(() => findOwned(id)),

    findByClientId: (clientId) =>
      applications.find(database, sql`WHERE client_id = ${clientId} AND deleted_at_ms IS NULL`),

    findForAuthentication: (clientId) =>
      database.queryOnce<AuthenticationRow>(
        sql`SELECT id, number, digest FROM applications LEFT JOIN client_secrets ON application_id = id
         WHERE client_id = ${clientId} AND deleted_at_ms IS NULL AND disabled_at_ms IS NULL`,
      ),

    async listApplications({ ownerId, clientId }, request) {
      const page = newestFirst(
        sql`SELECT id FROM applications WHERE deleted_at_ms IS NULL`,
        'applications',
        { ownerId, clientId },
        request,
      )
      const found = await database.queryOnce(
        sql`SELECT ${raw(ownedColumns)} FROM (${page}) AS page JOIN applications ON applications.id = page.id
          LEFT JOIN client_secrets ON application_id = applications.id
          ORDER BY applications.created_at_ms DESC, applications.id DESC, number`,
      )
      return asOwnedEach(owned.of(found))
    },

    setDisabled: (id, disabled, nowMs) =>
      database.write({ row: `application ${id}` }, function* () {
        const stored = yield* findOwned(id)
        if (stored === undefined || stored.ownerId === null) return 'unknown'
        if (stored.disabled === disabled) return 'unchanged'
        yield* sql`UPDATE applications SET disabled_at_ms = ${disabled ? nowMs : null} WHERE id = ${id}`.changes()
        return 'changed'
      }),

    async listOwned(ownerId) {
      const found = await owned.query(
        database,
        sql`WHERE deleted_at_ms IS NULL AND owner_id = ${ownerId}
          ORDER BY applications.created_at_ms DESC, applications.id, number`,
      )
      return asOwnedEach(found)
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
        yield* sql`DELETE FROM client_secrets WHERE application_id = ${id}`.changes()
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
        yield* sql`DELETE FROM client_secrets WHERE number = ${number}`.changes()
        return { application: { ...stored, secrets: left }, revoked }
      }),

    recordSecretUse: (lastUsedAtMs) => storeLastUses(database, 'client_secrets', lastUsedAtMs),

    deleteApplication: (id, ownerId, nowMs, recording) =>
      database.write({ row: `application ${id}`, recording }, function* () {
        const deleted = yield* sql`UPDATE applications SET deleted_at_ms = ${nowMs}, updated_at_ms = ${nowMs},
          redirect_uris = '[]'
          WHERE id = ${id} AND owner_id = coalesce(${ownerId}, owner_id) AND deleted_at_ms IS NULL`.changes()
        if (deleted === 0) return false
        yield* sql`DELETE FROM client_secrets WHERE application_id = ${id}`.changes()
        return true
      }),
  }
}

export function sqlTryOutResults(database: Database): TryOutResultStore {
  return {
    keep: ({ id, userId, sealed, expiresAtMs }, atMost) =>
      database.write({ row: `user ${userId}` }, function* () {
        const kept = yield* sql`INSERT INTO try_out_results (id, user_id, sealed, expires_at_ms)
           SELECT ${id}, id, ${sealed}, CAST(${expiresAtMs} AS BIGINT) FROM users WHERE id = ${userId}`.changes()
        yield* sql`DELETE FROM try_out_results WHERE id IN
             (SELECT id FROM try_out_results WHERE user_id = ${userId} AND id <> ${id}
              ORDER BY expires_at_ms DESC, id LIMIT 1000 OFFSET ${atMost - 1})`.changes()
        return kept === 1
      }),

    async find(id, userId, nowMs) {
      const row = await database.read(() =>
        sql`SELECT sealed FROM try_out_results
          WHERE id = ${id} AND user_id = ${userId} AND expires_at_ms > ${nowMs}`.first<{ sealed: Uint8Array }>(),
      )
      return row?.sealed
    },
  }
}

function* findOwned(id: ApplicationId): Work<OwnedApplication | undefined> {
  const found = yield* owned.list(sql`WHERE deleted_at_ms IS NULL AND applications.id = ${id} ORDER BY number`)
  return found.length === 0 ? undefined : asOwned(found)
}

function storeChange(application: Application, nowMs: number): Work<number> {
  return applications.update({ ...changeable(application), updatedAtMs: nowMs }, sql`WHERE id = ${application.id}`)
}

function changeable(application: Omit<Application, 'disabled'>) {
  const { ownerId, name, websiteUrl, environment, firstParty, requirePkce, verified, redirectUris } = application
  return { ownerId, name, websiteUrl, environment, firstParty, requirePkce, verified, redirectUris }
}

function* insertSecret(id: ApplicationId, secret: NewClientSecret & { label?: string }, nowMs: number): Work<void> {
  yield* insertInto('client_secrets', {
    applicationId: id,
    label: secret.label ?? null,
    digest: secret.digest,
    lastFour: secret.lastFour,
    createdAtMs: nowMs,
  }).changes()
}

function* ownsAll(ownerId: UserId | null, count: number): Work<boolean> {
  const owned = yield* sql`SELECT 1 FROM applications WHERE owner_id = ${ownerId} AND deleted_at_ms IS NULL
    LIMIT ${count}`.rows()
  return owned.length === count
}

function* ownerUnknown(ownerId: UserId | null): Work<boolean> {
  return ownerId !== null && !(yield* userExists(ownerId))
}

function asOwnedEach(found: readonly OwnedRow[]): OwnedApplication[] {
  return [...Map.groupBy(found, ({ id }) => id).values()].map(asOwned)
}

/** @param found one or more rows, all of the same application. */
function asOwned(found: readonly OwnedRow[]): OwnedApplication {
  const rows = found.map(
    ({ number, label, lastFour, secretCreatedAtMs: createdAtMs, lastUsedAtMs, ...application }) => {
      return { application, secret: number === null ? [] : [{ number, label, lastFour, createdAtMs, lastUsedAtMs }] }
    },
  )
  return { ...(rows[0]?.application as Application), secrets: rows.flatMap(({ secret }) => secret) }
}
