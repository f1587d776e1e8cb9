import type { AttemptStore, AuthorizationAttempt } from '../../../domain/authorization/attempts.ts'
import type { AccessToken, Consent, GrantStore } from '../../../domain/authorization/grant-store.ts'
import { type DeclaredScope, isSubset, type ScopeStore } from '../../../domain/authorization/scope.ts'
import type { TokenFamily } from '../../../domain/authorization/token-family.ts'
import type { ApplicationId, UserId } from '../../../domain/ids-and-secrets.ts'
import * as limits from '../../../domain/limits/limits.ts'
import { keepShare, Rows } from '../rows.ts'
import { type Database, deleteSome, insertInto, put, type Sql, sql } from '../sql.ts'

export interface FamilyRow extends Omit<TokenFamily, 'scopes'> {
  scopes: string
  revokedBecause: string | null
  endsAtMs: number
}

/**
 * Placeholders for `rotated_from`, which is never read before the first rotation. SQLite fills its pages completely, so
 * every row that grows would split its page. A new row therefore reserves the 44 bytes that redemption adds (two
 * timestamps and a digest) and the 38 bytes that the first rotation adds (a timestamp and a digest).
 */
const roomForRedemption = new Uint8Array(44 + 38)
export const roomForRotation = new Uint8Array(38)

/** A row of `access_tokens`, joined with its family and application. */
export interface AccessTokenRow extends Omit<AccessToken, 'number' | 'scopes' | 'issuedAtMs' | 'ended'> {
  scopes: string
  /** 1 if the token or its family is revoked or the application is deleted. */
  ended: number
}

/** Returns the row's family, or as much of it as the row has. */
export function familyOf<Row extends { scopes: string }>(row: Row): Omit<Row, 'scopes'> & { scopes: string[] } {
  return { ...row, scopes: row.scopes.split(' ') }
}

export function accessTokenOf(number: number, row: AccessTokenRow): AccessToken {
  return {
    number,
    digest: row.digest,
    family: row.family,
    applicationId: row.applicationId,
    userId: row.userId,
    scopes: row.scopes.split(' '),
    issuedAtMs: row.expiresAtMs - limits.accessTokenLifetimeSeconds * 1_000,
    expiresAtMs: row.expiresAtMs,
    ended: row.ended === 1,
  }
}

/** Both are `null` if there is no consent yet. */
interface ScopesRow {
  scopes: string | null
  impliedScopes: string | null
}

type ConsentRow = Omit<Consent, 'scopes'> & ScopesRow

/** Selects no row unless the user and the application exist and are not disabled. */
function partiesAndScopes({ userId, applicationId }: { userId: UserId; applicationId: ApplicationId }): Sql {
  return sql`SELECT c.scopes, implied_scopes FROM users
    JOIN applications ON applications.id = ${applicationId} AND deleted_at_ms IS NULL
      AND applications.disabled_at_ms IS NULL
    LEFT JOIN consents AS c ON user_id = users.id AND application_id = applications.id
    WHERE users.id = ${userId} AND users.disabled_at_ms IS NULL`
}

const families = new Rows<TokenFamily & { applicationClosed: boolean }>(
  'token_families',
  `number, application_id, user_id, account_session, scopes, redirect_uri, code_challenge, code_digest,
    code_expires_at_ms, redeemed_at_ms, refresh_generation, refresh_digest, refresh_expires_at_ms, revoked_at_ms, rotated_at_ms, rotated_from,
    coalesce((SELECT deleted_at_ms IS NOT NULL OR disabled_at_ms IS NOT NULL FROM applications
      WHERE id = application_id), true) AS application_closed`,
  { scopes: 'words', applicationClosed: 'flag' },
)

/**
 * The methods of {@link GrantStore} that are not on a hot path. Both databases share them.
 *
 * @param outOfOrder maximum number of live access tokens that can have lower numbers than an expired one.
 */
export function sqlConsents(database: Database, outOfOrder: number) {
  return {
    issueCode: ({ consent, scopes, ...code }, nowMs, recording) =>
      database.write({ row: `consent ${code.userId} ${code.applicationId}`, recording }, function* () {
        const before = yield* partiesAndScopes(code).first<ScopesRow>()
        if (before === undefined) return 'party-gone'
        const consented = scopesIn(before.scopes)
        const implied = scopesIn(before.impliedScopes)
        if (consent === 'standing' && !isSubset(scopes, consented)) return 'consent-gone'
        yield* insertInto('token_families', {
          ...code,
          scopes: scopes.join(' '),
          createdAtMs: nowMs,
          endsAtMs: code.codeExpiresAtMs,
          rotatedFrom: roomForRedemption,
        }).run()
        const given = {
          userId: code.userId,
          applicationId: code.applicationId,
          scopes: union(consented, consent === 'implied' ? [] : scopes).join(' '),
          impliedScopes: union(implied, consent === 'implied' ? scopes : []).join(' '),
          lastGrantedAtMs: nowMs,
        }
        const whenNew = { firstGrantedAtMs: nowMs }
        yield* put('consents', ['userId', 'applicationId'], given, { whenNew }).run()
        return 'issued'
      }),

    findFamily: (number) => families.find(database, sql`WHERE number = ${number}`),

    async consentedScopes(userId, applicationId) {
      const [row] = await database.queryOnce<ScopesRow>(
        sql`SELECT scopes, implied_scopes FROM consents WHERE user_id = ${userId} AND application_id = ${applicationId}`,
      )
      return scopesIn(row?.scopes)
    },

    async listConsents(userId) {
      const found = await database.read(() =>
        sql`SELECT application_id, name AS application_name, website_url, scopes, implied_scopes, first_granted_at_ms, last_used_at_ms
          FROM consents JOIN applications ON applications.id = application_id
          WHERE user_id = ${userId} AND deleted_at_ms IS NULL
          ORDER BY last_granted_at_ms DESC, application_id`.rows<ConsentRow>(),
      )
      return found.map(({ scopes, impliedScopes, ...consent }) => ({
        ...consent,
        scopes: union(scopesIn(scopes), scopesIn(impliedScopes)),
      }))
    },

    withdrawConsent: (userId, applicationId, nowMs, recording) =>
      database.write({ row: `consent ${userId} ${applicationId}`, recording }, function* () {
        const withdrawn = yield* sql`DELETE FROM consents WHERE user_id = ${userId}
          AND application_id = ${applicationId}`.changes()
        yield* sql`UPDATE token_families SET revoked_at_ms = ${nowMs}, revoked_because = 'consent-withdrawn'
           WHERE user_id = ${userId} AND application_id = ${applicationId} AND revoked_at_ms IS NULL`.changes()
        return withdrawn === 0 ? 'not-given' : 'withdrawn'
      }),

    revokeSomeOf: (applicationId, { after, limit, nowMs }) =>
      database.write({}, function* () {
        const next = yield* sql`SELECT number FROM token_families WHERE number > ${after} ORDER BY number
          LIMIT ${limit}`.rows<{ number: number }>()
        const last = next.at(-1)?.number
        if (last === undefined) return undefined
        yield* sql`UPDATE token_families SET revoked_at_ms = ${nowMs}, revoked_because = 'access-removed'
          WHERE number > ${after} AND number <= ${last} AND application_id = ${applicationId}
          AND revoked_at_ms IS NULL`.changes()
        return last
      }),

    recordUse: (lastUsedAtMs) =>
      database.write({}, function* () {
        for (const [number, atMs] of lastUsedAtMs) {
          yield* sql`UPDATE consents SET last_used_at_ms = ${atMs} WHERE coalesce(last_used_at_ms, 0) < ${atMs}
            AND (user_id, application_id) = (SELECT user_id, application_id FROM token_families
            WHERE number = ${number})`.changes()
        }
      }),

    prune: (nowMs, limit) =>
      database.write({}, function* () {
        // Numbers increase over time, so the expired tokens are among those with the lowest numbers.
        const tokens = yield* sql`DELETE FROM access_tokens WHERE number IN (
          SELECT number FROM (SELECT number, expires_at_ms FROM access_tokens ORDER BY number
          LIMIT ${limit + outOfOrder}) AS oldest
          WHERE expires_at_ms < ${nowMs} LIMIT ${limit})`.changes()
        const families = yield* deleteSome('token_families', 'number', sql`ends_at_ms < ${nowMs}`, limit)
        return tokens + families
      }),
  } satisfies Partial<GrantStore>
}

function scopesIn(stored: string | null = ''): string[] {
  return stored === null || stored === '' ? [] : stored.split(' ')
}

function union(some: readonly string[], others: readonly string[]): string[] {
  return [...new Set([...some, ...others])]
}

export function sqlScopes(database: Database): ScopeStore {
  return {
    declare: ({ name, description }) =>
      database.write({ row: `scope ${name}` }, function* () {
        const before = yield* sql`SELECT name, description FROM scopes WHERE name = ${name}`.first<DeclaredScope>()
        if (before?.description === description) return 'unchanged'
        yield* put('scopes', ['name'], { name, description }).run()
        return before === undefined ? 'created' : 'changed'
      }),

    remove: (name) =>
      database.write({ row: `scope ${name}` }, function* () {
        return (yield* sql`DELETE FROM scopes WHERE name = ${name}`.changes()) === 1
      }),

    list: () => database.queryOnce<DeclaredScope>(sql`SELECT name, description FROM scopes ORDER BY name`),
  }
}

type AttemptRow = Omit<AuthorizationAttempt, 'encodedState'> & { state: string | null }

const rows = new Rows<AttemptRow>(
  'authorization_attempts',
  'id, application_id, redirect_uri, scopes, state, code_challenge, skip_consent, expires_at_ms',
  { scopes: 'words', skipConsent: 'flag' },
)

export function sqlAttempts(database: Database): AttemptStore {
  return {
    begin: (attempt, share, nowMs) =>
      database.write({}, function* () {
        const { encodedState: state, ...columns } = attempt
        yield* rows.insert({ ...columns, state: state ?? null, createdAtMs: nowMs, holder: share.holder })
        yield* keepShare('authorization_attempts', share, attempt.id)
      }),

    async find(id) {
      const row = await rows.find(database, sql`WHERE id = ${id}`)
      if (row === undefined) return undefined
      const { state, codeChallenge, ...attempt } = row
      return { ...attempt, encodedState: state ?? undefined, codeChallenge: codeChallenge ?? undefined }
    },
  }
}
